import { ResponseHead } from "../../fetch/response-head.ts";
import type { RequestHeaders, Response } from "../../fetch/transport.ts";
import type { EarlierCrawl } from "../../store/warc/earlier-crawl.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { type ReadPage, type ReadRules, readPage } from "./read-page.ts";

const SENDABLE = /^[\x20-\x7e]{1,512}$/;

/** The headers that ask a server for a page only if it is not what the earlier crawl has. */
export function validatorsOf(earlier: EarlierCrawl, url: CrawlUrl): RequestHeaders | undefined {
  const found = earlierResponse(earlier, url);
  const etag = found?.head.get("etag") ?? "";
  const modified = found?.head.get("last-modified") ?? "";
  const headers: [string, string][] = [];
  if (SENDABLE.test(etag)) headers.push(["If-None-Match", etag]);
  if (SENDABLE.test(modified)) headers.push(["If-Modified-Since", modified]);
  return headers.length === 0 ? undefined : headers;
}

/** The page as the earlier crawl got it; undefined when it cannot be found any more. */
export function earlierResponse(earlier: EarlierCrawl, url: CrawlUrl) {
  const found = earlier.find(url);
  const head = ResponseHead.parse(found?.head ?? "");
  if (found === undefined || head === undefined) return undefined;
  const { recordId, uri, date, payloadDigest, body } = found;
  return { head, body, unchanged: { recordId, uri, date, payloadDigest } };
}

/**
 * Reads the page that a 304 answer means from the earlier crawl, because its links lead on as they did then. When it
 * cannot be found any more the answer is what it looks like: a status without a page.
 */
export async function readUnchanged(
  url: CrawlUrl,
  response: Response,
  earlier: EarlierCrawl,
  rules: ReadRules,
): Promise<ReadPage> {
  const found = earlierResponse(earlier, url);
  if (found === undefined) return readPage(url, "link", response, rules);
  const { head, body, unchanged } = found;
  const page = await readPage(url, "link", { ...response, head, body }, rules);
  return { ...page, isPage: false, unchanged, flag: undefined, truncated: undefined };
}
