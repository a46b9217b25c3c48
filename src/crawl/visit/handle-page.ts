import type { Unanswered } from "../../fetch/outcome.ts";
import type { Lease } from "../../frontier/frontier.ts";
import { packRows } from "../../store/rows/row-part.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { type ContextRules, type Enqueued, HandlerContext } from "./handler-context.ts";
import type { CheckedAnswer } from "./load-handler.ts";
import { type PageSource, PageView } from "./page-view.ts";
import { codingOf, type ReadPage, type ReadRules } from "./read-page.ts";

/** A page after its handler, or why it cannot be one now. */
export type Handled = ReadPage | Unanswered;

/** The context that a handler gets for a page that was read. */
export function contextOf(
  lease: Lease,
  source: PageSource,
  page: ReadPage,
  reading: ReadRules,
  rules: ContextRules,
): HandlerContext {
  const found = {
    url: lease.url,
    mime: page.mime,
    title: page.parsed?.title ?? "",
    charset: page.parsed?.charset ?? "utf-8",
    codings: codingOf(source.head),
    links: () => linksOf(page),
  };
  const caps = { maxBytes: reading.maxBodyBytes, maxRatio: reading.maxRatio };
  return new HandlerContext(lease, new PageView(source, found, caps, page.decoded), rules);
}

function linksOf({ parsed, headerLinks }: ReadPage): readonly string[] {
  return [...new Set([...(parsed?.links ?? []), ...headerLinks])];
}

/** Takes over what a handler has left in its context and in its answer. */
export function afterHandler(
  lease: Pick<Lease, "url">,
  page: ReadPage,
  context: Pick<HandlerContext, "enqueued" | "rows" | "skipped">,
  answer: CheckedAnswer,
): ReadPage {
  const { rows, skipped } = context;
  const enqueued = enqueuedOf(context.enqueued, answer.links);
  const isUnchanged = rows === undefined && skipped === undefined && enqueued === undefined;
  if (isUnchanged && answer.data === undefined) return page;
  const handled = {
    ...page,
    data: answer.data,
    rows: rows === undefined ? undefined : packRows(rows),
    refusal: skipped,
  };
  if (enqueued === undefined)
    return skipped === undefined ? handled : { ...handled, ...withLinks(page, []) };
  const notes = new Map<CrawlUrl, string>();
  const links = new Set<CrawlUrl>();
  for (const { url: text, note } of enqueued) {
    const url = canonicalize(text, lease.url);
    if (url === undefined || links.has(url)) continue;
    links.add(url);
    if (note !== undefined) notes.set(url, note);
  }
  return { ...handled, ...withLinks(page, [...links]), notes };
}

function enqueuedOf(
  enqueued: readonly Enqueued[] | undefined,
  links: readonly string[] | undefined,
): readonly Enqueued[] | undefined {
  if (links === undefined) return enqueued;
  return [...(enqueued ?? []), ...links.map((url) => ({ url, note: undefined }))];
}

function withLinks(
  { parsed }: ReadPage,
  links: readonly CrawlUrl[],
): Pick<ReadPage, "parsed" | "headerLinks"> {
  return parsed === undefined
    ? { parsed, headerLinks: links }
    : { parsed: { ...parsed, links, linkCount: links.length, packed: undefined }, headerLinks: [] };
}
