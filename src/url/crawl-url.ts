import { resolveFast } from "./fast-path.ts";

/** An absolute http(s) URL in canonical form: printable ASCII, no fragment, no credentials, no default port. */
export type CrawlUrl = string & { readonly __brand: "CrawlUrl" };

/** Longer URLs are refused: they are almost always traps, and buffers rely on the limit. */
export const MAX_URL_LENGTH = 2083;

/** Why a link does not become a CrawlUrl. */
export type LinkRefusal = "bad_url" | "blocked_scheme" | "url_too_long";

/** Resolves a link as a browser does and gives its canonical form, or undefined when we do not follow it. */
export function canonicalize(link: string, base?: CrawlUrl): CrawlUrl | undefined {
  // "" means "not simple": the fast path never guesses, and equals the slow path wherever it answers.
  const fast = resolveFast(link, base);
  if (fast === "") return canonicalizeSlowly(link, base);
  if (fast === undefined || fast.length > MAX_URL_LENGTH) return undefined;
  return fast as CrawlUrl;
}

/** The definition of `canonicalize`: Node's URL parser and nothing clever; tests compare the two. */
export function canonicalizeSlowly(link: string, base?: CrawlUrl): CrawlUrl | undefined {
  const url = parse(link, base);
  if (url === undefined || !isWeb(url)) return undefined;
  const href = withoutDots(withoutSecrets(url));
  return href.length > MAX_URL_LENGTH ? undefined : (href as CrawlUrl);
}

/** Why `canonicalize` returns undefined for this link; undefined when it does not. */
export function refusalOf(link: string, base?: CrawlUrl): LinkRefusal | undefined {
  const url = parse(link, base);
  if (url === undefined) return namesOtherScheme(link) ? "blocked_scheme" : "bad_url";
  if (!isWeb(url)) return "blocked_scheme";
  return withoutSecrets(url).length > MAX_URL_LENGTH ? "url_too_long" : undefined;
}

function parse(link: string, base: CrawlUrl | undefined): URL | undefined {
  try {
    return new URL(link, base);
  } catch {
    return undefined; // a link that cannot be parsed is an ordinary outcome
  }
}

function isWeb(url: URL): boolean {
  return url.protocol === "http:" || url.protocol === "https:";
}

/** Credentials must reach neither request nor log nor archive; a fragment never leaves the browser. */
function withoutSecrets(url: URL): string {
  if (url.username !== "") url.username = "";
  if (url.password !== "") url.password = "";
  const href = url.href;
  const hash = href.indexOf("#"); // everywhere else "#" is percent-encoded
  return hash < 0 ? href : href.slice(0, hash);
}

const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;
const ONE_DOT = /^(?:\.|%2e)$/i;
const TWO_DOTS = /^(?:\.|%2e){2}$/i;

/**
 * Node 20's parser leaves dot segments after some names that begin with a dot (http://h//.a/../x), unless another
 * character needs escaping. They are resolved here, so that one page has one URL.
 */
function withoutDots(href: string): string {
  if (!DOT_SEGMENT.test(href)) return href;
  const query = href.indexOf("?");
  const end = query < 0 ? href.length : query;
  const start = href.indexOf("/", href.indexOf("//") + 2);
  const kept: string[] = [];
  const segments = href.slice(start + 1, end).split("/");
  for (const [at, segment] of segments.entries()) {
    const up = TWO_DOTS.test(segment);
    if (up) kept.pop();
    else if (!ONE_DOT.test(segment)) kept.push(segment);
    if ((up || ONE_DOT.test(segment)) && at === segments.length - 1) kept.push("");
  }
  return `${href.slice(0, start + 1)}${kept.join("/")}${href.slice(end)}`;
}

/** True for `ftp://[bad`: it cannot be parsed, but its scheme is not ours. */
function namesOtherScheme(link: string): boolean {
  const scheme = /^[\0-\x20]*([a-z][a-z0-9+.-]*):/i.exec(link)?.[1]?.toLowerCase();
  return scheme !== undefined && scheme !== "http" && scheme !== "https";
}
