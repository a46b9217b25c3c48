import type { CrawlUrl } from "./crawl-url.ts";
import { stripPathSessionId } from "./session-id.ts";

/** Which spellings count as one page; the fetched URL itself never changes. */
export interface DedupPolicy {
  /** Leave session ids out of the key: two visits of one shop are one page. */
  dropSessionIds: boolean;
  /** Leave out parameters that only track where a visitor came from (`utm_source`, `gclid`). */
  dropTracking: boolean;
  /** `ignore`: `/a` and `/a/` are one page, as on most servers. */
  trailingSlash: "keep" | "ignore";
}

/** Only what RFC 3986 calls equivalent is merged: no page is lost, at worst one is fetched twice. */
export const SAFE_DEDUP: DedupPolicy = {
  dropSessionIds: false,
  dropTracking: false,
  trailingSlash: "keep",
};

// Names that mean a session wherever they appear; "sid" means many things, so its value must look like an id too.
const SESSION =
  /^(?:jsessionid|phpsessid|aspsessionid[a-z]{8}|cfid|cftoken|oscsid|zenid)=|^sid=[0-9a-z]{32}$/i;
const PATH_SESSION = /;jsessionid=[^/;]*/gi;
const TRACKING =
  /^(?:utm_[a-z_]+|[gd]clid|gclsrc|[gw]braid|fbclid|msclkid|yclid|twclid|ttclid|igshid|srsltid|mc_[ce]id|_hsenc|_hsmi|_gl|mkt_tok|li_fat_id|vero_id)(?:=|$)/i;

const UNRESERVED = /[A-Za-z0-9\-._~]/;
const UNRESERVED_NO_HEX = /[G-Zg-z\-._~]/;
const STRAY_PERCENT = /%(?![0-9a-f]{2})/i;

/** The text by which a URL is known as seen. */
export function dedupKey(url: CrawlUrl, policy: DedupPolicy = SAFE_DEDUP): string {
  const text = url.includes("%") ? normalizeEscapes(url) : url;
  const start = text.indexOf("/", 8);
  const mark = text.indexOf("?", start);
  const path = pathKey(text.slice(start, mark < 0 ? text.length : mark), policy);
  const query = mark < 0 ? "" : queryKey(text.slice(mark + 1), policy);
  const head = text.slice(0, start) + path;
  return query === "" ? head : `${head}?${query}`;
}

/** RFC 3986, 6.2.2: capital hex digits, and no escape for what needs none. Dot segments are resolved already. */
function normalizeEscapes(url: string): string {
  // After a "%" that begins no escape, a decoded hex digit could complete one: "%%36%31" must not turn into "%61".
  const plain = STRAY_PERCENT.test(url) ? UNRESERVED_NO_HEX : UNRESERVED;
  return url.replace(/%[0-9a-f]{2}/gi, (triplet) => {
    const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
    return plain.test(character) ? character : triplet.toUpperCase();
  });
}

function pathKey(path: string, policy: DedupPolicy): string {
  let key = path;
  if (policy.dropSessionIds) key = stripPathSessionId(key.replace(PATH_SESSION, ""));
  if (policy.trailingSlash === "ignore" && key.length > 1 && key.endsWith("/")) {
    key = key.slice(0, -1);
  }
  return key;
}

/** The order of parameters stays: it is part of the URL, and matters to some servers. */
function queryKey(query: string, policy: DedupPolicy): string {
  if (!policy.dropSessionIds && !policy.dropTracking) return query;
  const all = query.split("&");
  const kept = all.filter(
    (parameter) =>
      !(policy.dropSessionIds && SESSION.test(parameter)) &&
      !(policy.dropTracking && TRACKING.test(parameter)),
  );
  return kept.length === all.length ? query : kept.join("&");
}
