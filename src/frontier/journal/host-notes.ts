import { IdleHosts } from "../shard/idle-hosts.ts";
import { HOST_BYTES } from "./event-batch.ts";
import { readWide, writeWide } from "./journal-format.ts";

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

const PIECE_NOTES = 4096;
/** No host has it, so that nothing noted counts as forgettable. */
const NO_DELAY = Number.NaN;

/** The hosts of a shard that asked for more than the crawl's delay; the last word of each counts. */
export class HostNotes {
  readonly #hosts = new IdleHosts(NO_DELAY);

  get size(): number {
    return this.#hosts.size;
  }

  note({ low, high, delayMs, untilWallMs }: HostNote): void {
    this.#hosts.keep(low, high, { delayMs, nextMs: untilWallMs, step: 0 }, 0);
  }

  *[Symbol.iterator](): Generator<HostNote> {
    for (const { low, high, delayMs, nextMs } of this.#hosts.entries())
      yield { low, high, delayMs, untilWallMs: nextMs };
  }

  /** All of them in pieces, each note as in a host event. */
  *pieces(): Generator<Buffer> {
    let piece = Buffer.alloc(PIECE_NOTES * HOST_BYTES);
    let at = 0;
    for (const { low, high, delayMs, untilWallMs } of this) {
      piece.writeUInt32LE(low, at);
      piece.writeUInt32LE(high, at + 4);
      piece.writeUInt32LE(delayMs, at + 8);
      writeWide(piece, untilWallMs, at + 12);
      at += HOST_BYTES;
      if (at < piece.length) continue;
      yield piece;
      piece = Buffer.alloc(piece.length);
      at = 0;
    }
    if (at > 0) yield piece.subarray(0, at);
  }
}

/** The note at `at`, as a host event has it. */
export function readHostNote(bytes: Buffer, at: number): HostNote {
  return {
    low: bytes.readUInt32LE(at),
    high: bytes.readUInt32LE(at + 4),
    delayMs: bytes.readUInt32LE(at + 8),
    untilWallMs: readWide(bytes, at + 12),
  };
}
