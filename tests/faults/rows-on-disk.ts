import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rowParts } from "../../src/store/rows/row-part.ts";
import { root } from "../support/conformance.ts";

/** The module of `rows-handler.ts`, for `--handler`. */
export const ROWS_HANDLER = join(root, "build/tests/faults/rows-handler.js");

/** Names and numbers of the rows that the handler pushes for each page. */
const EXPECTED: Readonly<Record<string, readonly number[]>> = { data: [0, 2], more: [1] };
const ROWS_PER_PAGE = 3;

/** What became of the rows of a crawl whose handler is `rows-handler.ts`. */
export interface RowFigures {
  readonly rows: number;
  readonly lost: number;
  readonly twice: number;
  readonly problems: readonly string[];
}

/** Compares the rows with the number of committed pages: each page has its three, once. */
export function readRows(out: string, pages: number): RowFigures {
  const seen = new Map<string, number>();
  const problems: string[] = [];
  const urls = new Set<string>();
  for (const [name, numbers] of Object.entries(EXPECTED)) {
    const path = join(out, "data", `${name}.jsonl`);
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    if (text !== "" && !text.endsWith("\n")) problems.push(`${name}: the last line is torn`);
    for (const line of text.split("\n").slice(0, -1)) {
      const { url, n } = parse(line) ?? { url: "", n: -1 };
      if (!numbers.includes(n)) problems.push(`${name}: not a row: ${line.slice(0, 80)}`);
      seen.set(`${url} ${n}`, (seen.get(`${url} ${n}`) ?? 0) + 1);
      urls.add(url);
    }
  }
  const rows = [...seen.values()].reduce((sum, count) => sum + count, 0);
  const twice = rows - seen.size;
  const lost = ROWS_PER_PAGE * Math.max(pages, urls.size) - seen.size;
  if (twice > 0) problems.push(`${twice} rows are there twice`);
  if (lost > 0) problems.push(`${lost} rows of ${pages} pages are missing`);
  if (urls.size > pages) problems.push(`${urls.size} pages have rows, ${pages} are committed`);
  if (rowParts(out).length > 0) problems.push("parts of rows are left");
  return { rows, lost: Math.max(0, lost), twice, problems };
}

function parse(line: string): { url: string; n: number } | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
