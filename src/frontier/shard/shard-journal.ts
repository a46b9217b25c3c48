import type { Discovery } from "../discovery.ts";
import { type Finish, OUTCOME } from "../finish.ts";
import type { ShardState } from "../fold/shard-state.ts";
import type { Lease } from "../host.ts";
import { EventBatch } from "../journal/event-batch.ts";
import type { HostNote } from "../journal/host-note.ts";
import type { JournalPort } from "../journal-port.ts";
import { LinkBlock, type OutboxBlock } from "../link/link-block.ts";

/** Foreign links sent lately, so that a menu repeated on every page is not sent with every page. */
const SENT_SLOTS = 1 << 11;
/** A batch with this many bytes is written without waiting for the next flush. */
const FULL_BYTES = 512 * 1024;

/** What is to happen when a batch is durable. */
export interface Committed {
  readonly blocks: readonly OutboxBlock[];
  /** Visits whose end is in the batch, and how many of them are pages. */
  readonly finished: number;
  readonly pages: number;
  /** Producer, epoch and number of blocks whose links are in the batch. */
  readonly received: readonly (readonly [number, number, number])[];
}

/**
 * What a shard is about to journal. Everything that belongs together (the end of a visit, its new links, its blocks
 * for other shards) is in one batch, and nothing leaves the shard before that batch is durable.
 */
export class ShardJournal {
  readonly #state: ShardState;
  readonly #shard: number;
  readonly #epoch: number;
  readonly #maxBlockBytes: number;
  readonly #batch = new EventBatch();
  readonly #open = new Map<number, LinkBlock>();
  readonly #sent = new Uint32Array(2 * SENT_SLOTS);
  #blocks: OutboxBlock[] = [];
  #received: (readonly [number, number, number])[] = [];
  #confirmed: (readonly [number, number, number])[] = [];
  #onCommitted: (() => void)[] = [];
  #pages = 0;
  /** Changes of counters since the last batch. */
  readonly #counts = new Map<number, number>();

  constructor(shard: number, state: ShardState, epoch: number, maxBlockBytes: number) {
    this.#shard = shard;
    this.#state = state;
    this.#epoch = epoch;
    this.#maxBlockBytes = maxBlockBytes;
  }

  /** True when the batch should be written now. */
  get isFull(): boolean {
    return this.#batch.eventBytes >= FULL_BYTES;
  }

  /** A URL that the state has just admitted. */
  admit(found: Discovery, low: number, high: number): void {
    this.#batch.admit(found, low, high);
  }

  /** A link for another shard. Redirects always travel, because their owner must learn of the chain; links only if not sent lately. */
  post(target: number, found: Discovery, low: number, high: number): void {
    if (found.via === "link" && !this.#isNews(low, high)) return;
    let block = this.#open.get(target);
    if (block?.tryAdd(found)) return;
    if (block !== undefined) this.#close(target, block);
    block = new LinkBlock(this.#maxBlockBytes);
    block.tryAdd(found);
    this.#open.set(target, block);
  }

  /** A block for another shard that was packed elsewhere. */
  send(target: number, links: number, bytes: Uint8Array): void {
    const epoch = this.#epoch;
    const number = this.#state.nextNumber(target, epoch);
    const closed: OutboxBlock = { target, epoch, number, links, bytes };
    this.#state.send(closed);
    this.#blocks.push(closed);
  }

  /** Pages of this shard have got these credits. */
  credited(origin: number, credits: Uint8Array): void {
    this.#batch.credited(origin, credits);
  }

  /** A site has minted. */
  minted(low: number, high: number, amount: number): void {
    this.#batch.minted(low, high, amount);
  }

  /** What a host asked for, for later runs. */
  note(note: HostNote): void {
    this.#batch.host(note);
  }

  /** Adds to a counter; one event per batch tells. */
  count(counter: number, amount: number): void {
    if (amount === 0) return;
    this.#state.count(counter, amount);
    this.#counts.set(counter, (this.#counts.get(counter) ?? 0) + amount);
  }

  /** The end of a visit. */
  done(lease: Lease, { outcome, record, onCommitted }: Finish): void {
    const { low, high } = lease;
    this.#state.done(low, high, outcome, true);
    // The builder puts the place of the record here once it has written it.
    const where = typeof record === "number" ? { file: "", offset: 0, length: record + 1 } : record;
    this.#batch.done(low, high, outcome, where);
    this.#onCommitted.push(onCommitted);
    if (outcome === OUTCOME.page) this.#pages++;
  }

  /** The new links of a block are in this batch. */
  received(producer: number, epoch: number, number: number): void {
    this.#state.receive(producer, epoch, number);
    this.#batch.received(producer, epoch, number);
    this.#received.push([producer, epoch, number]);
  }

  /** Another shard has this block. That may wait for the next batch: at worst the block is sent again. */
  confirmed(target: number, epoch: number, number: number): number {
    this.#confirmed.push([target, epoch, number]);
    return this.#state.confirm(target, epoch, number);
  }

  /** Closes the open blocks; answers how many blocks will leave with the batch. */
  closeBlocks(): number {
    if (this.#open.size > 0) {
      for (const [target, block] of this.#open) this.#close(target, block);
      this.#open.clear();
    }
    return this.#blocks.length;
  }

  /** Writes the batch if there is something in it; confirmations alone only when this is the `last` chance. */
  flush(port: JournalPort, last: boolean, whenDurable: (committed: Committed) => void): void {
    const batch = this.#batch;
    if (batch.events === 0 && this.#blocks.length === 0 && !(last && this.#confirmed.length > 0))
      return;
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
    };
    this.#blocks = [];
    this.#received = [];
    this.#confirmed = [];
    this.#onCommitted = [];
    this.#pages = 0;
    port.write(this.#shard, batch.take(), () => {
      for (const tell of onCommitted) tell();
      whenDurable(committed);
    });
  }

  #close(target: number, block: LinkBlock): void {
    this.send(target, block.links, new Uint8Array(block.bytes.subarray(0, block.used)));
  }

  /** Two spellings of one page have one fingerprint: to its owner the second is no news either. */
  #isNews(low: number, high: number): boolean {
    const slot = 2 * (high & (SENT_SLOTS - 1));
    if (this.#sent[slot] === low && this.#sent[slot + 1] === high) return false;
    this.#sent[slot] = low;
    this.#sent[slot + 1] = high;
    return true;
  }
}
