import type { Discovery } from "../frontier.ts";
import type { ShardJournal } from "../shard-journal.ts";
import { CashBlock } from "./cash-block.ts";
import { CASH_COUNTERS } from "./shard-cash.ts";

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
  readonly #open = new Map<number, CashBlock>();
  readonly #prints = new Uint32Array(2 * SLOTS);
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
      if (this.#prints[2 * slot] === low && this.#prints[2 * slot + 1] === high) {
        if (amount > 0 && this.#amounts[slot] === 0) this.#owing.push(slot);
        this.#amounts[slot]! += amount;
        return this.#amounts[slot]!;
      }
      this.#pay(slot);
      this.#prints[2 * slot] = low;
      this.#prints[2 * slot + 1] = high;
      this.#targets[slot] = target;
      if (found === undefined) {
        if (amount > 0) this.#owing.push(slot);
        this.#amounts[slot] = amount;
        return amount;
      }
    }
    const isIn = this.#open.get(target)?.tryAdd(found, amount);
    if (!isIn) this.#begin(target).tryAdd(found, amount);
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
    if (this.#open.size === 0) return;
    for (const [target, block] of this.#open) this.#close(target, block);
    this.#open.clear();
  }

  /** The credits merged in a slot go into a block. */
  #pay(slot: number): void {
    const amount = this.#amounts[slot]!;
    if (amount === 0) return;
    this.#amounts[slot] = 0;
    const target = this.#targets[slot]!;
    const low = this.#prints[2 * slot]!;
    const high = this.#prints[2 * slot + 1]!;
    const isIn = this.#open.get(target)?.tryCredit(low, high, amount);
    if (!isIn) this.#begin(target).tryCredit(low, high, amount);
  }

  /** A new block for a shard; the one before is full. */
  #begin(target: number): CashBlock {
    const full = this.#open.get(target);
    if (full !== undefined) this.#close(target, full);
    const block = new CashBlock(this.#maxBlockBytes);
    this.#open.set(target, block);
    return block;
  }

  #close(target: number, block: CashBlock): void {
    this.#journal.send(target, block.links, block.close());
    this.#journal.count(CASH_COUNTERS.sent, block.total);
  }
}
