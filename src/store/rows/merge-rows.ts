import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import { AppendFile } from "../files/append-file.ts";
import { countLines } from "../files/count-lines.ts";
import { cutTornLine } from "../files/jsonl.ts";
import { cutFile, removeIfThere, syncFolder } from "../files/system-calls.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";
import { readRowPart, rowParts } from "./row-part.ts";
import { type RowFile, readRowState, wholeRowState, writeRowState } from "./row-state.ts";

const WRITE_CHARACTERS = 256 * 1024;
const EXTENSION = ".jsonl";

/** Answers which records count, true once for each: `Committed`. */
export interface CommittedRecords {
  once(): (file: string, offset: number, url: { readonly url: string }) => boolean;
}

/** The file of the rows of a name. */
export function rowFile(dir: string, name: string): string {
  return join(crawlPaths(dir).data, `${name}${EXTENSION}`);
}

/** The names that rows were pushed under, with their numbers. */
export function rowCounts(dir: string): Record<string, number> {
  const files: Readonly<Record<string, RowFile>> = wholeRowState(dir)?.files ?? {};
  return Object.fromEntries(Object.entries(files).map(([name, { rows }]) => [name, rows]));
}

/** Bytes that `mergeRows` would have to read. */
export function unmergedBytes(dir: string): number {
  return rowParts(dir).reduce((sum, part) => sum + statSync(part).size, 0);
}

/**
 * Moves the rows of committed pages from the parts to data/NAME.jsonl, and drops the others. A file is first cut to
 * what its last merge had committed; interrupted anywhere, by a limit as well, a second call ends with the same files.
 */
export function mergeRows(
  dir: string,
  committed: CommittedRecords,
  limit: TimeLimit = NO_LIMIT,
): void {
  const all = rowParts(dir);
  if (all.length === 0) return;
  const state = readRowState(dir);
  const merged = new Set(state.merged);
  const parts = all.filter((part) => !merged.has(basename(part)));
  const target = new RowTarget(dir, { ...state.files });
  const counts = committed.once();
  try {
    for (const part of parts)
      for (const { file, offset, url, rows } of readRowPart(part)) {
        limit.check();
        if (!counts(file, offset, { url })) continue;
        for (const [name, lines] of rows) target.add(name, lines);
      }
    target.sync();
  } finally {
    target.close();
  }
  writeRowState(dir, { files: target.files, merged: all.map((part) => basename(part)) });
  for (const part of all) removeIfThere(part);
}

/** The files that rows are added to. */
class RowTarget {
  readonly #dir: string;
  readonly files: Record<string, RowFile>;
  readonly #open = new Map<string, { readonly file: AppendFile; text: string; rows: number }>();

  constructor(dir: string, files: Record<string, RowFile>) {
    this.#dir = dir;
    this.files = files;
  }

  add(name: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    let open = this.#open.get(name);
    if (open === undefined) {
      open = { file: this.#begin(name), text: "", rows: this.files[name]!.rows };
      this.#open.set(name, open);
    }
    for (const line of lines) open.text += `${line}\n`;
    open.rows += lines.length;
    if (open.text.length >= WRITE_CHARACTERS) this.#write(open);
  }

  #write(open: { readonly file: AppendFile; text: string }): void {
    open.file.write(Buffer.from(open.text, "latin1"));
    open.text = "";
  }

  /** Opens a file at its committed end. One that no state knows is not ours to cut. */
  #begin(name: string): AppendFile {
    const path = rowFile(this.#dir, name);
    const size = existsSync(path) ? statSync(path).size : 0;
    const known = this.files[name];
    if (known === undefined && size > 0) throw lost(path, this.#dir, "its state is missing");
    const { bytes } = known ?? { bytes: 0 };
    if (size < bytes) throw lost(path, this.#dir, `${bytes - size} committed bytes are missing`);
    if (known === undefined) {
      // Before the file is there: what a crash leaves in it is known to count for nothing.
      this.files[name] = { bytes: 0, rows: 0 };
      const { files, merged } = readRowState(this.#dir);
      writeRowState(this.#dir, { files: { ...files, [name]: { bytes: 0, rows: 0 } }, merged });
    }
    if (size > bytes) cutFile(path, bytes);
    return new AppendFile(path, "append");
  }

  sync(): void {
    for (const [name, open] of this.#open) {
      this.#write(open);
      open.file.sync();
      this.files[name] = { bytes: open.file.size, rows: open.rows };
    }
    if (this.#open.size > 0) syncFolder(crawlPaths(this.#dir).data);
  }

  close(): void {
    for (const { file } of this.#open.values()) file.close();
  }
}

function lost(path: string, dir: string, what: string): StoreCorruptError {
  return new StoreCorruptError(`${path}:0: ${what}; orbweaver recover ${dir} goes on without them`);
}

/**
 * Takes files of rows as they are where their state is damaged, or they are shorter than it says; answers what is lost.
 * Afterwards `mergeRows` works.
 */
export function repairRows(
  dir: string,
): { readonly file: string; readonly offset: number; readonly what: string }[] {
  const { data, rows: path } = crawlPaths(dir);
  if (!existsSync(data)) return [];
  const state = wholeRowState(dir);
  const files: Record<string, RowFile> = {};
  const damages: { file: string; offset: number; what: string }[] = [];
  const names = new Set(Object.keys(state?.files ?? {}));
  for (const name of readdirSync(data))
    if (name.endsWith(EXTENSION)) names.add(name.slice(0, -EXTENSION.length));
  let isChanged = state === undefined && names.size > 0;
  if (isChanged) damages.push({ file: path, offset: 0, what: "the state of the rows is damaged" });
  for (const name of names) {
    const file = rowFile(dir, name);
    const known = state?.files[name];
    const size = existsSync(file) ? statSync(file).size : 0;
    if (known !== undefined && size >= known.bytes) {
      files[name] = known;
      continue;
    }
    isChanged = true;
    if (known !== undefined)
      damages.push({ file, offset: size, what: `${known.bytes - size} bytes of rows are missing` });
    if (!existsSync(file)) continue;
    cutTornLine(file);
    files[name] = { bytes: statSync(file).size, rows: countLines(file) };
  }
  if (isChanged) writeRowState(dir, { files, merged: state?.merged ?? [] });
  return damages;
}
