// Resolves the plain majority of links without `new URL`. The rule of this file: an answer is given only
// where it is certain to equal the WHATWG parser's; on any doubt the answer is "" and the parser decides.
// Certain means: only characters that the parser copies unchanged, no dot segment except leading ones,
// and a host that is neither an address nor internationalised. Everything after "#" is never looked at.

const SLOW = 0; // encoded, removed, or read in another way by the parser: not for us
const PLAIN = 1; // copied unchanged
const SLASH = 2;
const PERCENT = 3; // copied, but "%2e" counts as a dot
const QUERY = 4;
const HASH = 5;

const SLASH_CODE = 47;
const DOT_CODE = 46;
const COLON_CODE = 58;
const QUERY_CODE = 63;
const HASH_CODE = 35;

const PATH_CLASS = classes(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@|[]",
);
// In a query "/" and "?" and broken or whole escapes are ordinary, but "'" is encoded.
const QUERY_CLASS = classes(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&()*+,;=:@|[]/?%\\^`{}",
);

function classes(plain: string): Uint8Array {
  const table = new Uint8Array(128).fill(SLOW);
  table[SLASH_CODE] = SLASH;
  table[QUERY_CODE] = QUERY;
  table[HASH_CODE] = HASH;
  table["%".charCodeAt(0)] = PERCENT;
  for (let i = 0; i < plain.length; i++) table[plain.charCodeAt(i)] = PLAIN;
  return table;
}

/** What resolving against one base needs again and again; a page resolves all its links against one. */
interface BaseParts {
  url: string;
  self: string; // what "" and "#x" mean
  scheme: string; // "https:"
  origin: string; // "https://host:8443"
  rooted: string; // origin + "/"
  page: string; // all before the query
  folder: string; // up to and including the last slash of the path
}

let latest: BaseParts = partsOfBase("http://h/");

function partsOfBase(url: string): BaseParts {
  const path = url.indexOf("/", 8); // after "http://" or "https://", whose host is at least one character
  const query = url.indexOf("?", path);
  const page = query < 0 ? url : url.slice(0, query);
  const origin = url.slice(0, path);
  return {
    url,
    self: url.endsWith("?") ? "" : url, // Node drops an empty query here, others keep it: not ours to say
    scheme: url.slice(0, url.indexOf(":") + 1),
    origin,
    rooted: `${origin}/`,
    page,
    folder: page.slice(0, page.lastIndexOf("/") + 1),
  };
}

/** The canonical URL of a link, undefined when it is certainly not followed, "" when the parser must decide. */
export function resolveFast(link: string, base: string | undefined): string | undefined {
  if (base === undefined) return resolveAbsolute(link);
  if (base !== latest.url) latest = partsOfBase(base);
  const parts = latest;
  if (link.length === 0) return parts.self;
  switch (link.charCodeAt(0)) {
    case HASH_CODE:
      return parts.self;
    case QUERY_CODE:
      return joined(parts.page, link, 0, queryEnd(link, 1));
    case SLASH_CODE:
      if (link.charCodeAt(1) !== SLASH_CODE) return joined(parts.origin, link, 0, pathEnd(link, 0));
      return resolveHost(parts.scheme, link, 2);
    case DOT_CODE:
      return resolveDotted(parts.folder, parts.origin.length, link);
  }
  // A page's links to its own site repeat an origin that is already canonical.
  if (link.startsWith(parts.rooted)) {
    return joined("", link, 0, pathEnd(link, parts.origin.length));
  }
  const scheme = schemeEnd(link);
  if (scheme < 0) return joined(parts.folder, link, 0, pathEnd(link, 0));
  if (scheme > 0) return resolveAbsolute(link);
  return "";
}

function resolveAbsolute(link: string): string | undefined {
  if (link.startsWith("https://")) return resolveHost("https:", link, 8);
  if (link.startsWith("http://")) return resolveHost("http:", link, 7);
  const scheme = schemeEnd(link);
  // "http:x", "HTTP://x" and what has no scheme are left to the parser; another scheme is refused at once.
  return scheme > 0 && !/^https?:/i.test(link) ? undefined : "";
}

/** Where the colon of a scheme is; -1 when the first segment surely has no scheme; 0 when in doubt. */
function schemeEnd(link: string): number {
  for (let i = 0; i < link.length; i++) {
    const code = link.charCodeAt(i);
    const lower = code | 32;
    if (lower >= 97 && lower <= 122) continue;
    if (code === COLON_CODE) return i;
    if (code === SLASH_CODE || code === QUERY_CODE || code === HASH_CODE) return -1;
    if (i > 0 && ((code >= 48 && code <= 57) || code === 43 || code === 45 || code === 46))
      continue;
    // Any other character ends all hope of a scheme, unless the parser removes it (tab, line feed, leading space).
    return code > 32 ? -1 : 0;
  }
  return -1;
}

/** A link that starts with a dot: leading "./" and "../" are walked here, any other dot segment is not ours. */
function resolveDotted(folder: string, rootAt: number, link: string): string {
  let at = 0;
  while (link.charCodeAt(at) === DOT_CODE) {
    const up = at + 1 < link.length && link.charCodeAt(at + 1) === DOT_CODE;
    const next = at + (up ? 2 : 1);
    if (!endsSegment(link, next)) break; // a name such as ".htaccess" or "..."
    if (up) {
      const slash = folder.lastIndexOf("/", folder.length - 2);
      if (slash >= rootAt) folder = folder.slice(0, slash + 1); // ".." above the root stays there
    }
    at = next;
    if (at === link.length || link.charCodeAt(at) !== SLASH_CODE) break;
    at++;
  }
  return joined(folder, link, at, pathEnd(link, at));
}

/** `link` from its host on; the host must be lower-case ASCII letters, digits, hyphens and inner dots. */
function resolveHost(scheme: string, link: string, start: number): string {
  let label = start;
  let at = start;
  for (; at < link.length; at++) {
    const code = link.charCodeAt(at);
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 45) continue;
    if (code !== DOT_CODE) break;
    if (at === label || link.startsWith("xn--", label)) return "";
    label = at + 1;
  }
  // A host whose last label is a number is an IPv4 address, however odd ("0x7f.1"): a digit is enough to doubt.
  if (at === label || link.charCodeAt(label) <= 57 || link.startsWith("xn--", label)) return "";
  if (at < link.length && link.charCodeAt(at) === COLON_CODE) {
    at = portEnd(scheme, link, at + 1);
    if (at < 0) return "";
  }
  const prefix = start > 2 ? "" : scheme; // "//host" borrows the scheme of its page
  if (at === link.length) return `${prefix + link}/`;
  switch (link.charCodeAt(at)) {
    case SLASH_CODE:
      return joined(prefix, link, 0, pathEnd(link, at));
    case QUERY_CODE:
      return joined(`${prefix + link.slice(0, at)}/`, link, at, queryEnd(link, at + 1));
    case HASH_CODE:
      return `${prefix + link.slice(0, at)}/`;
  }
  return "";
}

/** Where a port of canonical form ends; -1 for an empty, zero-padded, default or impossible one. */
function portEnd(scheme: string, link: string, start: number): number {
  let at = start;
  let port = 0;
  for (; at < link.length; at++) {
    const digit = link.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) break;
    port = port * 10 + digit;
    if (port === 0 || port > 65535) return -1;
  }
  return port === 0 || port === (scheme === "https:" ? 443 : 80) ? -1 : at;
}

/** Where path and query end (at "#" or at the end of the link), or -1 when the parser would change them. */
function pathEnd(link: string, start: number): number {
  for (let at = start; at < link.length; at++) {
    const code = link.charCodeAt(at);
    if (code > 127) return -1;
    const kind = PATH_CLASS[code];
    if (kind === PLAIN) continue;
    if (kind === SLASH) {
      if (isDotSegment(link, at + 1)) return -1;
    } else if (kind === PERCENT) {
      if (link.charCodeAt(at + 1) === 50 && (link.charCodeAt(at + 2) | 32) === 101) return -1; // "%2e"
    } else if (kind === QUERY) {
      return queryEnd(link, at + 1);
    } else {
      return kind === HASH ? at : -1;
    }
  }
  return link.length;
}

function queryEnd(link: string, start: number): number {
  for (let at = start; at < link.length; at++) {
    const code = link.charCodeAt(at);
    if (code > 127) return -1;
    const kind = QUERY_CLASS[code];
    if (kind !== PLAIN) return kind === HASH ? at : -1;
  }
  return link.length;
}

function isDotSegment(link: string, at: number): boolean {
  if (at >= link.length || link.charCodeAt(at) !== DOT_CODE) return false;
  const twice = at + 1 < link.length && link.charCodeAt(at + 1) === DOT_CODE;
  return endsSegment(link, at + (twice ? 2 : 1));
}

function endsSegment(link: string, at: number): boolean {
  if (at >= link.length) return true;
  const code = link.charCodeAt(at);
  return code === SLASH_CODE || code === QUERY_CODE || code === HASH_CODE;
}

function joined(prefix: string, link: string, from: number, end: number): string {
  if (end < 0) return "";
  return prefix + (from === 0 && end === link.length ? link : link.slice(from, end));
}
