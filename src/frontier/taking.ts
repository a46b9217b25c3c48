import type { Lease } from "./host.ts";
import type { Lender, LentSoFar } from "./lending/lender.ts";
import type { Lending } from "./lending/lending.ts";
import type { ThreadOrder } from "./opic/thread-order.ts";
import type { Shard } from "./shard/shard.ts";

/** Asking costs the same for one lease as for these. */
const FEWEST_ASKED = 16;

/** What a thread takes URLs from. */
export interface TakingParts {
  readonly shards: readonly Shard[];
  readonly order: ThreadOrder | undefined;
  readonly lending: Pick<Lending, "take" | "askFirst">;
  readonly lender: Pick<Lender, "spare" | "returned">;
}

/**
 * Which URLs a thread takes next: what it has borrowed, then those of its shards in turn. When another thread has
 * plenty of pages that are worth more than all of its own, it asks for those first, as far as that thread lends any.
 */
export class Taking {
  readonly #parts: TakingParts;
  #turn = 0;
  #nowMs = 0;
  /** Own URLs wait until then for better ones of another thread; 0 when they do not. */
  #heldUntilMs = 0;

  constructor(parts: TakingParts) {
    this.#parts = parts;
  }

  /** Leases for other threads are taken at this time: one that lends goes by the same clock as one that takes. */
  set nowMs(nowMs: number) {
    this.#nowMs = nowMs;
  }

  takeMany(limit: number, nowMs: number): Lease[] {
    const { order, lending } = this.#parts;
    this.#nowMs = nowMs;
    this.#heldUntilMs = 0;
    const better = order?.compare() ?? -1;
    // Borrowed ones first: they hold page permits that own ones may be waiting for.
    const borrowed = this.#takeBorrowed(limit);
    if (borrowed.length > 0) return borrowed;
    if (better >= 0) {
      this.#heldUntilMs = lending.askFirst(better, Math.max(limit, FEWEST_ASKED), nowMs);
      if (this.#heldUntilMs > 0) return borrowed;
    }
    return this.#takeOwn(limit, nowMs);
  }

  /** Takes leases for another thread. */
  takeSpare(limit: number, lent: LentSoFar): Lease[] {
    const { lender } = this.#parts;
    const spare = lender.spare(limit, lent);
    const leases = this.#takeOwn(spare, this.#nowMs);
    for (let left = spare - leases.length; left > 0; left--) lender.returned();
    return leases;
  }

  /** When there may be something to take. */
  nextReadyMs(): number {
    if (this.#heldUntilMs > 0) return this.#heldUntilMs;
    let next = Number.POSITIVE_INFINITY;
    for (const shard of this.#parts.shards) next = Math.min(next, shard.nextReadyMs());
    return next;
  }

  #takeBorrowed(limit: number): Lease[] {
    const taken: Lease[] = [];
    while (taken.length < limit) {
      const borrowed = this.#parts.lending.take();
      if (borrowed === undefined) break;
      taken.push(borrowed);
    }
    return taken;
  }

  #takeOwn(limit: number, nowMs: number): Lease[] {
    const { order } = this.#parts;
    order?.refill(limit);
    const taken = this.#takeReady(limit, nowMs);
    if (order === undefined || taken.length > 0 || !order.rouse(nowMs)) return taken;
    order.refill(limit);
    return this.#takeReady(limit, nowMs);
  }

  #takeReady(limit: number, nowMs: number): Lease[] {
    const { shards } = this.#parts;
    const taken: Lease[] = [];
    let empty = 0;
    while (taken.length < limit && empty < shards.length) {
      const lease = shards[this.#turn]!.take(nowMs);
      if (lease === undefined) {
        empty++;
      } else {
        taken.push(lease);
        empty = 0;
      }
      this.#turn = (this.#turn + 1) % shards.length;
    }
    return taken;
  }
}
