import type { CrawlUrl } from "../url/crawl-url.ts";
import { type DedupPolicy, dedupKey, SAFE_DEDUP } from "../url/dedup-key.ts";
import type { Discovery } from "./frontier.ts";
import { urlPrint } from "./url-print.ts";

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

/** Leaves the fingerprint of that text in `print`. */
export function admissionPrint(found: Discovery, rules: AdmissionRules): void {
  if (isOwnKey(found.url, rules)) return;
  urlPrint(admissionKey(found, rules), rules.seedLow, rules.seedHigh);
}

/** The same for a URL that nothing redirected to. */
export function linkPrint(url: CrawlUrl, rules: AdmissionRules): void {
  if (!isOwnKey(url, rules)) urlPrint(keyOf(url, rules), rules.seedLow, rules.seedHigh);
}

/** Nearly every URL is its own key, and its bytes tell: then its print is there, and nothing is searched, cut or joined. */
function isOwnKey(url: CrawlUrl, rules: AdmissionRules): boolean {
  const { seedLow, seedHigh } = rules;
  return isSafe(rules) && !urlPrint(url, seedLow, seedHigh) && !endsWithMark(url);
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
