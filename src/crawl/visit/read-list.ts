import { mimeOf } from "../../fetch/fetcher.ts";
import type { Response } from "../../fetch/transport.ts";
import type { ListReader } from "./list-reader.ts";
import type { ReadPage } from "./read-page.ts";

/** What a sitemap or a feed came to: no page, but a list of pages and further lists. It was read while it arrived. */
export async function readList(reader: ListReader, response: Response): Promise<ReadPage> {
  const { listed, flag } = await reader.finish();
  return {
    isPage: false,
    mime: mimeOf(response.head),
    parsed: undefined,
    headerLinks: [],
    robots: { noindex: false, nofollow: false },
    listed,
    flag: listed.error ?? response.flag ?? flag,
    truncated: response.truncated,
  };
}
