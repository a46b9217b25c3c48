import type { Fact } from "../fact.ts";
import { type Finish, OUTCOME } from "../finish.ts";
import type { ShardState } from "../fold/shard-state.ts";
import type { Lease } from "../host.ts";
import { EventBatch } from "../journal/event-batch.ts";
import type { HostNote } from "../journal/host-note.ts";
import type { JournalPort } from "../journal-port.ts";
import type { OutboxBlock } from "../link/link-block.ts";

/** A batch with this many bytes is written without waiting for the next flush. */
const FULL_BYTES = 512 * 1024;
const NO_FACTS: readonly Fact[] = [];

/** What is to happen when a batch is durable. */
export interface Committed {
  readonly blocks: readonly OutboxBlock[];
  /** Visits whose end is in the batch, and how many of them are pages. */
  readonly finished: number;
  readonly pages: number;
  /** Producer, epoch and number of blocks whose links are in the batch. */
  readonly received: readonly (readonly [number, number, number])[];
  /** What its visits found out. */
  readonly facts: readonly Fact[];
}

/**
 * What a shard is about to journal. Everything that belongs together (the end of a visit, its new links, its blocks
 * for other shards) is in one batch, and nothing leaves the shard before that batch is durable.
 */
export class ShardJournal {
  readonly #state: ShardState;
  readonly #shard: number;
  readonly #epoch: number;
  /** What the next batch has so far; beside it only links that the state has just admitted are put in. */
  readonly batch = new EventBatch();
  #blocks: OutboxBlock[] = [];
  #received: (readonly [number, number, number])[] = [];
  #confirmed: (readonly [number, number, number])[] = [];
  #onCommitted: (() => void)[] = [];
  #pages = 0;
  #facts: readonly Fact[] = NO_FACTS;
  /** Changes of counters since the last batch. */
  readonly #counts = new Map<number, number>();

  constructor(shard: number, state: ShardState, epoch: number) {
    this.#shard = shard;
    this.#state = state;
    this.#epoch = epoch;
  }

  /** Blocks that will leave with the batch. */
  get blocks(): number {
    return this.#blocks.length;
  }

  /** True when nothing waits for a batch but what can wait for the next one. */
  get isEmpty(): boolean {
    return this.batch.events === 0 && this.#blocks.length === 0;
  }

  /** True when the batch should be written now. */
  get isFull(): boolean {
    return this.batch.eventBytes >= FULL_BYTES;
  }

  /** A block for another shard leaves with the batch. */
  send(target: number, links: number, bytes: Uint8Array): void {
    const epoch = this.#epoch;
    const number = this.#state.nextNumber(target, epoch);
    const closed: OutboxBlock = { target, epoch, number, links, bytes };
    this.#state.send(closed);
    this.#blocks.push(closed);
  }

  /** Pages of this shard have got these credits. */
  credited(origin: number, credits: Uint8Array): void {
    this.batch.credited(origin, credits);
  }

  /** A site has minted. */
  minted(low: number, high: number, amount: number): void {
    this.batch.minted(low, high, amount);
  }

  /** What a host asked for, for later runs. */
  note(note: HostNote): void {
    this.batch.host(note);
  }

  /** Adds to a counter; each batch has one event for it. */
  count(counter: number, amount: number): void {
    if (amount === 0) return;
    this.#state.count(counter, amount);
    this.#counts.set(counter, (this.#counts.get(counter) ?? 0) + amount);
  }

  /** The end of a visit. */
  done(lease: Lease, { outcome, record, facts, onCommitted }: Finish): void {
    const { low, high } = lease;
    this.#state.done(low, high, outcome, true);
    // The builder puts the place of the record here once it has written it.
    const where = typeof record === "number" ? { file: "", offset: 0, length: record + 1 } : record;
    this.batch.done(low, high, outcome, where);
    this.#onCommitted.push(onCommitted);
    if (outcome === OUTCOME.page) this.#pages++;
    if (facts === undefined || facts.length === 0) return;
    for (const fact of facts) {
      this.#state.learn(fact);
      this.batch.extension(fact.kind, fact.bytes);
    }
    this.#facts = [...this.#facts, ...facts];
  }

  /** The visit that ends in this batch is a page of a site with a budget. */
  site(low: number, high: number): void {
    this.#state.countSite(low, high, 1);
    this.batch.site(low, high, 1);
  }

  /** The new links of a block are in this batch. */
  received(producer: number, epoch: number, number: number): void {
    this.#state.receive(producer, epoch, number);
    this.batch.received(producer, epoch, number);
    this.#received.push([producer, epoch, number]);
  }

  /** Another shard has this block. That may wait for the next batch: at worst the block is sent again. */
  confirmed(target: number, epoch: number, number: number): number {
    this.#confirmed.push([target, epoch, number]);
    return this.#state.confirm(target, epoch, number);
  }

  /** Writes the batch if there is something in it; confirmations and counters alone only when this is the `last` chance. */
  flush(port: JournalPort, last: boolean, whenDurable: (committed: Committed) => void): void {
    const batch = this.batch;
    if (this.isEmpty && !(last && this.#confirmed.length + this.#counts.size > 0)) return;
    for (const block of this.#blocks) batch.outbox(block);
    for (const [counter, amount] of this.#counts) batch.counted(counter, amount);
    this.#counts.clear();
    for (const [target, epoch, number] of this.#confirmed) batch.confirmed(target, epoch, number);
    const onCommitted = this.#onCommitted;
    const committed: Committed = {
      blocks: this.#blocks,
      finished: onCommitted.length,
      pages: this.#pages,
      received: this.#received,
      facts: this.#facts,
    };
    this.#blocks = [];
    this.#received = [];
    this.#confirmed = [];
    this.#onCommitted = [];
    this.#pages = 0;
    this.#facts = NO_FACTS;
    port.write(this.#shard, batch.take(), () => {
      for (const notify of onCommitted) notify();
      whenDurable(committed);
    });
  }
}
