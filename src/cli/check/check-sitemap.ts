import { readWholeList } from "../../crawl/visit/list-reader.ts";
import { EXIT } from "../../errors.ts";
import type { Sitemap } from "../../parse/lists/sitemap-reader.ts";
import type { Arguments } from "../arguments.ts";
import type { Io } from "../io.ts";
import { printJson, printRows } from "./answer.ts";
import { BadLine, type Question, runBatch } from "./check-batch.ts";
import { readCheckInput } from "./check-input.ts";
import { pageUrl } from "./check-page-url.ts";

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
export async function checkSitemap(
  words: readonly string[],
  args: Arguments,
  io: Io,
): Promise<number> {
  if (args.options.get("batch") === true) return runBatch(io, answerSitemap);
  const { url, body, contentType } = await readCheckInput(words, args, io, EXAMPLE);
  const sitemap = await readWholeList(url, body, contentType);
  const { kind, urls, sitemaps, notes, home, error, dropped, refused } = sitemap;
  if (args.options.get("json") === true) {
    const pages = urls.map((page) => ({ url: page, ...notes.get(page) }));
    printJson(io, { url, kind, home: home ?? null, pages, sitemaps, error, dropped, refused });
    return EXIT.finished;
  }
  printRows(io, [
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
  ]);
  return EXIT.finished;
}

function described(page: string, lastmodMs: number | undefined): string {
  if (lastmodMs === undefined) return page;
  return `${page} (changed ${new Date(lastmodMs).toISOString().slice(0, 10)})`;
}

/** `{body_b64, url}` gives `{urls, sitemaps, error?}`. */
async function answerSitemap(question: Question): Promise<object> {
  const body = question.bytes("body_b64");
  if (body === undefined) throw new BadLine('"body_b64" is missing');
  const { urls, sitemaps, error } = await readWholeList(pageUrl(question), body);
  return { urls, sitemaps, ...(error !== undefined && { error }) };
}
