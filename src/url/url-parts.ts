import type { CrawlUrl } from "./crawl-url.ts";
/** Stand-in. */
export interface UrlParts {
  secure: boolean;
  hostname: string;
  port: number;
  target: string;
}
/** Stand-in. */
export function partsOf(text: CrawlUrl): UrlParts {
  const url = new URL(text);
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  return { secure, hostname: url.hostname, port, target: url.pathname + url.search };
}
/** Stand-in. */
export function hostnameOf(text: CrawlUrl): string {
  return new URL(text).hostname;
}
