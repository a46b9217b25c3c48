import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { exportTable } from "../store/export/export-parquet.ts";
import type { Cell, RowColumn } from "../store/export/row-table.ts";
import { jsonLine } from "../store/files/jsonl.ts";
import { replaceFile } from "../store/files/replace-file.ts";
import { makeFolders, removeIfThere } from "../store/files/system-calls.ts";
import { writeLines } from "../store/files/write-lines.ts";
import { WarcFile } from "../store/warc/warc-file.ts";
import type { CorpusLine } from "./corpus-line.ts";

/** A line of the corpus as it is written. */
export interface WrittenLine extends CorpusLine {
  /** The id of the first page of its group of near duplicates; null for a page that has none. */
  readonly cluster: string | null;
}

/** A line with what an archive record needs. */
export interface NumberedLine {
  readonly line: WrittenLine;
  readonly id: string;
  readonly ts: string;
}

/** Forms of a corpus. */
export type CorpusForm = "jsonl" | "parquet" | "wet";

const ENDS: Readonly<Record<CorpusForm, string>> = {
  jsonl: ".jsonl",
  parquet: ".parquet",
  wet: ".warc.wet.gz",
};

/**
 * Writes a corpus to one file, or with `split` to a folder of files of so many pages each. What is written appears when it
 * is whole. Answers the pages written.
 */
export async function writeCorpus(
  out: string,
  form: CorpusForm,
  split: number | undefined,
  lines: Iterator<NumberedLine, void>,
): Promise<number> {
  if (split === undefined) return writeOne(out, form, some(lines, Number.POSITIVE_INFINITY));
  const folder = `${out}.tmp`;
  rmSync(folder, { recursive: true, force: true });
  makeFolders(folder);
  let pages = 0;
  for (let file = 1, written = split; written === split; file++) {
    const first = lines.next();
    if (first.done === true) break;
    const path = join(folder, `text-${String(file).padStart(5, "0")}${ENDS[form]}`);
    written = await writeOne(path, form, withFirst(first.value, some(lines, split - 1)));
    pages += written;
  }
  rmSync(out, { recursive: true, force: true });
  renameSync(folder, out);
  return pages;
}

function* withFirst<T>(first: T, others: Iterable<T>): Generator<T, void> {
  yield first;
  yield* others;
}

/** The next lines; the iterator stays open for more. */
function* some<T>(lines: Iterator<T, void>, most: number): Generator<T, void> {
  for (let i = 0; i < most; i++) {
    const { done, value } = lines.next();
    if (done === true) return;
    yield value as T;
  }
}

async function writeOne(
  path: string,
  form: CorpusForm,
  lines: Iterable<NumberedLine>,
): Promise<number> {
  if (form === "parquet") return writeTable(path, lines);
  if (form === "wet") return writeWet(path, lines);
  const texts = function* () {
    for (const { line } of lines) yield jsonLine(line);
  };
  return replaceFile(path, (file) => writeLines(file, texts(), { encoding: "utf8" }));
}

const COLUMNS: readonly RowColumn[] = [
  { name: "url", kind: "text" },
  { name: "title", kind: "text" },
  { name: "date", kind: "text" },
  { name: "language", kind: "text" },
  { name: "author", kind: "text" },
  { name: "text", kind: "text" },
  { name: "markdown", kind: "text" },
  { name: "words", kind: "integer" },
  { name: "digest", kind: "text" },
  { name: "cluster", kind: "text" },
];

async function writeTable(path: string, lines: Iterable<NumberedLine>): Promise<number> {
  const all = lines[Symbol.iterator]();
  const first = all.next();
  const isMarkdown = first.done !== true && first.value.line.markdown !== undefined;
  const columns = COLUMNS.filter(({ name }) => name !== (isMarkdown ? "text" : "markdown"));
  const cells = function* () {
    for (let next = first; next.done !== true; next = all.next()) {
      const line = next.value.line as unknown as Readonly<Record<string, Cell>>;
      yield columns.map(({ name }) => line[name] ?? null);
    }
  };
  return exportTable(path, columns, cells());
}

/** Records of type "conversion", as other archives keep the texts of their pages. */
function writeWet(path: string, lines: Iterable<NumberedLine>): number {
  const temporary = `${path}.tmp`;
  removeIfThere(temporary);
  const file = new WarcFile(temporary);
  let pages = 0;
  try {
    for (const { line, id, ts } of lines) {
      const language: Record<string, string> =
        line.language === null ? {} : { "WARC-Identified-Content-Language": line.language };
      file.write({
        type: "conversion",
        uri: line.url,
        contentType: "text/plain",
        date: new Date(ts),
        block: Buffer.from(line.text ?? ""),
        fields: { "WARC-Refers-To": `<urn:uuid:${id}>`, ...language },
      });
      pages++;
    }
  } finally {
    file.close();
  }
  renameSync(temporary, path);
  return pages;
}
