import { lastFingerprint } from "../../hash/fingerprint.ts";
import { MAX_URLS, marks, urlFingerprint, urlFingerprints } from "../../hash/url-fingerprint.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { type DedupPolicy, dedupKey, SAFE_DEDUP } from "../../url/dedup-key.ts";
import type { Discovery } from "../discovery.ts";

const QUESTION_MARK = "?".charCodeAt(0);

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
  if (isOwnKey(found.url, rules)) return;
  urlFingerprint(admissionKey(found, rules), rules.seedLow, rules.seedHigh);
}

/** The same for a URL that nothing redirected to. */
export function linkFingerprint(url: CrawlUrl, rules: AdmissionRules): void {
  if (!isOwnKey(url, rules)) urlFingerprint(keyOf(url, rules), rules.seedLow, rules.seedHigh);
}

/** URLs whose fingerprints are computed at once, at most. */
export const MAX_FINGERPRINTS = MAX_URLS;

/** Of discoveries, at most so many. */
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
  if (!areOwnKeys(urls, 0, count, rules, into))
    eachMarked(count, rules, into, (i) => admissionFingerprint(found[from + i]!, rules));
}

/** The same with `linkFingerprint`. */
export function linkFingerprints(
  links: readonly CrawlUrl[],
  from: number,
  count: number,
  rules: AdmissionRules,
  into: Uint32Array,
): void {
  if (!areOwnKeys(links, from, count, rules, into))
    eachMarked(count, rules, into, (i) => linkFingerprint(links[from + i]!, rules));
}

function areOwnKeys(
  urls: readonly CrawlUrl[],
  from: number,
  count: number,
  rules: AdmissionRules,
  into: Uint32Array,
): boolean {
  return isSafe(rules) && urlFingerprints(urls, from, count, rules, into) === 0;
}

/** Computes anew what may be spelled in several routes. */
function eachMarked(
  count: number,
  rules: AdmissionRules,
  into: Uint32Array,
  compute: (i: number) => void,
): void {
  const all = !isSafe(rules);
  for (let i = 0; i < count; i++) {
    if (!all && marks[i] === 0) continue;
    compute(i);
    into[2 * i] = lastFingerprint.low;
    into[2 * i + 1] = lastFingerprint.high;
  }
}

/** Nearly every URL is its own key, and its bytes tell: then its lastFingerprint is there, and nothing is searched, cut or joined. */
function isOwnKey(url: CrawlUrl, rules: AdmissionRules): boolean {
  const { seedLow, seedHigh } = rules;
  return isSafe(rules) && !urlFingerprint(url, seedLow, seedHigh);
}

function keyOf(url: CrawlUrl, policy: Partial<DedupPolicy>): CrawlUrl {
  const safe = isSafe(policy);
  if (safe && !url.includes("%") && !endsWithMark(url)) return url;
  // A key is ASCII and has the form of a URL, though it need not be canonical.
  return dedupKey(url, safe ? SAFE_DEDUP : { ...SAFE_DEDUP, ...policy }) as CrawlUrl;
}

function isSafe({ dropSessionIds, dropTracking, trailingSlash }: Partial<DedupPolicy>): boolean {
  return !dropSessionIds && !dropTracking && trailingSlash !== "ignore";
}

function endsWithMark(url: CrawlUrl): boolean {
  return url.charCodeAt(url.length - 1) === QUESTION_MARK;
}
