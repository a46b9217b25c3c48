import { statSync } from "node:fs";
import { join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import { UNKEPT } from "../capture.ts";
import { OPEN } from "../warc/archive-file.ts";

/** A file of the archive that is shorter than what was committed in it. */
export interface LostArchive {
  readonly name: string;
  /** Where it ends; undefined when it is not there. */
  readonly size: number | undefined;
}

/** Files that end before their last committed record: gone, or cut off. A file that is still open counts, too. */
export function lostArchives(folder: string, ends: ReadonlyMap<string, number>): LostArchive[] {
  const lost: LostArchive[] = [];
  for (const [name, end] of ends) {
    if (name === UNKEPT) continue;
    const sizes = [name, name + OPEN].map((each) => sizeOf(join(folder, each)));
    if (!sizes.some((size) => size !== undefined && size >= end))
      lost.push({ name, size: sizes.find((size) => size !== undefined) });
  }
  return lost;
}

/** Throws StoreCorruptError for the first such file that is not `known` to be lost. */
export function checkArchives(
  folder: string,
  ends: ReadonlyMap<string, number>,
  known: readonly string[],
): void {
  const lost = lostArchives(folder, ends).find(({ name }) => !known.includes(name));
  if (lost === undefined) return;
  const what =
    lost.size === undefined
      ? "the file is missing, and committed records with it"
      : "the file ends before its last committed record does";
  throw new StoreCorruptError(`${join(folder, lost.name)}:${lost.size ?? 0}: ${what}`);
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
