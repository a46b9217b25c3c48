import { CREDIT_BYTES, EVENT, EventBatch } from "../journal/event-batch.ts";
import { type EventBytes, EventCursor } from "../journal/event-cursor.ts";
import { readWide } from "../link/words.ts";
import { DoubleColumn } from "./column.ts";
import { CreditList } from "./credit-list.ts";
import { PageTable } from "./page-table.ts";

/** Credits in one event of a snapshot. */
const CREDITS = 1 << 14;
/** Bytes of minted events in one piece. */
const PIECE_BYTES = 1 << 18;

/** What a snapshot keeps of cash: what each page that waits has got, and the sites that minted. */
export class WaitingCash {
  readonly #pages = new PageTable();
  readonly #got = new DoubleColumn();
  readonly #minted = new EventBatch();
  readonly #pieces: Buffer[] = [];
  readonly #cursor = new EventCursor();

  /** This page waits. All that do are told before the first batch is applied. */
  waits(low: number, high: number): void {
    this.#pages.add(low, high);
  }

  /** Takes the credits of waiting pages out of a batch, or out of the snapshot before. */
  apply(batch: EventBytes): void {
    const cursor = this.#cursor;
    cursor.open(batch);
    while (cursor.next()) {
      const { kind, bytes, from, to } = cursor;
      if (kind === EVENT.credited) {
        cursor.checkCredits();
        for (let at = from + 1; at < to; at += CREDIT_BYTES) this.#credit(bytes, at);
      } else if (kind === EVENT.minted) {
        const [low, high] = [bytes.readUInt32LE(from), bytes.readUInt32LE(from + 4)];
        this.#minted.minted(low, high, readWide(bytes, from + 8));
        if (this.#minted.eventBytes >= PIECE_BYTES) this.#pieces.push(this.#minted.take());
      }
    }
  }

  /** What all pages that wait have got. */
  get total(): number {
    let sum = 0;
    for (let page = 0; page < this.#pages.size; page++) sum += this.#got.get(page);
    return sum;
  }

  /** The events for the snapshot, in pieces. */
  *events(): Generator<Buffer> {
    yield* this.#pieces;
    yield this.#minted.take();
    const credits = new CreditList();
    const batch = new EventBatch();
    const piece = () => {
      if (credits.length > 0) batch.credited(0, credits.bytes);
      credits.clear();
      return batch.take();
    };
    for (let page = 0; page < this.#pages.size; page++) {
      const got = this.#got.get(page);
      if (got > 0) credits.add(this.#pages.low(page), this.#pages.high(page), got);
      if (credits.length === CREDITS) yield piece();
    }
    yield piece();
  }

  #credit(bytes: Buffer, at: number): void {
    const page = this.#pages.find(bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4));
    if (page >= 0) this.#got.set(page, this.#got.get(page) + readWide(bytes, at + 8));
  }
}
