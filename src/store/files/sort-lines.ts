import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import { readLines } from "./read-file.ts";
import { SortedRuns } from "./sorted-runs.ts";
import { writeLines } from "./write-lines.ts";

const RUN_BYTES = 16 * 1024 * 1024;
const FAN_IN = 32;

/** How lines are told apart and how much memory sorting them may take. */
export interface SortOptions {
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
  const { runBytes = RUN_BYTES, fanIn = FAN_IN, limit = NO_LIMIT } = options;
  const runs = new SortedRuns(out, fanIn, {
    read: readLines,
    write: (file, lines) => writeLines(file, withoutTwins(lines, options), { limit }),
    isBefore: (a: string, b: string) => a < b,
  });
  try {
    let held: string[] = [];
    let heldBytes = 0;
    for (const input of inputs) {
      for (const line of readLines(input)) {
        held.push(line);
        heldBytes += line.length + 1;
        if (heldBytes < runBytes) continue;
        limit.check();
        runs.add(held.sort());
        held = [];
        heldBytes = 0;
      }
    }
    limit.check();
    // What is still in memory is the last run, and mostly the only one.
    return runs.merge(held.sort());
  } finally {
    runs.remove();
  }
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
