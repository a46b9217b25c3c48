import { renameSync } from "node:fs";
import { dirname } from "node:path";
import type { SchemaElement } from "hyparquet-writer";
import { removeIfThere, syncFolder } from "../files/system-calls.ts";
import { PAGE_COLUMNS, type PageColumn, pageCell, pageRows } from "./page-rows.ts";
import { addColumnOrders } from "./parquet-footer.ts";
import { type Cell, type ColumnKind, cellsOf, columnsOf, type RowColumn } from "./row-table.ts";

const ROWS_PER_GROUP = 10_000;

type Type = Omit<SchemaElement, "name" | "repetition_type">;
/** What a column holds: its type, and how a value is given to the writer. */
interface Kind {
  readonly type: Type;
  readonly encode: (cell: string | number | boolean) => unknown;
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
  unchangedSince: TIME,
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

/** A column of a file. */
interface Column {
  readonly name: string;
  readonly kind: Kind;
  readonly isRequired?: boolean;
}

// Everything but the URL may be missing: a line may have been written from a damaged record.
const PAGES: readonly Column[] = PAGE_COLUMNS.map((name) => ({
  name,
  kind: KINDS[name] ?? TEXT,
  isRequired: name === "url",
}));

const BOOLEAN: Kind = { type: { type: "BOOLEAN" }, encode: (cell) => cell };
const JSON_TEXT: Kind = {
  type: { type: "BYTE_ARRAY", converted_type: "JSON", logical_type: { type: "JSON" } },
  encode: TEXT.encode,
};
const ROW_KINDS: Readonly<Record<ColumnKind, Kind>> = {
  boolean: BOOLEAN,
  integer: LARGE,
  number: FRACTION,
  text: TEXT,
  json: JSON_TEXT,
};

/** Writes the pages of a crawl as Parquet, a group of rows at a time; answers how many. */
export function exportParquet(pages: string, out: string): Promise<number> {
  const rows = function* () {
    for (const page of pageRows(pages)) yield PAGE_COLUMNS.map((column) => pageCell(page, column));
  };
  return writeParquet(out, PAGES, rows());
}

/** The same for what handlers pushed under one name, a column per field. */
export function exportRowsParquet(path: string, out: string): Promise<number> {
  const columns = columnsOf(path);
  return exportTable(out, columns, cellsOf(path, columns));
}

/** Writes a table with these columns as Parquet; answers its rows. */
export function exportTable(
  out: string,
  columns: readonly RowColumn[],
  cells: Iterable<readonly Cell[]>,
): Promise<number> {
  const kinds = columns.map(({ name, kind }) => ({ name, kind: ROW_KINDS[kind] }));
  return writeParquet(out, kinds, cells);
}

async function writeParquet(
  out: string,
  columns: readonly Column[],
  cells: Iterable<readonly Cell[]>,
): Promise<number> {
  // Loaded here: no other command pays for it.
  const { fileWriter, ParquetWriter } = await import("hyparquet-writer");
  const temporary = `${out}.tmp`;
  removeIfThere(temporary);
  let rows: (readonly Cell[])[] = [];
  let count = 0;
  const writer = new ParquetWriter({ writer: fileWriter(temporary), schema: schemaOf(columns) });
  const flush = async () => {
    const columnData = columns.map(({ name, kind }, i) => ({
      name,
      data: rows.map((row) => (row[i] === null ? null : kind.encode(row[i]!))),
    }));
    await writer.write({ columnData, rowGroupSize: ROWS_PER_GROUP });
    count += rows.length;
    rows = [];
  };
  for (const row of cells) {
    rows.push(row);
    if (rows.length === ROWS_PER_GROUP) await flush();
  }
  if (rows.length > 0) await flush();
  await writer.finish();
  addColumnOrders(temporary, columns.length);
  renameSync(temporary, out);
  syncFolder(dirname(out));
  return count;
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [
    { name: "root", num_children: columns.length },
    ...columns.map(
      ({ name, kind, isRequired }): SchemaElement => ({
        name,
        repetition_type: isRequired === true ? "REQUIRED" : "OPTIONAL",
        ...kind.type,
      }),
    ),
  ];
}
