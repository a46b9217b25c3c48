import type { CrawlUrl } from "./crawl-url.ts";

/** What a request needs of a URL. */
export interface UrlParts {
  secure: boolean;
  /** Without port; an IPv6 address keeps its brackets. */
  hostname: string;
  port: number;
  /** Path and query, as sent in the request line. */
  target: string;
}

// A CrawlUrl is canonical, so it can be cut instead of parsed: the scheme is "http" or "https", "/" ends the authority,
// which holds no credentials, and the digits of a port follow a colon; an IPv6 address ends in "]", so its colons are
// never taken for that one.

/** Cuts a canonical URL into the parts of a request. */
export function partsOf(url: CrawlUrl): UrlParts {
  const secure = isSecure(url);
  const start = secure ? 8 : 7;
  const path = url.indexOf("/", start);
  const colon = portColon(url, path);
  return {
    secure,
    hostname: url.slice(start, colon < 0 ? path : colon),
    port: colon < 0 ? (secure ? 443 : 80) : Number(url.slice(colon + 1, path)),
    target: url.slice(path),
  };
}

/** Scheme, host and port: `http://h:8080`, without a slash at the end. */
export function originOf(url: CrawlUrl): string {
  return url.slice(0, url.indexOf("/", 8));
}

/** The origin of the server that is asked, without the dot of the root: `http://h.:8080/` and `http://h:8080/` have one. */
export function serverOf(url: CrawlUrl): string {
  const path = url.indexOf("/", 8);
  const colon = portColon(url, path);
  const end = colon < 0 ? path : colon;
  const dot = end - 1;
  if (url.charCodeAt(dot) !== 46 || url.charCodeAt(dot - 1) === 47) return url.slice(0, path);
  return url.slice(0, dot) + url.slice(end, path);
}

/** A host name without the dot of the root, which makes no other host of it. */
export function withoutRootDot(hostname: string): string {
  return hostname.length > 1 && hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}

/** Host and, unless it is the scheme's own, port: `h:8080`, equal for http and https of one host. */
export function authorityOf(url: CrawlUrl): string {
  const start = isSecure(url) ? 8 : 7;
  return url.slice(start, url.indexOf("/", start));
}

/** The last result: neighbouring URLs share a host, and one string object for it is hashed only once. */
let latestOrigin = "http://h/";
let latestHostname = "h";

/** The name of the host, without its port and the dot of the root; an IPv6 address keeps its brackets. */
export function hostnameOf(url: CrawlUrl): string {
  // With the slash, so that a longer name does not pass for this one.
  if (url.startsWith(latestOrigin)) return latestHostname;
  const start = isSecure(url) ? 8 : 7;
  const path = url.indexOf("/", start);
  const colon = portColon(url, path);
  latestHostname = withoutRootDot(url.slice(start, colon < 0 ? path : colon));
  latestOrigin = url.slice(0, path + 1);
  return latestHostname;
}

function isSecure(url: CrawlUrl): boolean {
  return url.charCodeAt(4) === 115; // the "s" of "https"
}

/** Walks back over the digits of a port; -1 when there is none. */
function portColon(url: CrawlUrl, path: number): number {
  let at = path - 1;
  while (url.charCodeAt(at) >= 48 && url.charCodeAt(at) <= 57) at--;
  return url.charCodeAt(at) === 58 ? at : -1;
}
