import { StoreCorruptError } from "../../errors.ts";
import { linesAt } from "../files/read-file.ts";
import type { PageLine } from "../lists/page-line.ts";

/** Columns of the tables that pages are exported to, in their order. */
export const PAGE_COLUMNS = [
  "url",
  "title",
  "status",
  "mime",
  "depth",
  "parent",
  "links",
  "words",
  "bytes",
  "digest",
  "time",
  "file",
  "offset",
  "length",
] as const satisfies readonly (keyof PageLine)[];

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
