import { mimeOf } from "../fetch/fetcher.ts";
import type { Capture } from "../fetch/outcome.ts";
import { decodeBody } from "../fetch/wire/decode.ts";
import { readSitemap } from "../parse/sitemap.ts";
import { SITEMAP_MAX_BYTES } from "../parse/sitemap-reader.ts";
import { giveBackMemory } from "../sync/give-back-memory.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import type { ReadPage } from "./read-page.ts";

const MAX_RATIO = 200;
/** After a list like this there is enough garbage to be worth collecting. */
const LARGE_LIST_BYTES = 4 * 1024 * 1024;

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
  if (decoded.bytes.length >= LARGE_LIST_BYTES) giveBackMemory();
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
