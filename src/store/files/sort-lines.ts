import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import type { AppendFile } from "./append-file.ts";
import { readLines } from "./line-reader.ts";
import { removeIfThere, replaceFile } from "./replace-file.ts";

const RUN_BYTES = 16 * 1024 * 1024;
const FAN_IN = 32;
const WRITE_CHARS = 256 * 1024;

/** How lines are told apart and how much memory sorting them may take. */
export interface SortOptions {
  /** Of neighbours in the order for which this is equal, only the first is written. */
  sameWhen?: (line: string) => string;
  /** Bytes of lines held at once. */
  runBytes?: number;
  /** Runs read at once. */
  fanIn?: number;
  /** When it is up nothing has changed. */
  limit?: TimeLimit;
}

/**
 * Sorts the lines of the inputs into one file, in byte order and bounded memory: sorted runs on
 * disk, merged FAN_IN at a time. The output appears whole or not at all and may be an input too.
 * Answers its lines.
 */
export function sortLines(
  inputs: readonly string[],
  out: string,
  options: SortOptions = {},
): number {
  const { runBytes = RUN_BYTES, fanIn = FAN_IN, limit = NO_LIMIT } = options;
  const made: string[] = [];
  const newRun = (lines: Iterable<string>): string => {
    const path = `${out}.run-${made.length}`;
    made.push(path);
    replaceFile(path, (file) => writeLines(file, lines, options));
    return path;
  };
  try {
    let runs: string[] = [];
    let held: string[] = [];
    let heldBytes = 0;
    for (const input of inputs) {
      for (const line of readLines(input)) {
        held.push(line);
        heldBytes += line.length + 1;
        if (heldBytes < runBytes) continue;
        limit.check();
        runs.push(newRun(held.sort()));
        held = [];
        heldBytes = 0;
      }
    }
    while (runs.length >= fanIn) {
      const merged = newRun(mergeRuns(runs.slice(0, fanIn).map((run) => readLines(run))));
      for (const run of runs.slice(0, fanIn)) removeIfThere(run);
      runs = [...runs.slice(fanIn), merged];
    }
    limit.check();
    // What is still in memory is the last run, and mostly the only one.
    held.sort();
    const runLines = runs.map((run) => readLines(run));
    const lines = runs.length === 0 ? held : mergeRuns([...runLines, held.values()]);
    let written = 0;
    replaceFile(out, (file) => {
      written = writeLines(file, lines, options);
    });
    return written;
  } finally {
    for (const run of made) removeIfThere(run);
  }
}

/** The lines of sorted runs in order. Invariant: `heads` is sorted downwards, the least is last. */
function* mergeRuns(runs: Iterator<string>[]): Generator<string, void> {
  const heads: { line: string; run: Iterator<string> }[] = [];
  const insert = (run: Iterator<string>): void => {
    const next = run.next();
    if (next.done === true) return;
    let low = 0;
    let high = heads.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (heads[middle]!.line > next.value) low = middle + 1;
      else high = middle;
    }
    heads.splice(low, 0, { line: next.value, run });
  };
  for (const run of runs) insert(run);
  for (let least = heads.pop(); least !== undefined; least = heads.pop()) {
    yield least.line;
    insert(least.run);
  }
}

function writeLines(
  file: AppendFile,
  lines: Iterable<string>,
  { sameWhen, limit = NO_LIMIT }: SortOptions,
): number {
  let written = 0;
  let waiting: string[] = [];
  let chars = 0;
  let last: string | undefined;
  for (const line of lines) {
    if (sameWhen !== undefined) {
      const key = sameWhen(line);
      if (key === last) continue;
      last = key;
    }
    waiting.push(line);
    written++;
    chars += line.length + 1;
    if (chars < WRITE_CHARS) continue;
    limit.check();
    file.write(Buffer.from(`${waiting.join("\n")}\n`, "latin1"));
    waiting = [];
    chars = 0;
  }
  if (waiting.length > 0) file.write(Buffer.from(`${waiting.join("\n")}\n`, "latin1"));
  return written;
}
