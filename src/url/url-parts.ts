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

/** What the fifth character is in "https". */
const LETTER_S = 115;
const DOT = 46;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
const COLON = 58;

/** What all URLs of one scheme, host and port have in common. */
interface Server {
  /** With the slash, so that a longer name does not pass for this one. */
  readonly start: string;
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** Host and origin without the dot of the root. */
  readonly name: string;
  readonly origin: string;
}

/** The last one: neighbouring URLs share it, and one string object for a name is hashed only once. */
let latest = cutServer("http://h/" as CrawlUrl);

function cutServer(url: CrawlUrl): Server {
  const secure = url.charCodeAt(4) === LETTER_S;
  const from = secure ? 8 : 7;
  const path = url.indexOf("/", from);
  // Back over the digits of a port.
  let end = path - 1;
  while (url.charCodeAt(end) >= DIGIT_0 && url.charCodeAt(end) <= DIGIT_9) end--;
  const hasPort = url.charCodeAt(end) === COLON;
  if (!hasPort) end = path;
  const hostname = url.slice(from, end);
  const isDotted = url.charCodeAt(end - 1) === DOT && hostname.length > 1;
  return {
    start: url.slice(0, path + 1),
    secure,
    hostname,
    port: hasPort ? Number(url.slice(end + 1, path)) : secure ? 443 : 80,
    name: isDotted ? hostname.slice(0, -1) : hostname,
    origin: isDotted ? url.slice(0, end - 1) + url.slice(end, path) : url.slice(0, path),
  };
}

/** Cuts a canonical URL into the parts of a request. */
export function partsOf(url: CrawlUrl): UrlParts {
  if (!url.startsWith(latest.start)) latest = cutServer(url);
  const { secure, hostname, port, start } = latest;
  return { secure, hostname, port, target: url.slice(start.length - 1) };
}

/** Path and query, as sent in the request line. */
export function targetOf(url: CrawlUrl): string {
  return url.slice(url.indexOf("/", 8));
}

/** Scheme, host and port: `http://h:8080`, without a slash at the end. */
export function originOf(url: CrawlUrl): string {
  return url.slice(0, url.indexOf("/", 8));
}

/** The origin of the server that is asked, without the dot of the root: `http://h.:8080/` and `http://h:8080/` have one. */
export function serverOf(url: CrawlUrl): string {
  if (!url.startsWith(latest.start)) latest = cutServer(url);
  return latest.origin;
}

/** A host name without the dot of the root, which makes no other host of it. */
export function withoutRootDot(hostname: string): string {
  return hostname.length > 1 && hostname.endsWith(".") ? hostname.slice(0, -1) : hostname;
}

/** Host and, unless it is the scheme's own, port: `h:8080`, equal for http and https of one host. */
export function authorityOf(url: CrawlUrl): string {
  const start = url.charCodeAt(4) === LETTER_S ? 8 : 7;
  return url.slice(start, url.indexOf("/", start));
}

/** The name of the host, without its port and the dot of the root; an IPv6 address keeps its brackets. */
export function hostnameOf(url: CrawlUrl): string {
  if (!url.startsWith(latest.start)) latest = cutServer(url);
  return latest.name;
}
