import { renameSync } from "node:fs";
import { dirname } from "node:path";
import type { SchemaElement } from "hyparquet-writer";
import { removeIfThere, syncFolder } from "../files/system-calls.ts";
import type { PageLine } from "../lists/page-line.ts";
import { PAGE_COLUMNS, type PageColumn, pageCell, pageRows } from "./page-rows.ts";
import { addColumnOrders } from "./parquet-footer.ts";

const ROWS_PER_GROUP = 10_000;

type Type = Omit<SchemaElement, "name" | "repetition_type">;
/** What a column holds: its type, and how a value is given to the writer. */
interface Kind {
  readonly type: Type;
  readonly encode: (cell: string | number) => unknown;
}

const UTF8 = new TextEncoder();

const TEXT: Kind = {
  type: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  // As bytes, because that is how Parquet orders texts; JavaScript orders strings otherwise. No Buffer: the writer
  // changes what its `slice` returns.
  encode: (cell) => UTF8.encode(String(cell)),
};
const TIME: Kind = {
  type: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
  // Not as a Date, of which the writer knows no smallest and largest.
  encode: (cell) => BigInt(Date.parse(String(cell))),
};
const SMALL: Kind = { type: { type: "INT32" }, encode: (cell) => cell };
const LARGE: Kind = { type: { type: "INT64" }, encode: (cell) => BigInt(cell) };
const FRACTION: Kind = { type: { type: "DOUBLE" }, encode: (cell) => cell };

/** The columns that are not texts. */
const KINDS: Partial<Record<PageColumn, Kind>> = {
  time: TIME,
  status: SMALL,
  depth: SMALL,
  links: SMALL,
  linksAll: SMALL,
  words: SMALL,
  bytes: LARGE,
  decodedBytes: LARGE,
  offset: LARGE,
  length: LARGE,
  cash: LARGE,
  priority: FRACTION,
};

// Everything but the URL may be missing: a line may have been written from a damaged record.
const SCHEMA: SchemaElement[] = [
  { name: "root", num_children: PAGE_COLUMNS.length },
  ...PAGE_COLUMNS.map(
    (name): SchemaElement => ({
      name,
      repetition_type: name === "url" ? "REQUIRED" : "OPTIONAL",
      ...(KINDS[name] ?? TEXT).type,
    }),
  ),
];

function valuesOf(rows: readonly PageLine[], column: PageColumn): unknown[] {
  const { encode } = KINDS[column] ?? TEXT;
  return rows.map((page) => {
    const cell = pageCell(page, column);
    return cell === null ? null : encode(cell);
  });
}

/** Writes the pages of a crawl as Parquet, a group of rows at a time; answers how many. */
export async function exportParquet(pages: string, out: string): Promise<number> {
  // Loaded here: no other command pays for it.
  const { fileWriter, ParquetWriter } = await import("hyparquet-writer");
  const temporary = `${out}.tmp`;
  removeIfThere(temporary);
  let rows: PageLine[] = [];
  let count = 0;
  const writer = new ParquetWriter({ writer: fileWriter(temporary), schema: SCHEMA });
  const flush = async () => {
    const columnData = PAGE_COLUMNS.map((name) => ({ name, data: valuesOf(rows, name) }));
    await writer.write({ columnData, rowGroupSize: ROWS_PER_GROUP });
    count += rows.length;
    rows = [];
  };
  for (const page of pageRows(pages)) {
    rows.push(page);
    if (rows.length === ROWS_PER_GROUP) await flush();
  }
  if (rows.length > 0) await flush();
  await writer.finish();
  addColumnOrders(temporary, PAGE_COLUMNS.length);
  renameSync(temporary, out);
  syncFolder(dirname(out));
  return count;
}
