import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import type { AppendFile } from "./append-file.ts";

const WRITE_CHARS = 256 * 1024;

/** How lines are written. */
export interface WriteOptions {
  /** Latin-1, one character per byte, unless told otherwise. */
  readonly encoding?: "latin1" | "utf8";
  readonly end?: string;
  readonly limit?: TimeLimit;
}

/** Writes lines in large pieces; answers how many. */
export function writeLines(
  file: AppendFile,
  lines: Iterable<string>,
  { encoding = "latin1", end = "\n", limit = NO_LIMIT }: WriteOptions = {},
): number {
  let written = 0;
  let text = "";
  for (const line of lines) {
    text += line + end;
    written++;
    if (text.length < WRITE_CHARS) continue;
    limit.check();
    file.write(Buffer.from(text, encoding));
    text = "";
  }
  file.write(Buffer.from(text, encoding));
  return written;
}
