import type { Discovery } from "../frontier.ts";
import { EVENT, OUTBOX_FIXED_BYTES } from "./event-batch.ts";
import { type EventBytes, EventCursor } from "./event-cursor.ts";
import type { JournalBatch } from "./journal-reader.ts";
import { PrintTable } from "./print-table.ts";
import { decodeRun, QueuedLinks, type Run } from "./queued-links.ts";

/** Longer runs would keep the memory of many done URLs for one that waits. */
const MAX_RUN_BYTES = 32 * 1024;

/** Counters a shard may keep beside the outcomes. */
export const COUNTERS = 256;

/** A block another shard has not confirmed: it is sent again when a run begins. */
export interface OutboxBlock {
  readonly target: number;
  readonly epoch: number;
  readonly number: number;
  readonly links: number;
  readonly bytes: Uint8Array;
}

/** How a numbered block stands to what has been received. */
export type Arrival =
  | { readonly kind: "next" }
  | { readonly kind: "duplicate" }
  /** Blocks between are missing: the answer to the producer is the number reached. */
  | { readonly kind: "gap"; readonly reached: number };

/** An event that contradicts those before it. A gap in what was received has no effect; a done of an unknown URL makes it known. */
export type Contradiction =
  | {
      readonly kind: "gap" | "outbox-gap";
      readonly shard: number;
      readonly epoch: number;
      readonly number: number;
      readonly reached: number;
    }
  | { readonly kind: "unknown-url"; readonly low: number; readonly high: number };

/**
 * What a shard knows: a pure fold over the events of its journal. It reads no clock, no file and no chance, so the
 * crawl, recovery and verification share it. Leases are not part of it: a URL waits until it is done.
 */
export class ShardState {
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly prints = new PrintTable();
  readonly queue = new QueuedLinks();
  /** How many URLs ended with each outcome; [0] is unused. */
  readonly outcomes = new Float64Array(256);
  readonly counters = new Float64Array(COUNTERS);
  /** Blocks not confirmed, per "target epoch", in the order of their numbers. */
  readonly outbox = new Map<string, OutboxBlock[]>();
  /** Highest number used per "target epoch". */
  readonly sent = new Map<string, number>();
  /** Highest contiguous number received per "producer epoch". */
  readonly received = new Map<string, number>();
  readonly contradictions: Contradiction[] = [];
  /** The batch folded last. */
  sequence = 0;
  /** URLs that wait or are being fetched. */
  waiting = 0;
  readonly #cursor = new EventCursor();

  constructor(seedLow: number, seedHigh: number) {
    this.seedLow = seedLow;
    this.seedHigh = seedHigh;
  }

  /** Folds one batch. */
  apply(batch: EventBytes & Pick<JournalBatch, "sequence">): void {
    const cursor = this.#cursor;
    cursor.open(batch);
    while (cursor.next()) {
      const { kind, bytes, from } = cursor;
      if (kind === EVENT.admit) this.#admit(cursor);
      else if (kind === EVENT.done) this.#done(cursor);
      else if (kind === EVENT.counted) this.counters[bytes[from]!]! += bytes.readDoubleLE(from + 1);
      else this.#block(cursor);
    }
    this.sequence = batch.sequence;
  }

  /** Has the URL with this fingerprint been admitted? */
  knows(low: number, high: number): boolean {
    return this.prints.find(low, high) >= 0;
  }

  /** How a block that arrives now stands: only the next one is journalled. */
  arrival(producer: number, epoch: number, number: number): Arrival {
    const reached = this.received.get(key(producer, epoch)) ?? 0;
    if (number <= reached) return { kind: "duplicate" };
    return number === reached + 1 ? { kind: "next" } : { kind: "gap", reached };
  }

  /** The number for the next block to a shard; numbers begin with 1 in every run. */
  nextNumber(target: number, epoch: number): number {
    return (this.sent.get(key(target, epoch)) ?? 0) + 1;
  }

