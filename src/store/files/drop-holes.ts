import { existsSync } from "node:fs";
import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import { linesWithin } from "./drop-lines.ts";
import { chunksOf } from "./read-file.ts";
import { replaceFile } from "./replace-file.ts";
import { writeLines } from "./write-lines.ts";

/**
 * Takes zero bytes out of a file of lines: a power loss leaves them in place of blocks that were not synced, and no line
 * that we write holds one. What stands behind them up to the end of the line is kept, because lines are written whole.
 * Answers where the first hole was; undefined when there is none, and then nothing is written.
 */
export function dropHoles(path: string, limit: TimeLimit = NO_LIMIT): number | undefined {
  const first = firstHole(path);
  if (first === undefined) return undefined;
  const kept = function* () {
    for (const [, line] of linesWithin(path, limit)) {
      const rest = line.slice(line.lastIndexOf("\0") + 1);
      if (rest !== "") yield rest;
    }
  };
  replaceFile(path, (file) => writeLines(file, kept(), { limit }));
  return first;
}

function firstHole(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  let before = 0;
  for (const chunk of chunksOf(path)) {
    const at = chunk.indexOf(0);
    if (at >= 0) return before + at;
    before += chunk.length;
  }
  return undefined;
}
