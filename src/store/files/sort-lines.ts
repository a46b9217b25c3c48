import { readSync, statSync } from "node:fs";
import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import { type LineSorter, openLineSorter } from "./line-run.ts";
import { readLines } from "./read-file.ts";
import { replaceFile } from "./replace-file.ts";
import { SortedRuns } from "./sorted-runs.ts";
import { withFile } from "./system-calls.ts";
import { writeLines } from "./write-lines.ts";

const RUN_BYTES = 16 * 1024 * 1024;
const FAN_IN = 32;
const LINE_FEED = 10;

/** How lines are told apart and how much memory sorting them may take. */
export interface SortOptions {
  /** Of equal lines one is written. */
  once?: boolean;
  /** Of neighbours in the order for which this is equal, only the first is written. */
  sameWhen?: (line: string) => string;
  /** Which of two such lines is written instead; the same whatever their order. */
  prefer?: (a: string, b: string) => string;
  /** Bytes of lines held at once. */
  runBytes?: number;
  /** Runs read at once. */
  fanIn?: number;
  /** When it is up nothing has changed. */
  limit?: TimeLimit;
}

/**
 * Sorts the lines of the inputs into one file, in byte order and bounded memory. The output appears whole or not at all
 * and may be an input too. Answers its lines.
 */
export function sortLines(
  inputs: readonly string[],
  out: string,
  options: SortOptions = {},
): number {
  const { runBytes = RUN_BYTES, fanIn = FAN_IN, limit = NO_LIMIT, once = false } = options;
  const same = once ? { sameWhen: (line: string) => line } : options;
  const runs = new SortedRuns(out, fanIn, {
    read: readLines,
    write: (file, lines) => writeLines(file, withoutTwins(lines, same), { limit }),
    isBefore: (a: string, b: string) => a < b,
  });
  const sorter = openLineSorter();
  try {
    const held = wholeLines(inputs, runBytes, sorter, (lines) => {
      limit.check();
      runs.add(sorter.sort(lines));
    });
    limit.check();
    // What is still in memory is the last run, and mostly the only one.
    const last = sorter.sort(held);
    if (!runs.isEmpty || options.sameWhen !== undefined) return runs.merge(last);
    return replaceFile(out, (file) => last.writeTo(file, once, limit));
  } finally {
    runs.remove();
  }
}

/**
 * Reads the lines of files, so many bytes at a time and none of them cut: `spill` gets what does not fit any more, valid
 * during the call and in the memory of the sorter, and the last ones are answered. A last line without its line end was torn by a crash and is left out.
 */
function wholeLines(
  inputs: readonly string[],
  runBytes: number,
  sorter: LineSorter,
  spill: (lines: Buffer) => void,
): Buffer {
  const all = inputs.reduce((sum, input) => sum + statSync(input).size, 0);
  // One byte more, to see the end of the last file.
  let room = Math.min(all, runBytes) + 1;
  let bytes = sorter.room(room);
  let used = 0;
  for (const input of inputs)
    withFile(input, "r", (file) => {
      for (;;) {
        if (used === room) {
          const end = bytes.lastIndexOf(LINE_FEED) + 1;
          const rest = Buffer.from(bytes.subarray(end));
          if (end > 0) spill(bytes.subarray(0, end));
          // A line that is longer than everything needs more room.
          else room *= 2;
          bytes = sorter.room(room);
          used = rest.copy(bytes);
        }
        const got = readSync(file, bytes, used, bytes.length - used, null);
        if (got === 0) break;
        used += got;
      }
      used = used === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, used - 1) + 1;
    });
  return bytes.subarray(0, used);
}

/** Lines in order, equal neighbours once. */
function* withoutTwins(
  lines: Iterable<string>,
  { sameWhen, prefer = (first) => first }: SortOptions,
): Generator<string, void> {
  let last: string | undefined;
  let kept: string | undefined;
  for (const line of lines) {
    const key = sameWhen?.(line);
    const isTwin = key !== undefined && key === last;
    if (kept !== undefined && !isTwin) yield kept;
    kept = isTwin ? prefer(kept!, line) : line;
    last = key;
  }
  if (kept !== undefined) yield kept;
}
