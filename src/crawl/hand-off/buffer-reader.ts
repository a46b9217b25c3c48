import { copyShared } from "../../runtime/copy-shared.ts";
import {
  CRAWLERS_PER_BUFFER,
  FIRST,
  framesOf,
  type HandOffBuffer,
  LAST,
  totalOf,
} from "../../sync/hand-off-buffer.ts";
import { type Frame, frameBytes, readFrame } from "./frames.ts";

/** Memory for large records is kept up to this size, because allocating it for each costs more. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** A large record of which some frames have come. */
interface Begun {
  bytes: Buffer;
  have: number;
}

/** The builder's end of a hand-off buffer: puts large records together again, and reads all others where they lie. */
export class BufferReader {
  readonly #buffer: HandOffBuffer;
  readonly #begun: (Begun | undefined)[] = [undefined, undefined];
  readonly #counts = [0, 0];
  #kept: Buffer = Buffer.alloc(0);
  /** Frames taken over and not yet read, by lane. */
  readonly #left = [0, 0];

  constructor(buffer: HandOffBuffer) {
    this.#buffer = buffer;
  }

  /** True while some of what was taken over is not read. */
  get isReading(): boolean {
    return this.#left[0]! + this.#left[1]! > 0;
  }

  /** Takes over what waits, unless some of the last time is left. True when there is something to read. */
  take(): boolean {
    if (!this.isReading) {
      const batch = this.#buffer.take();
      if (totalOf(batch) === 0) return false;
      for (let lane = 0; lane < CRAWLERS_PER_BUFFER; lane++)
        this.#left[lane] = framesOf(batch, lane);
    }
    return true;
  }

  /**
   * Hands over the whole records among at most `maxFrames` frames of each crawler, each valid until the next, and none
   * more when it `isLate`; then their room and permits are given back. Answers how many records each lane had (valid
   * until the next call), and which crawlers wait for room.
   */
  read(
    maxFrames: number,
    store: (record: Frame, lane: number) => void,
    isLate: () => boolean = () => false,
  ): { readonly counts: readonly number[]; readonly wanting: number } {
    let frames = 0;
    for (let lane = 0; lane < CRAWLERS_PER_BUFFER; lane++) {
      let count = 0;
      let turn = 0;
      for (const most = Math.min(maxFrames, this.#left[lane]!); turn < most && !isLate(); turn++) {
        const record = this.#next(lane);
        if (record === undefined) continue;
        store(readFrame(record), lane);
        count++;
      }
      this.#left[lane]! -= turn;
      frames += turn;
      this.#counts[lane] = count;
    }
    return { counts: this.#counts, wanting: this.#buffer.giveBack(frames) };
  }

  /** A crawler died: the record that it began and did not end is dropped. */
  forget(lane: number): void {
    this.#begun[lane] = undefined;
  }

  #next(lane: number): Buffer | undefined {
    const flags = this.#buffer.next(lane);
    const bytes = this.#buffer.read(lane);
    if (flags === (FIRST | LAST)) return bytes;
    // A record that never got its last frame was lost with its crawler.
    if ((flags & FIRST) !== 0)
      this.#begun[lane] = { bytes: this.#memory(frameBytes(bytes)), have: 0 };
    const begun = this.#begun[lane]!;
    copyShared(bytes, begun.bytes, begun.have);
    begun.have += bytes.length;
    if ((flags & LAST) === 0) return undefined;
    this.#begun[lane] = undefined;
    const record = begun.bytes.subarray(0, begun.have);
    if (begun.bytes.length <= KEPT_BYTES) this.#kept = begun.bytes;
    return record;
  }

  #memory(bytes: number): Buffer {
    const kept = this.#kept;
    this.#kept = Buffer.alloc(0);
    // One size for everything that is kept; memory that is not touched costs nothing.
    return kept.length >= bytes ? kept : Buffer.allocUnsafeSlow(Math.max(bytes, KEPT_BYTES));
  }
}
