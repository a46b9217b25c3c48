import type { AppendFile } from "../files/append-file.ts";
import { readLines } from "../files/read-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { safeText } from "../files/safe-text.ts";
import { writeLines } from "../files/write-lines.ts";
import { graphPaths } from "../folder/graph-facts.ts";
import { EDGE_WORDS, readEdges } from "../graph/edge-file.ts";
import { idText } from "../graph/link-log.ts";
import { PAGE_COLUMNS, pageCell, pageRows } from "./page-rows.ts";
import { type Cell, cellsOf, columnsOf } from "./row-table.ts";

const EDGES_AT_ONCE = 16 * 1024;
// A spreadsheet takes a cell that begins like this for a formula and runs it (HOSTILE S6).
const FORMULA = /^[\s\u200b\ufeff]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const NEEDS_QUOTES = /[",;\r\n]/;

/** One cell: text without line ends and control characters, never a formula, quoted where needed. */
export function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const text = FORMULA.test(value) ? `'${safeText(value)}` : safeText(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Writes a table; answers its rows. */
function writeCsv(
  out: string,
  columns: readonly string[],
  rows: Iterable<readonly Cell[]>,
): number {
  const lines = function* () {
    yield columns.map(csvCell).join(",");
    for (const row of rows) yield row.map(csvCell).join(",");
  };
  // RFC 4180 ends lines with CR LF.
  const write = (file: AppendFile) => writeLines(file, lines(), { encoding: "utf8", end: "\r\n" });
  return replaceFile(out, write) - 1;
}

/** Writes the pages of a crawl as CSV; answers how many. */
export function exportCsv(pages: string, out: string): number {
  const rows = function* () {
    for (const page of pageRows(pages)) yield PAGE_COLUMNS.map((column) => pageCell(page, column));
  };
  return writeCsv(out, PAGE_COLUMNS, rows());
}

/** Writes what handlers pushed under one name as CSV, a column per field; answers how many rows. */
export function exportRowsCsv(path: string, out: string): number {
  const columns = columnsOf(path);
  const names = columns.map(({ name }) => name);
  return writeCsv(out, names, cellsOf(path, columns));
}

/** Writes the link graph as two tables: id and URL of every node, source and target id of every edge. */
export function exportGraph(
  dir: string,
  nodesOut: string,
  edgesOut: string,
): { nodes: number; edges: number } {
  const paths = graphPaths(dir);
  const nodes = writeCsv(nodesOut, ["id", "url"], nodeRows(paths.nodes));
  const edges = writeCsv(edgesOut, ["source", "target"], edgeRows(paths.out));
  return { nodes, edges };
}

function* nodeRows(path: string): Generator<string[], void> {
  for (const line of readLines(path)) yield [line.slice(0, 16), line.slice(17)];
}

function* edgeRows(path: string): Generator<string[], void> {
  for (const edges of readEdges(path, EDGES_AT_ONCE))
    for (let at = 0; at < edges.length; at += EDGE_WORDS)
      yield [idText(edges[at]!, edges[at + 1]!), idText(edges[at + 2]!, edges[at + 3]!)];
}
