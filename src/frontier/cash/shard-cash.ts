import { CREDIT_BYTES, EVENT, EventBatch } from "../journal/event-batch.ts";
import { type EventBytes, EventCursor } from "../journal/event-cursor.ts";
import { readWide } from "../link/words.ts";
import { SeenSet } from "../seen/seen-set.ts";
import { CashBook, type CreditOrigin } from "./cash-book.ts";
import { CreditList } from "./credit-list.ts";
import type { DoneHistory } from "./done-history.ts";
import { PageTable } from "./page-table.ts";

/** Counters of a shard's journal for cash; these numbers never change. */
export const CASH_COUNTERS = {
  minted: 1,
  sent: 2,
  received: 3,
  lateOwn: 4,
  lateForeign: 5,
} as const;

/** Sums are exact up to eight times as much. */
const MUCH = 2 ** 50;

/** Credits in one event of a snapshot. */
const MAX_CREDITS = 1 << 14;

/** Origins of credits, as journals keep them. */
export const ORIGINS: readonly CreditOrigin[] = ["own", "foreign"];

/** Subtracts the same amount from what was received and sent once it is large: only the difference counts, and it must stay exact. */
export function cancelOut(counters: Float64Array): void {
  const both = Math.min(counters[CASH_COUNTERS.received]!, counters[CASH_COUNTERS.sent]!);
  if (both < MUCH) return;
  counters[CASH_COUNTERS.received]! -= both;
  counters[CASH_COUNTERS.sent]! -= both;
}

/** What a shard that orders by cash knows beside its state: its pages by number, what each has, and the sites that minted. */
export class ShardCash {
  readonly book = new CashBook();
  readonly pages = new PageTable();
  /** Sites whose home page has minted its unit. */
  readonly homes = new SeenSet();

  /** A page was found; true when it is new and waits with this cash from now on. */
  admit(low: number, high: number, amount: number): boolean {
    const page = this.pages.add(low, high);
    if (page < 0) return false;
    this.book.admit(page, amount);
    return true;
  }

  /** Pages without cash, the first `count` pairs of low and high half: `isNew` gets a 1 for each that is new, else a 0. Returns how many are. */
  addFingerprints(fingerprints: Uint32Array, count: number, isNew: Uint8Array): number {
    this.pages.touch(fingerprints, count);
    let fresh = 0;
    for (let i = 0; i < count; i++) {
      isNew[i] = this.admit(fingerprints[2 * i]!, fingerprints[2 * i + 1]!, 0) ? 1 : 0;
      fresh += isNew[i]!;
    }
    return fresh;
  }

  /** A page is done: what it has is to be spent. */
  done(low: number, high: number): void {
    this.book.spend(this.pages.find(low, high));
  }

  /** Adds pages of a snapshot as done; `waits` follows for those that wait. */
  knowFingerprints(fingerprints: Uint32Array, count: number): void {
    this.pages.touch(fingerprints, count);
    for (let i = 0; i < 2 * count; i += 2) {
      if (this.admit(fingerprints[i]!, fingerprints[i + 1]!, 0))
        this.book.spend(this.pages.size - 1);
    }
  }

  /** A page of a snapshot waits. */
  waits(low: number, high: number): void {
    const page = this.pages.find(low, high);
    if (page >= 0) this.book.admit(page, 0);
    else this.admit(low, high, 0);
  }

  /** A snapshot knows what a page that is done has got. */
  remember(low: number, high: number, amount: number): void {
    const page = this.pages.find(low, high);
    if (page >= 0) this.book.remember(page, amount);
  }

  /** Folds a credited event. What an unknown page should have got stays with the virtual page; `others` is told. */
  applyCredited(cursor: EventCursor, others?: DoneHistory): void {
    cursor.checkCredits();
    const { bytes, from, to } = cursor;
    const origin = ORIGINS[bytes[from]!]!;
    for (let at = from + 1; at < to; at += CREDIT_BYTES) {
      const low = bytes.readUInt32LE(at);
      const high = bytes.readUInt32LE(at + 4);
      const page = this.pages.find(low, high);
      if (page >= 0) this.book.credit(page, readWide(bytes, at + 8), origin);
      else others?.add(low, high, readWide(bytes, at + 8));
    }
  }

  /** Folds the credited events of a batch and nothing else. */
  applyCredits(batch: EventBytes, others: DoneHistory): void {
    const cursor = new EventCursor();
    cursor.open(batch);
    while (cursor.next()) if (cursor.kind === EVENT.credited) this.applyCredited(cursor, others);
  }

  /** What the pages that wait have got, as credited events in pieces: for a snapshot. */
  *waitingCredits(): Generator<Buffer> {
    const credits = new CreditList();
    const events = new EventBatch();
    for (let page = 0; page < this.pages.size; page++) {
      const cash = this.book.cash(page);
      if (cash > 0) credits.add(this.pages.low(page), this.pages.high(page), cash);
      if (credits.length < MAX_CREDITS && page < this.pages.size - 1) continue;
      if (credits.length > 0) events.credited(ORIGINS.indexOf("own"), credits.bytes);
      credits.clear();
      yield events.take();
    }
  }

  /** Folds a change of a counter. */
  counted(counter: number, amount: number): void {
    if (counter === CASH_COUNTERS.minted) this.book.mint(amount);
    else if (counter === CASH_COUNTERS.sent) this.book.send(amount);
    else if (counter === CASH_COUNTERS.received) this.book.receive(amount);
  }
}
