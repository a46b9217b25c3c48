import {
  CRAWLERS_PER_BUFFER,
  FIRST,
  framesOf,
  type HandOffBuffer,
  LAST,
} from "../sync/hand-off-buffer.ts";
import { type Frame, readFrame } from "./frames.ts";

/** `length u32` of a frame's head, which the buffer's own header has made needless. */
const PREFIX_BYTES = 4;

/** The builder's end of a hand-off buffer: puts large records together again, and reads all others where they lie. */
export class BufferReader {
  readonly #buffer: HandOffBuffer;
  readonly #begun: Buffer[][] = [[], []];
  #batch = 0;

  constructor(buffer: HandOffBuffer) {
    this.#buffer = buffer;
  }

  /** Takes over what waits and shows each whole record, valid until `giveBack`. Answers how many each lane had. */
  take(store: (record: Frame, lane: number) => void): readonly number[] {
    this.#batch = this.#buffer.take();
    const counts: number[] = [];
    for (let lane = 0; lane < CRAWLERS_PER_BUFFER; lane++) {
      let count = 0;
      for (let left = framesOf(this.#batch, lane); left > 0; left--) {
        const record = this.#next(lane);
        if (record === undefined) continue;
        store(readFrame(record.subarray(PREFIX_BYTES)), lane);
        count++;
      }
      counts.push(count);
    }
    return counts;
  }

  /** The records are safe: room and permits go back. False when there were none, and nobody needs a ring. */
  giveBack(): boolean {
    if (this.#batch === 0) return false;
    this.#buffer.giveBack(this.#batch);
    this.#batch = 0;
    return true;
  }

  #next(lane: number): Buffer | undefined {
    const flags = this.#buffer.next(lane);
    const view = this.#buffer.read(lane);
    const bytes = Buffer.from(view.buffer, view.byteOffset, view.length);
    const begun = this.#begun[lane]!;
    // A record that never got its last frame died with its crawler.
    if ((flags & FIRST) !== 0) begun.length = 0;
    if (flags === (FIRST | LAST)) return bytes;
    begun.push(Buffer.from(bytes));
    if ((flags & LAST) === 0) return undefined;
    const record = Buffer.concat(begun);
    begun.length = 0;
    return record;
  }
}
