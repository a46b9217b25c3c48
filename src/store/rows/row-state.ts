import { existsSync, readFileSync } from "node:fs";
import { StoreCorruptError } from "../../errors.ts";
import { replaceWith } from "../files/replace-file.ts";
import { openSealed, sealedJson } from "../files/sealed-json.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";

/** How far a file of rows is committed. */
export interface RowFile {
  readonly bytes: number;
  readonly rows: number;
}

/** state/rows.json: how far each file of data/ counts, and which parts are in it. */
export interface RowState {
  readonly files: Readonly<Record<string, RowFile>>;
  /** Names of parts whose committed rows are in the files: they may be gone, or not yet. */
  readonly merged: readonly string[];
}

const NOTHING: RowState = { files: {}, merged: [] };

/** The state of the rows of a crawl; undefined when its file is damaged. */
export function wholeRowState(dir: string): RowState | undefined {
  const { rows } = crawlPaths(dir);
  if (!existsSync(rows)) return NOTHING;
  return openSealed(readFileSync(rows)) as RowState | undefined;
}

/** The same; throws StoreCorruptError for a damaged one. */
export function readRowState(dir: string): RowState {
  const state = wholeRowState(dir);
  if (state !== undefined) return state;
  throw new StoreCorruptError(
    `${crawlPaths(dir).rows}:0: not what was written; orbweaver recover ${dir} takes the rows as they are`,
  );
}

/** Makes a new state durable; the old one stays until then. */
export function writeRowState(dir: string, { files, merged }: RowState): void {
  replaceWith(crawlPaths(dir).rows, sealedJson({ files, merged }));
}
