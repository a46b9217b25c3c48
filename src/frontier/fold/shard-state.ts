import { CASH_COUNTERS, type ShardCash } from "../cash/shard-cash.ts";
import type { Fact } from "../fact.ts";
import { DONE_FIXED_BYTES, EVENT } from "../journal/event-batch.ts";
import {
  decodeFact,
  decodeNumber,
  decodeOutbox,
  type EventBytes,
  EventCursor,
} from "../journal/event-cursor.ts";
import { type HostNote, readHostNote } from "../journal/host-note.ts";
import type { JournalBatch } from "../journal/segment-batches.ts";
import type { OutboxBlock } from "../link/link-block.ts";
import { readWide, word } from "../link/words.ts";
import { type BulkAdd, MARK } from "../seen/bulk-add.ts";
import { SeenSet } from "../seen/seen-set.ts";
import { siteKey } from "../site-budget.ts";
import { ArchiveEnds } from "./archive-ends.ts";
import type { Contradiction } from "./contradiction.ts";
import { HostNotes } from "./host-notes.ts";

/** Fingerprints that are added together. */
const BATCH = 128;
const fingerprints = new Uint32Array(2 * BATCH);
const isNew = new Uint8Array(BATCH);

/** Counters a shard may keep beside the outcomes. */
export const COUNTERS = 256;

/** The counter of bytes received, beside those of cash. */
export const BYTES_COUNTER = 6;

/** The counter of bytes of bodies: what the summary tells of. */
export const BODY_BYTES_COUNTER = 7;

/** How the number of a block compares to what has been received. */
export type Arrival =
  | { readonly kind: "next" }
  | { readonly kind: "duplicate"; readonly reached: number }
  /** Blocks are missing: the producer is answered with the number reached. */
  | { readonly kind: "gap"; readonly reached: number };

/**
 * What a shard knows, without the text of the URLs that wait: a pure fold over the events of its journal, without clock,
 * files or randomness. Each transition is one method: the running crawl calls it and journals the event,
 * `apply` calls it for every event of a batch, so crawl, recovery and verification share one reducer. Leases are
 * not part of it: a URL waits until it is done.
 */
export class ShardState {
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly seen = new SeenSet();
  /** Set for a crawl ordered by cash; its page table then takes the place of `seen`. */
  readonly cash: ShardCash | undefined;
  /** Only while batches are folded: what is done, because a second pass over the admissions builds the queue. */
  finished: SeenSet | undefined;
  /** Only while many batches are folded, until `settle`: fingerprints that become known together. Not where there is cash. */
  gathered: BulkAdd | undefined;
  /** Only until a shard is made of this state, which then keeps them itself. */
  hosts: HostNotes | undefined;
  /** How many URLs ended with each outcome; [0] is unused. */
  readonly outcomes = new Float64Array(256);
  readonly counters = new Float64Array(COUNTERS);
  /** Blocks not confirmed, per "target epoch", in the order of their numbers. */
  readonly outbox = new Map<string, OutboxBlock[]>();
  /** Only in a salvage: how far a target has really received; what it lacks is kept, whatever was confirmed. */
  reached: ((target: number, epoch: number) => number) | undefined;
  /** Highest number used per "target epoch". */
  readonly sent = new Map<string, number>();
  /** Highest contiguous number received per "producer epoch". */
  readonly received = new Map<string, number>();
  /** Everything that visits found out, in order. */
  readonly facts: Fact[] = [];
  /** Pages of each site, where sites have a budget. */
  readonly sites = new Map<string, number>();
  readonly contradictions: Contradiction[] = [];
  /** Only what was folded: a running crawl does not check its own files. */
  readonly archives = new ArchiveEnds();
  /** The batch folded last. */
  sequence = 0;
  /** URLs that wait or are being fetched. */
  waiting = 0;
  /** Admissions of URLs that were known: only a salvage finds any. */
  repeated = 0;
  readonly #cursor = new EventCursor();

  constructor(seedLow: number, seedHigh: number, finished?: SeenSet, cash?: ShardCash) {
    this.seedLow = seedLow;
    this.seedHigh = seedHigh;
    this.finished = finished;
    this.cash = cash;
  }

  /** URLs ever admitted. */
  get known(): number {
    return this.cash?.pages.size ?? this.seen.size;
  }

