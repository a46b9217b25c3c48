import { existsSync, readFileSync } from "node:fs";
import { openSealed } from "./sealed-json.ts";

const LINE_END = 0x0a;
const OBJECT_START = '{"';
/** Beginnings of a line that are tried behind damaged bytes; a file that somebody made for it could have millions. */
const MAX_TRIES = 1000;

/** What a file of sealed lines holds; every line was synced before the next one was written. */
export interface SealedLines {
  /** The lines that are as they were written, in order, with their places. */
  readonly lines: readonly { readonly from: number; readonly to: number; readonly value: object }[];
  /** Ranges of bytes that are not. */
  readonly damages: readonly { readonly from: number; readonly to: number }[];
  /** Bytes before what a crash or a power loss left of a last line. */
  readonly bytes: number;
}

/**
 * Reads a file whose lines end in their checksums (`sealedJson`). Behind damaged bytes the next whole line is looked for, so
 * that a lost line end costs one line and not two.
 */
export function readSealedLines(path: string): SealedLines {
  const lines: { from: number; to: number; value: object }[] = [];
  const damages: { from: number; to: number }[] = [];
  const all = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  let from = 0;
  while (from < all.length) {
    const end = all.indexOf(LINE_END, from);
    const to = end < 0 ? all.length : end + 1;
    const found = lineIn(all, from, to);
    if (found === undefined && to === all.length && isTorn(all.subarray(from))) break;
    const start = found?.from ?? to;
    if (start > from) damages.push({ from, to: start });
    if (found !== undefined) lines.push({ from: start, to, value: found.value });
    from = to;
  }
  return { lines, damages, bytes: from };
}

/** The whole line that ends at `to`; damaged bytes may stand before it. */
function lineIn(
  all: Buffer,
  from: number,
  to: number,
): { from: number; value: object } | undefined {
  let at = all.indexOf(OBJECT_START, from);
  for (let tries = 0; at >= 0 && at < to && tries < MAX_TRIES; tries++) {
    const value = openSealed(all.subarray(at, to));
    if (value !== undefined) return { from: at, value };
    at = all.indexOf(OBJECT_START, at + 1);
  }
  return undefined;
}

/** A crash leaves a last line without its end, a power loss one with zero bytes; anything else was written whole. */
function isTorn(last: Buffer): boolean {
  return last.at(-1) !== LINE_END || last.includes(0);
}
