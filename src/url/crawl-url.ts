/** An absolute http or https URL in canonical form; only `canonicalize` makes one. */
export type CrawlUrl = string & { readonly __brand: "CrawlUrl" };

/** Stand-in: resolves a link, drops fragment and credentials, refuses everything but http and https. */
export function canonicalize(link: string, base?: CrawlUrl): CrawlUrl | undefined {
  if (!URL.canParse(link, base)) return undefined;
  const url = new URL(link, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  url.hash = "";
  url.username = "";
  url.password = "";
  return url.href as CrawlUrl;
}