  /** Folds one batch; without `admissions` everything but what is known and what waits. */
  apply(batch: EventBytes & Pick<JournalBatch, "sequence">, admissions = true): void {
    const cursor = this.#cursor;
    cursor.open(batch);
    while (cursor.next()) {
      const { kind, bytes, from } = cursor;
      if (kind === EVENT.admit) {
        if (admissions) this.#applyAdmit(cursor);
      } else if (kind === EVENT.done) this.#applyDone(cursor, admissions);
      else if (kind === EVENT.counted)
        this.#applyCounted(bytes[from]!, bytes.readDoubleLE(from + 1));
      else if (kind === EVENT.credited) this.cash?.applyCredited(cursor);
      else if (kind === EVENT.minted) {
        this.#applyCounted(CASH_COUNTERS.minted, readWide(bytes, from + 8));
        this.cash?.homes.addFingerprint(word(bytes, from), word(bytes, from + 4));
      } else if (kind === EVENT.host) this.note(readHostNote(bytes, from));
      else if (kind === EVENT.outbox) this.send(decodeOutbox(cursor));
      else if (kind === EVENT.extension) this.learn(decodeFact(cursor));
      else if (kind === EVENT.site)
        this.countSite(word(bytes, from), word(bytes, from + 4), word(bytes, from + 8));
      else this.#applyNumber(cursor);
    }
    this.sequence = batch.sequence;
    if (this.gathered?.isFull) this.settle();
  }

  /** A host asked for more than the crawl's delay. */
  note(note: HostNote): void {
    this.hosts ??= new HostNotes();
    this.hosts.note(note);
  }

  /** A visit found something out. */
  learn(fact: Fact): void {
    this.facts.push(fact);
  }

  /** There are so many more pages of a site. */
  countSite(low: number, high: number, pages: number): void {
    const key = siteKey(low, high);
    this.sites.set(key, (this.sites.get(key) ?? 0) + pages);
  }

  /** A URL was found; true when it is new and waits from now on, with `amount` of cash where there is cash. */
  admit(low: number, high: number, amount = 0): boolean {
    if (!this.#know(low, high, amount)) return false;
    this.waiting++;
    return true;
  }

  /**
   * The same without cash for many, the first `count` pairs of low and high half: `isNew` gets a 1 for each that is new, else
   * a 0. Returns how many are.
   */
  admitAll(fingerprints: Uint32Array, count: number, isNew: Uint8Array): number {
    const fresh = (this.cash ?? this.seen).addFingerprints(fingerprints, count, isNew);
    this.waiting += fresh;
    return fresh;
  }

  /** A URL that waited has its outcome. `wasLeased`: it is known, and searching for it would only cost a cache miss. */
  done(low: number, high: number, outcome: number, wasLeased = false): void {
    if (!wasLeased && this.#know(low, high, 0)) this.#doneUnknown(low, high);
    this.cash?.done(low, high);
    this.#end(low, high, outcome);
  }

  /** Only after a salvage: its admission was lost, but it must not be fetched again. */
  #doneUnknown(low: number, high: number): void {
    this.contradictions.push({ kind: "unknown-url", low: low >>> 0, high: high >>> 0 });
    this.waiting++;
  }

  /** Adds the gathered fingerprints. Only the order of events of the same URL matters. */
  settle(): void {
    if (this.gathered === undefined) return;
    this.gathered.empty(this.seen, (low, high, mark, isNew) => {
      if (mark === MARK.done) {
        if (isNew) this.#doneUnknown(low, high);
      } else if (mark === MARK.found) {
        if (isNew) this.waiting++;
        else this.repeated++;
      }
    });
  }

  #know(low: number, high: number, amount: number): boolean {
    if (this.cash !== undefined) return this.cash.admit(low, high, amount);
    return this.seen.addFingerprint(low, high);
  }

