import { mimeOf } from "../fetch/fetcher.ts";
import type { Capture } from "../fetch/outcome.ts";
import { decodeBody } from "../fetch/wire/decode.ts";
import { readSitemap } from "../parse/sitemap.ts";
import { SITEMAP_MAX_BYTES } from "../parse/sitemap-reader.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import type { ReadPage } from "./read-page.ts";

const MAX_RATIO = 200;

/** Reads a sitemap or a feed: no page, but a list of pages and further lists. */
export async function readList(url: CrawlUrl, capture: Capture): Promise<ReadPage> {
  const { head, body } = capture;
  const decoded = await decodeBody(body, head.all("content-encoding").join(", "), {
    maxBytes: SITEMAP_MAX_BYTES,
    maxRatio: MAX_RATIO,
  });
  const contentType = head.get("content-type");
  const listed = await readSitemap(
    decoded.bytes,
    url,
    contentType === undefined ? {} : { contentType },
  );
  return {
    isPage: false,
    mime: mimeOf(head),
    parsed: undefined,
    headerLinks: [],
    robots: { noindex: false, nofollow: false },
    listed,
    flag: listed.error ?? capture.flag ?? decoded.flag,
    truncated: capture.truncated ?? decoded.truncated,
  };
}
