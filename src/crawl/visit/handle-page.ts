import type { HandledPage } from "../../config/page-handler.ts";
import { decodeBody } from "../../fetch/coding/decode.ts";
import type { ResponseHead } from "../../fetch/response-head.ts";
import type { Lease } from "../../frontier/frontier.ts";
import { decodeText } from "../../parse/charset/charset.ts";
import type { ParsedPage } from "../../parse/page.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import type { LoadedHandler } from "./load-handler.ts";
import { codingOf, type ReadPage, type ReadRules } from "./read-page.ts";

/** What a page was read from: the response, or the record of an earlier crawl. */
export interface PageSource {
  readonly head: ResponseHead;
  readonly body: Buffer;
}

/** Lets the user's handler see a page between reading and following, and takes over what it answers. */
export async function handlePage(
  handler: NonNullable<LoadedHandler["page"]>,
  lease: Lease,
  source: PageSource,
  page: ReadPage,
  rules: ReadRules,
): Promise<ReadPage> {
  const { links, data } = await handler(new PageView(lease, source, page, rules));
  const kept: ReadPage = data === undefined ? page : { ...page, data };
  if (links === undefined) return kept;
  const found = new Set<CrawlUrl>();
  for (const link of links.slice(0, rules.parse.maxLinks)) {
    const url = canonicalize(link, lease.url);
    if (url !== undefined) found.add(url);
  }
  return page.parsed === undefined
    ? { ...kept, headerLinks: [...found] }
    : { ...kept, parsed: withLinks(page.parsed, [...found]), headerLinks: [] };
}

/** The same page with other links. */
function withLinks(parsed: ParsedPage, links: readonly CrawlUrl[]): ParsedPage {
  return { ...parsed, links, linkCount: links.length, packed: undefined };
}

/** A page as its handler sees it. */
class PageView implements HandledPage {
  readonly url: string;
  readonly depth: number;
  readonly status: number;
  readonly mime: string;
  readonly title: string;
  readonly links: readonly string[];
  readonly #source: PageSource;
  readonly #charset: string;
  readonly #rules: ReadRules;

  constructor(lease: Lease, source: PageSource, page: ReadPage, rules: ReadRules) {
    this.url = lease.url;
    this.depth = lease.depth;
    this.status = source.head.status;
    this.mime = page.mime;
    this.title = page.parsed?.title ?? "";
    this.links = [...new Set([...(page.parsed?.links ?? []), ...page.headerLinks])];
    this.#source = source;
    this.#charset = page.parsed?.charset ?? "utf-8";
    this.#rules = rules;
  }

  header(name: string): string | undefined {
    return this.#source.head.get(name.toLowerCase());
  }

  async body(): Promise<Buffer> {
    const { head, body } = this.#source;
    const { maxBodyBytes: maxBytes, maxRatio } = this.#rules;
    const { bytes } = await decodeBody(body, codingOf(head), { maxBytes, maxRatio });
    // The memory of the response is used again as soon as this page is stored.
    return bytes === body ? Buffer.from(bytes) : bytes;
  }

  async text(): Promise<string> {
    return decodeText(await this.body(), this.#charset);
  }
}
