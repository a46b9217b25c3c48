/** Stand-in. */
export type CrawlUrl = string & { readonly __brand: "CrawlUrl" };
/** Stand-in. */
export type LinkRefusal = "bad_url" | "blocked_scheme" | "url_too_long";
/** Stand-in. */
export function canonicalize(link: string, base?: CrawlUrl): CrawlUrl | undefined {
  if (refusalOf(link, base) !== undefined) return undefined;
  const url = new URL(link, base);
  url.hash = "";
  url.username = "";
  url.password = "";
  return url.href as CrawlUrl;
}
/** Stand-in. */
export function refusalOf(link: string, base?: CrawlUrl): LinkRefusal | undefined {
  if (!URL.canParse(link, base)) return "bad_url";
  const url = new URL(link, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") return "blocked_scheme";
  return url.href.length > 2083 ? "url_too_long" : undefined;
}
