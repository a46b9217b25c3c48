import type { TimeLimit } from "../../runtime/time-limit.ts";
import { linesAt } from "./read-file.ts";
import { replaceFile } from "./replace-file.ts";
import { writeLines } from "./write-lines.ts";

const LINES_AT_ONCE = 4096;

/** Goes over the lines of a file, as `linesAt` does, as long as there is time. */
export function* linesWithin(
  path: string,
  limit: TimeLimit,
): Generator<[offset: number, line: string], void> {
  let looked = 0;
  for (const each of linesAt(path)) {
    if (++looked % LINES_AT_ONCE === 0) limit.check();
    yield each;
  }
}

/** Replaces a file by one without the lines at these offsets. Few lines go, so the offsets fit memory. */
export function dropLines(path: string, dropped: ReadonlySet<number>, limit: TimeLimit): void {
  if (dropped.size === 0) return;
  const kept = function* () {
    for (const [offset, line] of linesAt(path)) if (!dropped.has(offset)) yield line;
  };
  replaceFile(path, (file) => writeLines(file, kept(), { limit }));
}
