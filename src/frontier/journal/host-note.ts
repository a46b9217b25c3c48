import { readWide, word, writeWide, writeWord } from "../link/words.ts";

/** What a later run must know of a host. */
export interface HostNote {
  /** Fingerprint of its name. */
  readonly low: number;
  readonly high: number;
  /** Its own delay. */
  readonly delayMs: number;
  /** Until when it asked to be left alone, in wall time: the only clock that outlives a run. */
  readonly untilWallMs: number;
}

/** A note as host events and snapshots have it: fingerprint 2 x 32, delay 32, wall time 64. */
export const HOST_BYTES = 20;

/** Writes a note; times are rounded up. */
export function writeHostNote(bytes: Buffer, at: number, note: HostNote): void {
  writeWord(bytes, at, note.low);
  writeWord(bytes, at + 4, note.high);
  writeWord(bytes, at + 8, Math.ceil(note.delayMs));
  writeWide(bytes, at + 12, Math.max(0, Math.ceil(note.untilWallMs)));
}

/** The note at `at`. */
export function readHostNote(bytes: Buffer, at: number): HostNote {
  return {
    low: word(bytes, at),
    high: word(bytes, at + 4),
    delayMs: word(bytes, at + 8),
    untilWallMs: readWide(bytes, at + 12),
  };
}