  /** Blocks to send again, oldest run first. */
  unconfirmed(): OutboxBlock[] {
    const all = [...this.outbox.values()].flat();
    return all.sort((a, b) => a.epoch - b.epoch || a.target - b.target || a.number - b.number);
  }

  /** URLs that are not done, in the order of admission. */
  *queued(): Generator<Discovery> {
    for (const run of this.queue.runs((number) => this.prints.outcome(number) === 0))
      yield* decodeRun(run);
  }

  #admit(cursor: EventCursor): void {
    cursor.checkLinks();
    const { bytes, from: head } = cursor;
    const headEnd = cursor.linksFrom();
    const to = cursor.linksTo();
    // New links are kept in runs, mostly the whole group at once; a link met before ends a run.
    let from = headEnd;
    let first = 0;
    let count = 0;
    for (let at = headEnd, print = to; at < to; print += 8) {
      const next = at + 2 + (bytes[at]! | (bytes[at + 1]! << 8));
      const number = this.prints.add(word(bytes, print), word(bytes, print + 4));
      if (number >= 0 && count++ === 0) first = number;
      if (number < 0 || next - from > MAX_RUN_BYTES) {
        this.#keep({ first, count, bytes, head, headEnd, from, to: number < 0 ? at : next });
        count = 0;
        from = next;
      }
      at = next;
    }
    this.#keep({ first, count, bytes, head, headEnd, from, to });
  }

  #keep(run: Run): void {
    if (run.count === 0) return;
    this.queue.push(run);
    this.waiting += run.count;
  }

  #done(cursor: EventCursor): void {
    const { bytes, from } = cursor;
    const low = bytes.readUInt32LE(from);
    const high = bytes.readUInt32LE(from + 4);
    const outcome = bytes[from + 8]!;
    if (outcome === 0) cursor.fail("a URL is done without an outcome");
    const number = this.prints.find(low, high);
    if (number < 0) {
      // Only after a salvage: its admission was lost, but it must not be fetched again.
      this.contradictions.push({ kind: "unknown-url", low, high });
      this.prints.setOutcome(this.prints.add(low, high), outcome);
      this.outcomes[outcome]!++;
      return;
    }
    if (this.prints.outcome(number) !== 0) return;
    this.prints.setOutcome(number, outcome);
    this.outcomes[outcome]!++;
    this.waiting--;
    this.queue.release(number);
  }

  #block({ kind, bytes, from, to }: EventCursor): void {
    const shard = bytes.readUInt16LE(from);
    const epoch = bytes.readUInt32LE(from + 2);
    const number = bytes.readUInt32LE(from + 6);
    const name = key(shard, epoch);
    if (kind === EVENT.received) {
      const arrival = this.arrival(shard, epoch, number);
      if (arrival.kind === "next") this.received.set(name, number);
      if (arrival.kind === "gap") this.contradictions.push({ ...arrival, shard, epoch, number });
      return;
    }
    const blocks = this.outbox.get(name) ?? [];
    if (kind === EVENT.confirmed) {
      const left = blocks.filter((block) => block.number > number);
      if (left.length > 0) this.outbox.set(name, left);
      else this.outbox.delete(name);
      return;
    }
    const reached = this.sent.get(name) ?? 0;
    if (number <= reached) return;
    if (number > reached + 1) {
      // Kept all the same: the links are real, and the target answers the gap.
      this.contradictions.push({ kind: "outbox-gap", shard, epoch, number, reached });
    }
    const links = bytes.readUInt32LE(from + 10);
    const copy = new Uint8Array(bytes.subarray(from + OUTBOX_FIXED_BYTES, to));
    blocks.push({ target: shard, epoch, number, links, bytes: copy });
    this.outbox.set(name, blocks);
    this.sent.set(name, number);
  }
}

/** `readUInt32LE` without its checks: the cursor has made them for the whole group. */
function word(bytes: Buffer, at: number): number {
  return (
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
  );
}

function key(shard: number, epoch: number): string {
  return `${shard} ${epoch}`;
}
