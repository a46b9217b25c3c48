import { writeWord } from "../journal/journal-format.ts";
import type { WaitingRun } from "../journal/waiting-run.ts";
import { writeNext } from "./queue-record.ts";

/*
 * Links of one host that recovery left where they are, as one record of the queue log:
 *
 *   next 48 | any 96 | mark 8 | 0 8 | bytes that follow 16 | 0 16
 *   head 48 | head bytes 32 | links from 32 | link bytes 32 | fingerprints from 32 | links 16 | file 16
 *
 * `head` is a place in the file, `from` two others count from there.
 */

/** Stands where other records say how their URL was found. */
const MARK = 0x40;
const FIXED_BYTES = 24;
const PLACE_BYTES = 26;

/** Where the links are. */
export interface RecoveredPlace {
  readonly file: number;
  readonly head: number;
  readonly headEnd: number;
  readonly from: number;
  readonly to: number;
  readonly print: number;
  readonly links: number;
}

/** True for a record that stands for links elsewhere. */
export function isRun(bytes: Buffer, at: number): boolean {
  return bytes[at + 18] === MARK;
}

/** Writes the record of a run in a file; answers its length. */
export function writeRun(
  bytes: Buffer,
  at: number,
  run: WaitingRun,
  file: number,
  next: number,
): number {
  const { head } = run;
  writeNext(bytes, at, next);
  bytes[at + 18] = MARK;
  bytes[at + 19] = 0;
  writeWord(bytes, at + 20, PLACE_BYTES);
  const to = at + FIXED_BYTES;
  writeNext(bytes, to, head + run.fileAhead!);
  writeWord(bytes, to + 6, run.headEnd - head);
  writeWord(bytes, to + 10, run.from - head);
  writeWord(bytes, to + 14, run.to - run.from);
  writeWord(bytes, to + 18, run.print - head);
  writeWord(bytes, to + 22, run.links | (file << 16));
  return FIXED_BYTES + PLACE_BYTES;
}

/** Reads what `writeRun` wrote, as places in the file. */
export function readRun(bytes: Buffer, at: number): RecoveredPlace {
  const from = at + FIXED_BYTES;
  const head = bytes.readUIntLE(from, 6);
  const first = head + bytes.readUInt32LE(from + 10);
  return {
    head,
    headEnd: head + bytes.readUInt32LE(from + 6),
    from: first,
    to: first + bytes.readUInt32LE(from + 14),
    print: head + bytes.readUInt32LE(from + 18),
    links: bytes.readUInt16LE(from + 22),
    file: bytes.readUInt16LE(from + 24),
  };
}
