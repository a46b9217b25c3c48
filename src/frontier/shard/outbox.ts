import { CashBlock } from "../cash/cash-block.ts";
import { CASH_COUNTERS } from "../cash/shard-cash.ts";
import type { Discovery } from "../discovery.ts";
import type { ShardJournal } from "./shard-journal.ts";

/** Foreign links sent lately: their owner knows them, so they need not be sent again. */
const SLOTS = 1 << 11;
const NO_FINGERPRINTS: readonly number[] = [];

/**
 * Links on their way to other shards, in one block for each. A menu that stands on every page is sent once; where links
 * carry cash, its later credits are added up and leave together, without the URL. Those that have not left when a run
 * ends, or dies, are in no journal: their cash is still the virtual page's.
 */
export class Outbox {
  readonly #journal: ShardJournal;
  readonly #newBlock: () => CashBlock;
  /** Blocks that are being filled, by target. */
  readonly #open: (CashBlock | undefined)[] = [];
  /** Their targets, in the order in which they were begun. */
  readonly #targetsOpen: number[] = [];
  /** Blocks that were closed, for the next ones. */
  readonly #closed: CashBlock[] = [];
  readonly #fingerprints = new Uint32Array(2 * SLOTS);
  readonly #targets = new Uint16Array(SLOTS);
  readonly #amounts = new Float64Array(SLOTS);
  /** Slots with an amount. */
  #owing: number[] = [];
  /** Something was posted since credits left. */
  #hasPosted = false;
  /** Fingerprints of links in the blocks of the next batch, both halves of each; only kept where somebody asks. */
  #inBlocks: number[] | undefined;

  constructor(journal: ShardJournal, maxBlockBytes: number, carriesCash: boolean) {
    this.#journal = journal;
    this.#newBlock = () => new CashBlock(maxBlockBytes, carriesCash);
  }

  /**
   * A link for another shard, by the fingerprint under which its owner knows it, and its credit; without the link when
   * its owner knows that for certain. Redirects always travel: their owner must learn of the chain. Returns how much of
   * its credits is held back since the last exchange, as far as that is known.
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
      if (this.#amounts[slot] !== 0) this.#pay(slot);
      this.#fingerprints[2 * slot] = low;
      this.#fingerprints[2 * slot + 1] = high;
      this.#targets[slot] = target;
      if (found === undefined) {
        if (amount > 0) this.#owing.push(slot);
        this.#amounts[slot] = amount;
        return amount;
      }
      this.#inBlocks?.push(low, high);
    }
    if (!this.#blockFor(target).tryAdd(found, amount)) this.#emptied(target).tryAdd(found, amount);
    return amount;
  }

  /** From now on `takeFingerprints` tells which links went to other shards. */
  keepFingerprints(): void {
    this.#inBlocks = [];
  }

  /** The fingerprints of the links that were put into blocks since the last call, both halves of each: they leave with the next batch. */
  takeFingerprints(): readonly number[] {
    const taken = this.#inBlocks;
    if (taken === undefined || taken.length === 0) return NO_FINGERPRINTS;
    this.#inBlocks = [];
    return taken;
  }

  /** It is time for an exchange: merged credits leave with the next batch. False when nothing was posted since they last did. */
  payOut(): boolean {
    const hasPosted = this.#hasPosted;
    this.#hasPosted = false;
    for (const slot of this.#owing) if (this.#amounts[slot] !== 0) this.#pay(slot);
    this.#owing = [];
    return hasPosted;
  }

  /** True when no block is being filled. */
  get isEmpty(): boolean {
    return this.#targetsOpen.length === 0;
  }

  /** Hands all open blocks to the journal. */
  closeBlocks(): void {
    for (const target of this.#targetsOpen) {
      this.#closed.push(this.#emptied(target));
      this.#open[target] = undefined;
    }
    this.#targetsOpen.length = 0;
  }

  /** The credits merged in a slot go into a block. */
  #pay(slot: number): void {
    const amount = this.#amounts[slot]!;
    this.#amounts[slot] = 0;
    const target = this.#targets[slot]!;
    const low = this.#fingerprints[2 * slot]!;
    const high = this.#fingerprints[2 * slot + 1]!;
    if (!this.#blockFor(target).tryCredit(low, high, amount))
      this.#emptied(target).tryCredit(low, high, amount);
  }

  /** The block that is being filled for a shard. */
  #blockFor(target: number): CashBlock {
    const open = this.#open[target];
    if (open !== undefined) return open;
    this.#targetsOpen.push(target);
    this.#open[target] = this.#closed.pop() ?? this.#newBlock();
    return this.#open[target];
  }

  /** Hands the block for a shard to the journal; the same block is filled anew. */
  #emptied(target: number): CashBlock {
    const block = this.#open[target]!;
    this.#journal.send(target, block.links, block.close());
    this.#journal.count(CASH_COUNTERS.sent, block.total);
    block.clear();
    return block;
  }
}
