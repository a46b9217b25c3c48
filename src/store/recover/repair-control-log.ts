import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { replaceWith } from "../files/replace-file.ts";
import { readSealedLines } from "../files/sealed-lines.ts";
import { crawlPaths } from "../folder/crawl-folder.ts";

/** A change of course that is lost. */
export interface LostChange {
  readonly file: string;
  readonly offset: number;
  readonly what: string;
}

const SHOWN_BYTES = 120;

/**
 * Takes damaged lines out of logs/control.jsonl, so that the crawl can be resumed with all changes that are intact. The file as
 * it was is kept in `damaged`. Returns what was lost, with as much of the text as can be read.
 */
export function repairControlLog(dir: string, damaged: string): LostChange[] {
  const { control } = crawlPaths(dir);
  const { lines, damages } = readSealedLines(control);
  if (damages.length === 0) return [];
  mkdirSync(damaged, { recursive: true });
  copyFileSync(control, join(damaged, basename(control)));
  const all = readFileSync(control);
  const kept = lines.map(({ from, to }) => all.subarray(from, to));
  replaceWith(control, Buffer.concat(kept));
  return damages.map(({ from, to }) => {
    const text = all.toString("latin1", from, Math.min(to, from + SHOWN_BYTES)).trimEnd();
    return {
      file: control,
      offset: from,
      what: `a change of course is damaged and was taken out; the resumed crawl does not know it: ${text}`,
    };
  });
}
