import type { PageOrder } from "./host-queues.ts";
import type { OpicOrder } from "./opic-order.ts";

/** Entries drawn from one shard before the others are asked again; a shard's best pages are seldom alone. */
const STEP = 16;

/**
 * The orders of all shards of a thread as one: always from the shard whose best entry is in the highest range, so that
 * the order of a crawl does not depend on how many shards a thread owns. Page p of shard i is p * shards + i here.
 */
export class MergedOrder implements PageOrder {
  readonly #orders: readonly OpicOrder[];

  constructor(orders: readonly OpicOrder[]) {
    this.#orders = orders;
  }

  get entries(): number {
    let entries = 0;
    for (let shard = 0; shard < this.#orders.length; shard++) {
      entries += this.#orders[shard]!.entries;
    }
    return entries;
  }

  draw(count: number, into: number[]): void {
    for (let left = count; left > 0; left -= STEP) {
      const shard = this.#best();
      if (shard < 0) return;
      this.#orders[shard]!.draw(Math.min(left, STEP), into, this.#orders.length, shard);
    }
  }

  take(page: number): void {
    this.#orderOf(page).take(this.#local(page));
  }

  setAside(page: number): void {
    this.#orderOf(page).setAside(this.#local(page));
  }

  hold(page: number): boolean {
    return this.#orderOf(page).hold(this.#local(page));
  }

  cashOf(page: number): number {
    return this.#orderOf(page).cashOf(this.#local(page));
  }

  cashOfAll(pages: readonly number[], into: Float64Array): void {
    // A host belongs to one shard.
    this.#orderOf(pages[0]!).cashOfAll(pages, into, this.#orders.length);
  }

  #orderOf(page: number): OpicOrder {
    return this.#orders[page % this.#orders.length]!;
  }

  #local(page: number): number {
    return Math.floor(page / this.#orders.length);
  }

  #best(): number {
    let best = -1;
    let highest = -1;
    for (let shard = 0; shard < this.#orders.length; shard++) {
      const range = this.#orders[shard]!.topRange();
      if (range <= highest) continue;
      highest = range;
      best = shard;
    }
    return best;
  }
}
