import { lastFingerprint } from "../../hash/fingerprint.ts";
import { MAX_URLS, marks, urlFingerprint, urlFingerprints } from "../../hash/url-fingerprint.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { type DedupPolicy, dedupKey, SAFE_DEDUP } from "../../url/dedup-key.ts";
import type { Discovery } from "../discovery.ts";

/** What counts as one page, and the seed of the crawl's fingerprints. */
export interface AdmissionRules extends Partial<DedupPolicy> {
  readonly seedLow: number;
  readonly seedHigh: number;
}

/**
 * The text under which a URL counts as seen. A redirect between two spellings of one key (/a to /a/, or to the same
 * page with a session id) must still be followed: its target then counts by itself.
 */
export function admissionKey(found: Discovery, policy: Partial<DedupPolicy>): CrawlUrl {
  const key = keyOf(found.url, policy);
  const { via, parent } = found;
  const bends = via === "redirect" && parent !== undefined && keyOf(parent, policy) === key;
  return bends ? found.url : key;
}

/** Leaves the fingerprint of that text in `lastFingerprint`. */
export function admissionFingerprint(found: Discovery, rules: AdmissionRules): void {
  urlFingerprint(admissionKey(found, rules), rules.seedLow, rules.seedHigh);
}

/** The same for a URL that nothing redirected to. */
export function linkFingerprint(url: CrawlUrl, rules: AdmissionRules): void {
  urlFingerprint(keyOf(url, rules), rules.seedLow, rules.seedHigh);
}

/** At most this many fingerprints are computed at once. */
export const MAX_FINGERPRINTS = MAX_URLS;

/** The URLs of discoveries. */
const urls: CrawlUrl[] = [];

/** What `admissionFingerprint` leaves in `lastFingerprint`, for `count` URLs from `from` on: pairs of low and high half. */
export function admissionFingerprints(
  found: readonly Discovery[],
  from: number,
  count: number,
  rules: AdmissionRules,
  into: Uint32Array,
): void {
  for (let i = 0; i < count; i++) urls[i] = found[from + i]!.url;
  fingerprintKeys(urls, 0, count, rules, into, (i) => admissionKey(found[from + i]!, rules));
}

/** The same with `linkFingerprint`. */
export function linkFingerprints(
  links: readonly CrawlUrl[],
  from: number,
  count: number,
  rules: AdmissionRules,
  into: Uint32Array,
): void {
  fingerprintKeys(links, from, count, rules, into, (i) => keyOf(links[from + i]!, rules));
}

/** Nearly every URL is its own key, as its bytes show. A key is made only for the others. */
function fingerprintKeys(
  own: readonly CrawlUrl[],
  from: number,
  count: number,
  rules: AdmissionRules,
  into: Uint32Array,
  keyAt: (i: number) => CrawlUrl,
): void {
  const safe = isSafe(rules);
  if (safe && urlFingerprints(own, from, count, rules, into) === 0) return;
  for (let i = 0; i < count; i++) {
    if (safe && marks[i] === 0) continue;
    urlFingerprint(keyAt(i), rules.seedLow, rules.seedHigh);
    into[2 * i] = lastFingerprint.low;
    into[2 * i + 1] = lastFingerprint.high;
  }
}

function keyOf(url: CrawlUrl, policy: Partial<DedupPolicy>): CrawlUrl {
  const safe = isSafe(policy);
  if (safe && !url.includes("%") && !url.endsWith("?")) return url;
  // A key is ASCII and has the form of a URL, though it need not be canonical.
  return dedupKey(url, safe ? SAFE_DEDUP : { ...SAFE_DEDUP, ...policy }) as CrawlUrl;
}

/** Whether URLs are their own keys unless they contain "%" or end with "?". */
export function isSafe({
  dropSessionIds,
  dropTracking,
  trailingSlash,
}: Partial<DedupPolicy>): boolean {
  return !dropSessionIds && !dropTracking && trailingSlash !== "ignore";
}
