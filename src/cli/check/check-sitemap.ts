import { readWholeList } from "../../crawl/visit/list-reader.ts";
import type { Sitemap } from "../../parse/lists/sitemap-reader.ts";
import type { Check } from "./answer.ts";
import { readCheckInput } from "./check-input.ts";

const EXAMPLE = "orbweaver check sitemap https://example.org/sitemap.xml --file sitemap.xml";

const KINDS: Readonly<Record<Sitemap["kind"], string>> = {
  urlset: "sitemap",
  index: "index of sitemaps",
  text: "sitemap in plain text",
  rss: "RSS feed",
  atom: "Atom feed",
  unknown: "neither sitemap nor feed",
};

const ERRORS: Readonly<Record<NonNullable<Sitemap["error"]>, string>> = {
  sitemap_dtd: "it has a DTD, which could define entities, so it is not read",
  sitemap_too_large: "it is too large; only its beginning was read",
  sitemap_too_many_urls: "it lists more URLs than the protocol allows; the rest was left out",
  sitemap_bad_gzip: "its compression is damaged; only its beginning was read",
  sitemap_unknown: "it is not in a form that lists URLs",
};

/** `orbweaver check sitemap URL`: what a sitemap or feed lists. */
export const check: Check = {
  async *answers(words, args, io) {
    const { url, body, contentType } = await readCheckInput(words, args, io, EXAMPLE);
    const sitemap = await readWholeList(url, body, contentType);
    const { kind, urls, sitemaps, notes, home, error, dropped, refused } = sitemap;
    const pages = urls.map((page) => ({ url: page, ...notes.get(page) }));
    yield {
      json: { url, kind, home: home ?? null, pages, sitemaps, error, dropped, refused },
      rows: [
        ["URL", url],
        ["kind", KINDS[kind]],
        ["problem", error === undefined ? undefined : `${error}: ${ERRORS[error]}`],
        ["page of the feed", home],
        ["pages", urls.length],
        ["sitemaps", sitemaps.length],
        ["beyond the limit", dropped === 0 ? undefined : dropped],
        ["not usable", refused === 0 ? undefined : refused],
        ...sitemaps.map((link) => ["sitemap", link] as const),
        ...urls.map((page) => ["page", described(page, notes.get(page)?.lastmodMs)] as const),
      ],
    };
  },
  /** `{body_b64, url}` gives `{urls, sitemaps, error?}`. */
  batch: () => async (question) => {
    const body = question.neededBytes("body_b64");
    const { urls, sitemaps, error } = await readWholeList(question.pageUrl(), body);
    return { urls, sitemaps, ...(error !== undefined && { error }) };
  },
};

function described(page: string, lastmodMs: number | undefined): string {
  if (lastmodMs === undefined) return page;
  return `${page} (changed ${new Date(lastmodMs).toISOString().slice(0, 10)})`;
}
