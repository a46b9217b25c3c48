import type { CreditOrigin } from "./cash-book.ts";
import type { PagePriority } from "./deal.ts";
import { HostQueues } from "./host-queues.ts";
import { MergedOrder } from "./merged-order.ts";
import type { OpicOrder } from "./opic-order.ts";
import type { OpicQueue } from "./opic-queue.ts";

/** R: pages drawn at a time. Few, because a page that is drawn can no longer be raised (decision 0007). */
const BATCH = 8;
/** Pages of one host that are ready in memory. */
const CAPACITY = 16;
/** A thread with idle places looks past the pages of busy hosts this often. */
const ROUSE_MS = 250;

/** The shards of a thread as one order: which pages their hosts have to take. All shards join before the first draw. */
export class ThreadOrder {
  readonly #shards: OpicQueue[] = [];
  readonly #orders: OpicOrder[] = [];
  readonly #hosts: HostQueues;
  #rousedMs = Number.NEGATIVE_INFINITY;

  /** Called when a page that was fetched before gets a credit. */
  readonly onLate: (origin: CreditOrigin) => void;

  /** What pages are worth by themselves. */
  readonly priority: PagePriority | undefined;

  constructor(onLate: (origin: CreditOrigin) => void, priority?: PagePriority) {
    this.onLate = onLate;
    this.priority = priority;
    this.#hosts = new HostQueues({
      order: new MergedOrder(this.#orders),
      hostOf: (page) =>
        this.#name(page % this.#count, this.#shardOf(page).hostOf(this.#local(page))),
      cashOf: (page) => this.#shardOf(page).cashOf(this.#local(page)),
      batch: BATCH,
      capacity: CAPACITY,
    });
  }

  /** A shard takes part; answers its place among the others. */
  join(queue: OpicQueue): number {
    this.#orders.push(queue.order);
    return this.#shards.push(queue) - 1;
  }

  /** The order of the shard at this place. */
  orderOf(place: number): OpicOrder {
    return this.#orders[place]!;
  }

  /** Draws until `wanted` hosts that had nothing to take have something, or those that have are enough to do. */
  refill(wanted: number): void {
    for (const host of this.#hosts.refill(wanted)) {
      this.#shards[host % this.#count]!.woken(this.#local(host));
    }
  }

  /** There are idle places and no host that may be asked: pages of other hosts are looked for behind theirs. */
  rouse(nowMs: number): boolean {
    if (nowMs - this.#rousedMs < ROUSE_MS) return false;
    this.#rousedMs = nowMs;
    this.#hosts.rouse();
    return true;
  }

  has(shard: number, host: number): boolean {
    return this.#hosts.has(this.#name(shard, host));
  }

  /** The host's next page, which is now fetched. */
  next(shard: number, host: number): number {
    return this.#local(this.#hosts.next(this.#name(shard, host))!);
  }

  get #count(): number {
    return this.#shards.length;
  }

  /** Pages and hosts of all shards have one numbering here. */
  #name(shard: number, number: number): number {
    return number * this.#count + shard;
  }

  #local(name: number): number {
    return Math.floor(name / this.#count);
  }

  #shardOf(name: number): OpicQueue {
    return this.#shards[name % this.#count]!;
  }
}
