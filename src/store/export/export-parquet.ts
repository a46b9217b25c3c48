import { renameSync } from "node:fs";
import { dirname } from "node:path";
import type { BasicType } from "hyparquet-writer";
import { removeIfThere, syncFolder } from "../files/system-calls.ts";
import type { PageLine } from "../lists/page-line.ts";
import { PAGE_COLUMNS, pageRows } from "./page-rows.ts";

const ROWS_PER_GROUP = 10_000;
/** Types of the columns that are not texts. */
const TYPES: Partial<Record<keyof PageLine, BasicType>> = {
  time: "TIMESTAMP",
  status: "INT32",
  depth: "INT32",
  links: "INT32",
  words: "INT32",
  bytes: "INT64",
  offset: "INT64",
  length: "INT64",
};

function cellOf(page: PageLine, column: keyof PageLine): unknown {
  const value = page[column];
  if (TYPES[column] === "TIMESTAMP") return new Date(value as string);
  return TYPES[column] === "INT64" ? BigInt(value as number) : value;
}

/** Writes the pages of a crawl as Parquet, a group of rows at a time; answers how many. */
export async function exportParquet(pages: string, out: string): Promise<number> {
  // Loaded here: no other command pays for it.
  const { fileWriter, ParquetWriter, schemaFromColumnData } = await import("hyparquet-writer");
  const temporary = `${out}.tmp`;
  removeIfThere(temporary);
  let rows: PageLine[] = [];
  let count = 0;
  const columns = () =>
    PAGE_COLUMNS.map((name) => ({
      name,
      data: rows.map((page) => cellOf(page, name)),
      type: TYPES[name] ?? "STRING",
      nullable: name === "parent",
    }));
  const schema = schemaFromColumnData({ columnData: columns() });
  const writer = new ParquetWriter({ writer: fileWriter(temporary), schema });
  const flush = async () => {
    await writer.write({ columnData: columns(), rowGroupSize: ROWS_PER_GROUP });
    count += rows.length;
    rows = [];
  };
  for (const page of pageRows(pages)) {
    rows.push(page);
    if (rows.length === ROWS_PER_GROUP) await flush();
  }
  if (rows.length > 0) await flush();
  await writer.finish();
  renameSync(temporary, out);
  syncFolder(dirname(out));
  return count;
}
