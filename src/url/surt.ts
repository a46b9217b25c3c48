import type { CrawlUrl } from "./crawl-url.ts";
/** Stand-in. */
export function surtKey(text: CrawlUrl): string {
  const url = new URL(text);
  return `${url.hostname.split(".").reverse().join(",")})${url.pathname}${url.search}`;
}
