import { WAITING_WORDS, WaitingQueue } from "../../frontier/shared/techniques/waiting-queue.ts";

/** The number of records; where they are does not matter for waiting. */
export const RECORDS = WAITING_WORDS;
/** Words of a counted queue. */
export const COUNTED_WORDS = RECORDS + 1;

/** The simplest thing to wait for: a bounded number. The waiting itself is the code of every technique with event counts. */
export class CountedQueue extends WaitingQueue {
  readonly #room: number;

  constructor(words: Int32Array, size: number, patience: number) {
    super(words, { size, slotBytes: 1, patience });
    this.#room = size;
  }

  protected override insertNow(): boolean {
    for (;;) {
      const seen = Atomics.load(this.words, RECORDS);
      if (seen === this.#room) return false;
      if (Atomics.compareExchange(this.words, RECORDS, seen, seen + 1) === seen) return true;
    }
  }

  protected override takeNow(): number {
    for (;;) {
      const seen = Atomics.load(this.words, RECORDS);
      if (seen === 0) return -1;
      if (Atomics.compareExchange(this.words, RECORDS, seen, seen - 1) === seen) return 1;
    }
  }

  protected override repair(): number {
    return 0;
  }

  protected override hasRecord(): boolean {
    return this.size() > 0;
  }

  protected override hasRoom(): boolean {
    return this.size() < this.#room;
  }

  override size(): number {
    return Atomics.load(this.words, RECORDS);
  }
}
