import type { CrawlUrl } from "../url/crawl-url.ts";
import { type DedupPolicy, dedupKey, SAFE_DEDUP } from "../url/dedup-key.ts";
import type { Discovery } from "./frontier.ts";

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

function keyOf(url: CrawlUrl, policy: Partial<DedupPolicy>): CrawlUrl {
  const { dropSessionIds, dropTracking, trailingSlash } = policy;
  const safe = !dropSessionIds && !dropTracking && trailingSlash !== "ignore";
  // Nearly every URL is its own key, and then nothing is cut or joined.
  if (safe && !url.includes("%") && !url.endsWith("?")) return url;
  // A key is ASCII and has the form of a URL, though it need not be canonical.
  return dedupKey(url, safe ? SAFE_DEDUP : { ...SAFE_DEDUP, ...policy }) as CrawlUrl;
}
