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

/** What stands before the path of the last URL: neighbouring URLs share it, and one string object for a name is hashed only once. */
const latest = {
  /** With the slash, so that a longer name does not pass for this one. */
  origin: "http://h/",
  secure: false,
  hostname: "h",
  port: 80,
  /** Without the dot of the root. */
  name: "h",
  server: "http://h",
};

function look(url: CrawlUrl): void {
  const secure = url.charCodeAt(4) === 115; // the "s" of "https"
  const start = secure ? 8 : 7;
  const path = url.indexOf("/", start);
  // Back over the digits of a port.
  let colon = path - 1;
  while (url.charCodeAt(colon) >= 48 && url.charCodeAt(colon) <= 57) colon--;
  const hasPort = url.charCodeAt(colon) === 58;
  const end = hasPort ? colon : path;
  const hostname = url.slice(start, end);
  latest.origin = url.slice(0, path + 1);
  latest.secure = secure;
  latest.hostname = hostname;
  latest.port = hasPort ? Number(url.slice(colon + 1, path)) : secure ? 443 : 80;
  latest.name = hostname;
  latest.server = url.slice(0, path);
  if (url.charCodeAt(end - 1) === 46) {
    latest.name = withoutRootDot(hostname);
    latest.server = url.slice(0, start + latest.name.length) + url.slice(end, path);
  }
}

/** Cuts a canonical URL into the parts of a request. */
export function partsOf(url: CrawlUrl): UrlParts {
  if (!url.startsWith(latest.origin)) look(url);
  const { origin, secure, hostname, port } = latest;
  return { secure, hostname, port, target: url.slice(origin.length - 1) };
}

/** Scheme, host and port: `http://h:8080`, without a slash at the end. */
export function originOf(url: CrawlUrl): string {
  return url.slice(0, url.indexOf("/", 8));
}

/** The origin of the server that is asked, without the dot of the root: `http://h.:8080/` and `http://h:8080/` have one. */
export function serverOf(url: CrawlUrl): string {
  if (!url.startsWith(latest.origin)) look(url);
  return latest.server;
}

/** The name of the host, without its port and the dot of the root; an IPv6 address keeps its brackets. */
export function hostnameOf(url: CrawlUrl): string {
  if (!url.startsWith(latest.origin)) look(url);
  return latest.name;
}

/** A host name without the dot of the root, which makes no other host of it. */
export function withoutRootDot(hostname: string): string {
  return hostname.length > 1 && hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}

/** Host and, unless it is the scheme's own, port: `h:8080`, equal for http and https of one host. */
export function authorityOf(url: CrawlUrl): string {
  const start = url.charCodeAt(4) === 115 ? 8 : 7;
  return url.slice(start, url.indexOf("/", start));
}
