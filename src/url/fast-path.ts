// Resolves the plain majority of links without `new URL`. The rule of this file: it returns a URL only where that is
// certain to equal the WHATWG parser's; on any doubt it returns "" and the parser decides.
// Certain means: only characters that the parser copies unchanged, no dot segment except leading ones,
// and a host that is neither an address nor internationalised. Everything after "#" is never looked at.

const SLASH_CODE = 47;
const DOT_CODE = 46;
const COLON_CODE = 58;
const QUERY_CODE = 63;
const HASH_CODE = 35;

// Measured: a sticky expression reads a link at half the cost of a loop over charCodeAt. None of these can fail
// half-way and start over, so the time is linear; the bound keeps the matcher's own stack small.
const MAX_FAST_LENGTH = 8192;

// What the parser copies unchanged in a path. A dot is plain only inside a name: one after "/" may be a dot segment.
// "^" is left out because standards of different years encode it differently.
const NAME = "[A-Za-z0-9\\-_~!$&'()*+,;=:@|[\\]]";
const NAME_OR_DOT = NAME.replace("_", "_.");
// "%2e" counts as a dot, so an escape is looked at before it is copied.
const PATH = `(?:/*(?:${NAME}|%(?!2[eE]))${NAME_OR_DOT}*)*/*`;
// In a query "/", "?", "\\" and any "%" are ordinary, but "'" is encoded.
const QUERY = "\\?[A-Za-z0-9\\-._~!$&()*+,;=:@|[\\]/?%\\\\^`{}]*";
// A last label that starts with a digit may make the host an IPv4 address, however odd ("0x7f.1"); "xn--" is
// checked and rewritten. Both are left to the parser, as are ports, capitals and empty labels.
const LABEL = "(?!xn--)[a-z0-9][a-z0-9-]*";
const HOST = `(?:${LABEL}\\.)*(?=[a-z])${LABEL}`;

const pathAndQuery = new RegExp(`${PATH}(?:${QUERY})?`, "y");
const queryAlone = new RegExp(QUERY, "y");
const absolute = new RegExp(`https?://${HOST}/${PATH}(?:${QUERY})?`, "y");
const hostAlone = new RegExp(HOST, "y");

/** The parts of a base; a page resolves all its links against one. */
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
    self: url.endsWith("?") ? "" : url, // Node drops an empty query here, others keep it: left to the parser
    scheme: url.slice(0, url.indexOf(":") + 1),
    origin,
    rooted: `${origin}/`,
    page,
    folder: page.slice(0, page.lastIndexOf("/") + 1),
  };
}

/** The canonical URL of a link, undefined when it is certainly not followed, "" when the parser must decide. */
export function resolveFast(link: string, base: string | undefined): string | undefined {
  if (link.length > MAX_FAST_LENGTH) return "";
  if (base === undefined) return resolveAbsolute(link);
  if (base !== latest.url) latest = partsOfBase(base);
  const parts = latest;
  if (link.length === 0) return parts.self;
  switch (link.charCodeAt(0)) {
    case HASH_CODE:
      return parts.self;
    case QUERY_CODE:
      return joined(parts.page, link, 0, endOf(queryAlone, link, 0));
    case SLASH_CODE:
      if (link.charCodeAt(1) === SLASH_CODE) return resolveHost(parts.scheme, link, 2);
      return joined(parts.origin, link, 0, endOf(pathAndQuery, link, 0));
    case DOT_CODE:
      return resolveDotted(parts.folder, parts.origin.length, link);
  }
  // Without any colon there is no scheme, and that is found sooner than where a scheme would end.
  const scheme = link.includes(":") ? schemeEnd(link) : -1;
  if (scheme < 0) return joined(parts.folder, link, 0, endOf(pathAndQuery, link, 0));
  if (scheme === 0) return "";
  // A page's links to its own site repeat an origin that is canonical already, whatever kind of host it is.
  if (!link.startsWith(parts.rooted)) return resolveAbsolute(link);
  return joined("", link, 0, endOf(pathAndQuery, link, parts.origin.length));
}

function resolveAbsolute(link: string): string | undefined {
  const end = endOf(absolute, link, 0);
  if (end >= 0) return joined("", link, 0, end);
  if (link.startsWith("https://")) return resolveHost("https:", link, 8);
  if (link.startsWith("http://")) return resolveHost("http:", link, 7);
  // "http:x", "HTTP://x" and what has no scheme are left to the parser; another scheme is refused at once.
  return schemeEnd(link) > 0 && !/^https?:/i.test(link) ? undefined : "";
}

/** Where a link ends that matches `form` from `start` up to "#" or its last character; -1 when it does not match. */
function endOf(form: RegExp, link: string, start: number): number {
  form.lastIndex = start;
  if (!form.test(link)) return -1;
  const end = form.lastIndex;
  return end === link.length || link.charCodeAt(end) === HASH_CODE ? end : -1;
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
    // After any other character there is no scheme, unless the parser removes it (tab, line feed, leading space).
    return code > 32 ? -1 : 0;
  }
  return -1;
}

/** A link that starts with a dot: leading "./" and "../" are resolved here, any other dot segment by the parser. */
function resolveDotted(folder: string, rootAt: number, link: string): string {
  let at = 0;
  while (at < link.length && link.charCodeAt(at) === DOT_CODE) {
    const up = link.startsWith("..", at);
    at += up ? 2 : 1;
    const code = at < link.length ? link.charCodeAt(at) : HASH_CODE;
    if (code !== SLASH_CODE && code !== QUERY_CODE && code !== HASH_CODE) return ""; // ".htaccess", "...", ".%2e"
    if (up) {
      const slash = folder.lastIndexOf("/", folder.length - 2);
      if (slash >= rootAt) folder = folder.slice(0, slash + 1); // ".." above the root stays there
    }
    if (code === SLASH_CODE) at++;
  }
  return joined(folder, link, at, endOf(pathAndQuery, link, at));
}

/** `link` from its host on, for the forms that are not already canonical: no path, a port, no scheme. */
function resolveHost(scheme: string, link: string, start: number): string {
  hostAlone.lastIndex = start;
  if (!hostAlone.test(link)) return "";
  let at = hostAlone.lastIndex;
  if (at < link.length && link.charCodeAt(at) === COLON_CODE) {
    at = portEnd(scheme, link, at + 1);
    if (at < 0) return "";
  }
  const prefix = start > 2 ? "" : scheme; // "//host" borrows the scheme of its page
  if (at === link.length) return `${prefix + link}/`;
  switch (link.charCodeAt(at)) {
    case SLASH_CODE:
      return joined(prefix, link, 0, endOf(pathAndQuery, link, at));
    case QUERY_CODE:
      return joined(`${prefix + link.slice(0, at)}/`, link, at, endOf(queryAlone, link, at));
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

function joined(prefix: string, link: string, from: number, end: number): string {
  if (end < 0) return "";
  return prefix + (from === 0 && end === link.length ? link : link.slice(from, end));
}
