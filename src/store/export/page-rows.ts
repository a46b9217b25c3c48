import { StoreCorruptError } from "../../errors.ts";
import { linesAt } from "../files/read-file.ts";
import type { PageLine } from "../lists/page-line.ts";

/** Columns of the tables that pages are exported to, in their order: every field of a page line but `ts`, which is `time`. */
export const PAGE_COLUMNS = [
  "url",
  "title",
  "status",
  "mime",
  "depth",
  "parent",
  "links",
  "linksAll",
  "words",
  "charset",
  "language",
  "bytes",
  "decodedBytes",
  "digest",
  "time",
  "file",
  "offset",
  "length",
  "robots",
  "unchangedSince",
  "signals",
  "cash",
  "priority",
  "id",
  "data",
] as const satisfies readonly (keyof PageLine)[];

/** A column of these tables. */
export type PageColumn = (typeof PAGE_COLUMNS)[number];

// A field that is added to page lines must become a column.
type Dropped = Exclude<keyof PageLine, PageColumn | "ts">;
const _none: Dropped extends never ? true : never = true;

/** What a page has in a column; null for nothing. What a handler kept is JSON text. */
export function pageCell(page: PageLine, column: PageColumn): string | number | null {
  const value = column === "data" || column === "signals" ? jsonOf(page[column]) : page[column];
  return value ?? null;
}

function jsonOf(data: unknown): string | undefined {
  return data === undefined ? undefined : JSON.stringify(data);
}

/** Iterates the pages of a page list. */
export function* pageRows(path: string): Generator<PageLine, void> {
  for (const [offset, line] of linesAt(path)) {
    let row: Partial<PageLine>;
    try {
      row = JSON.parse(Buffer.from(line, "latin1").toString("utf8")) as Partial<PageLine>;
    } catch (cause) {
      throw new StoreCorruptError(
        `${path}:${offset}: not a line of JSON; orbweaver recover repairs it`,
        cause,
      );
    }
    // The first line is about the list.
    if (row.url !== undefined) yield row as PageLine;
  }
}
