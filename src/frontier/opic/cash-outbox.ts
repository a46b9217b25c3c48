import { CashBlock } from "../cash/cash-block.ts";
import { CASH_COUNTERS } from "../cash/shard-cash.ts";
import type { Discovery } from "../discovery.ts";
import type { ShardJournal } from "../shard/shard-journal.ts";

/** Foreign links sent lately: their owner knows them, so only their credit travels, merged. */
const SLOTS = 1 << 11;

/**
 * Links and cash on their way to other shards. A menu that stands on every page is sent once; its later credits are
 * added up and leave together, without the URL. Those that have not left when a run ends, or dies, are in no journal:
 * their cash is still the virtual page's.
 */
export class CashOutbox {
  readonly #journal: ShardJournal;
  readonly #maxBlockBytes: number;
  /** Blocks that are being filled, by target. */
  readonly #open: (CashBlock | undefined)[] = [];
  /** Their targets, in the order in which they were begun. */
  readonly #begun: number[] = [];
  /** Blocks that were closed, for the next ones. */
  readonly #spare: CashBlock[] = [];
  readonly #fingerprints = new Uint32Array(2 * SLOTS);
  readonly #targets = new Uint16Array(SLOTS);
  readonly #amounts = new Float64Array(SLOTS);
  /** Slots with an amount. */
  #owing: number[] = [];
  /** Something was posted since credits left. */
  #hasPosted = false;

  constructor(journal: ShardJournal, maxBlockBytes: number) {
    this.#journal = journal;
    this.#maxBlockBytes = maxBlockBytes;
  }

  /**
   * A link for another shard, by what its owner knows it by, and its credit; without the link when its owner knows that
   * for certain. Redirects always travel: their owner must learn of the chain. Answers how much of its credits is held
   * back since the last exchange, as far as that is known.
   */
  post(target: number, low: number, high: number, amount: number, found?: Discovery): number {
    this.#hasPosted = true;
    if (found === undefined || found.via === "link") {
      const slot = high & (SLOTS - 1);
      if (this.#fingerprints[2 * slot] === low && this.#fingerprints[2 * slot + 1] === high) {
        if (amount > 0 && this.#amounts[slot] === 0) this.#owing.push(slot);
        this.#amounts[slot]! += amount;
        return this.#amounts[slot]!;
      }
      this.#pay(slot);
      this.#fingerprints[2 * slot] = low;
      this.#fingerprints[2 * slot + 1] = high;
      this.#targets[slot] = target;
      if (found === undefined) {
        if (amount > 0) this.#owing.push(slot);
        this.#amounts[slot] = amount;
        return amount;
      }
    }
    if (!this.#blockFor(target).tryAdd(found, amount)) this.#next(target).tryAdd(found, amount);
    return amount;
  }

  /** Merged credits leave; false when nothing was posted since they last did. */
  payOut(): boolean {
    const hasPosted = this.#hasPosted;
    this.#hasPosted = false;
    for (const slot of this.#owing) this.#pay(slot);
    this.#owing = [];
    return hasPosted;
  }

  /** Hands all open blocks to the journal. */
  closeBlocks(): void {
    const begun = this.#begun;
    for (let i = 0; i < begun.length; i++) {
      const target = begun[i]!;
      const block = this.#open[target]!;
      this.#close(target, block);
      this.#open[target] = undefined;
      this.#spare.push(block);
    }
    begun.length = 0;
  }

  /** The credits merged in a slot go into a block. */
  #pay(slot: number): void {
    const amount = this.#amounts[slot]!;
    if (amount === 0) return;
    this.#amounts[slot] = 0;
    const target = this.#targets[slot]!;
    const low = this.#fingerprints[2 * slot]!;
    const high = this.#fingerprints[2 * slot + 1]!;
    if (!this.#blockFor(target).tryCredit(low, high, amount))
      this.#next(target).tryCredit(low, high, amount);
  }

  /** The block that is being filled for a shard. */
  #blockFor(target: number): CashBlock {
    const open = this.#open[target];
    if (open !== undefined) return open;
    const block = this.#spare.pop() ?? new CashBlock(this.#maxBlockBytes);
    this.#open[target] = block;
    this.#begun.push(target);
    return block;
  }

  /** The block for a shard is full: it leaves, and is filled anew. */
  #next(target: number): CashBlock {
    const block = this.#open[target]!;
    this.#close(target, block);
    return block;
  }

  #close(target: number, block: CashBlock): void {
    this.#journal.send(target, block.links, block.close());
    this.#journal.count(CASH_COUNTERS.sent, block.total);
    block.clear();
  }
}
