import { IdleHosts } from "../idle-hosts.ts";
import { HOST_BYTES, type HostNote, writeHostNote } from "../journal/host-note.ts";

const PIECE_NOTES = 4096;
/** Equals no delay, so that nothing is forgotten. */
const NO_DELAY = Number.NaN;

/** The hosts of a shard that asked for more than the crawl's delay; the last note of each counts. */
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
    for (const note of this) {
      writeHostNote(piece, at, note);
      at += HOST_BYTES;
      if (at < piece.length) continue;
      yield piece;
      piece = Buffer.alloc(piece.length);
      at = 0;
    }
    if (at > 0) yield piece.subarray(0, at);
  }
}
