import { UNIT } from "../frontier/opic/cash-book.ts";
import type { Archived, Capture } from "./capture.ts";
import { safeUri } from "./safe-text.ts";
import { warcDate } from "./warc-record.ts";

/** First line of pages.jsonl: WACZ readers refuse the file without it. Page lines have a `url`. */
export const PAGES_HEADER = { format: "json-pages-1.0", id: "pages", title: "All Pages" } as const;

/** One page as pages/pages.jsonl lists it; id, url, ts and title are what WACZ readers look for. */
export interface PageLine {
  /** UUID of the response record in the archive. */
  id: string;
  url: string;
  ts: string;
  title: string;
  /** First discoverer; null for seeds. */
  parent: string | null;
  depth: number;
  links: number;
  status: number;
  mime: string;
  words: number;
  /** What the page asks crawlers for, where it does: "noindex", "nofollow". */
  robots?: string;
  /** Length of the body as stored: transfer coding removed, content coding kept. */
  bytes: number;
  /** sha256 of those bytes; "" when no store keeps them. */
  digest: string;
  /** Same instant as ts. */
  time: string;
  file: string;
  offset: number;
  length: number;
  /** Only with --order opic: the cash it was fetched with, and that as a part of what a seed begins with. */
  cash?: number;
  priority?: number;
}

/** The line of pages.jsonl for a page that the archive holds. */
export function pageLine(
  capture: Pick<
    Capture,
    "url" | "date" | "status" | "mime" | "bytes" | "depth" | "parent" | "page" | "outlinks" | "cash"
  > & {
    readonly body: { readonly length: number };
  },
  archived: Archived,
): PageLine {
  const { page, parent } = capture;
  const time = warcDate(capture.date);
  return {
    id: archived.recordId,
    url: safeUri(capture.url),
    ts: time,
    title: page?.title ?? "",
    parent: parent === undefined ? null : safeUri(parent),
    depth: capture.depth,
    links: page?.links ?? capture.outlinks.length,
    status: capture.status,
    mime: capture.mime,
    words: page?.words ?? 0,
    ...(page?.robots ? { robots: page.robots } : {}),
    bytes: capture.bytes ?? capture.body.length,
    digest: archived.payloadSha256,
    time,
    file: archived.location.file,
    offset: archived.location.offset,
    length: archived.location.length,
    ...(capture.cash === undefined ? {} : priorityOf(capture.cash)),
  };
}

function priorityOf(cash: number): Pick<PageLine, "cash" | "priority"> {
  return { cash, priority: cash / UNIT };
}