  #applyCounted(counter: number, amount: number): void {
    this.count(counter, amount);
    this.cash?.counted(counter, amount);
  }

  #end(low: number, high: number, outcome: number): void {
    if (this.finished !== undefined && !this.finished.addFingerprint(low, high)) return;
    this.outcomes[outcome]!++;
    this.waiting--;
  }

  /** Whether a block that arrives now is the next one, which is journalled, a duplicate, or behind a gap. */
  arrival(producer: number, epoch: number, number: number): Arrival {
    const reached = this.received.get(key(producer, epoch)) ?? 0;
    if (number <= reached) return { kind: "duplicate", reached };
    return number === reached + 1 ? { kind: "next" } : { kind: "gap", reached };
  }

  /** The links of this block were admitted, as far as they were new. */
  receive(shard: number, epoch: number, number: number): void {
    const arrival = this.arrival(shard, epoch, number);
    if (arrival.kind === "next") this.received.set(key(shard, epoch), number);
    if (arrival.kind === "gap") this.contradictions.push({ ...arrival, shard, epoch, number });
  }

  /** The number for the next block to a shard; numbers begin with 1 in every run. */
  nextNumber(target: number, epoch: number): number {
    return (this.sent.get(key(target, epoch)) ?? 0) + 1;
  }

  /** A block for another shard is part of what was done here. */
  send(block: OutboxBlock): void {
    const { target, epoch, number } = block;
    const name = key(target, epoch);
    const reached = this.sent.get(name) ?? 0;
    if (number <= reached) return;
    if (number > reached + 1) {
      // Kept all the same: the links are real, and the target will answer with the gap.
      const shard = target;
      this.contradictions.push({ kind: "outbox-gap", shard, epoch, number, reached });
    }
    const blocks = this.outbox.get(name);
    if (blocks === undefined) this.outbox.set(name, [block]);
    else blocks.push(block);
    this.sent.set(name, number);
  }

  /** The target has all blocks up to this number; returns how many of them were not confirmed before. */
  confirm(target: number, epoch: number, number: number): number {
    const name = key(target, epoch);
    const blocks = this.outbox.get(name) ?? [];
    const upTo = Math.min(number, this.reached?.(target, epoch) ?? number);
    const left = blocks.filter((block) => block.number > upTo);
    if (left.length > 0) this.outbox.set(name, left);
    else this.outbox.delete(name);
    return blocks.length - left.length;
  }

  /** Adds to a counter of the shard. */
  count(counter: number, amount: number): void {
    this.counters[counter]! += amount;
  }

  /** Blocks to send again, oldest run first. */
  unconfirmed(): OutboxBlock[] {
    const all = [...this.outbox.values()].flat();
    return all.sort((a, b) => a.epoch - b.epoch || a.target - b.target || a.number - b.number);
  }

  #applyAdmit(cursor: EventCursor): void {
    cursor.checkLinks();
    const { bytes, to } = cursor;
    if (this.gathered !== undefined) this.gathered.addAll(bytes, cursor.linksTo(), to, MARK.found);
    else {
      this.#eachBatch(bytes, cursor.linksTo(), to, (count) => {
        this.repeated += count - this.admitAll(fingerprints, count, isNew);
      });
    }
  }

  /** Adds known URLs of a snapshot, whose fingerprints lie between `from` and `to`. */
  knowAll(bytes: Buffer, from: number, to: number): void {
    if (this.gathered === undefined) {
      this.#eachBatch(bytes, from, to, (count) => {
        if (this.cash === undefined) this.seen.addFingerprints(fingerprints, count, isNew);
        else this.cash.knowFingerprints(fingerprints, count);
      });
      return;
    }
    this.gathered.addAll(bytes, from, to, MARK.known);
    if (this.gathered.isFull) this.settle();
  }

  /** Reads the fingerprints between `from` and `to`, some at a time, into `fingerprints`. */
  #eachBatch(bytes: Buffer, from: number, to: number, take: (count: number) => void): void {
    for (let at = from; at < to; ) {
      const count = Math.min(BATCH, (to - at) >>> 3);
      for (let i = 0; i < 2 * count; i++, at += 4) fingerprints[i] = word(bytes, at);
      take(count);
    }
  }

  #applyDone(cursor: EventCursor, admissions: boolean): void {
    const { bytes, from } = cursor;
    const outcome = bytes[from + 8]!;
    if (outcome === 0) cursor.fail("a URL is done without an outcome");
    const recordEnd = readWide(bytes, from + 13) + word(bytes, from + 9);
    this.archives.noteRecord(bytes, from + DONE_FIXED_BYTES, cursor.to, recordEnd);
    const low = word(bytes, from);
    const high = word(bytes, from + 4);
    if (admissions && this.gathered === undefined) {
      this.done(low, high, outcome);
      return;
    }
    if (admissions) this.gathered!.add(low, high, MARK.done);
    this.#end(low, high, outcome);
  }

  #applyNumber(cursor: EventCursor): void {
    const { shard, epoch, number } = decodeNumber(cursor);
    if (cursor.kind === EVENT.received) this.receive(shard, epoch, number);
    else this.confirm(shard, epoch, number);
  }
}

function key(shard: number, epoch: number): string {
  return `${shard} ${epoch}`;
}
