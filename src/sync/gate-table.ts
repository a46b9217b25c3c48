import { CapacityError } from "../errors.ts";

/** A word below zero is held by the thread with that id, negated; otherwise it is the next allowed time in ms. */
const FREE = 0n;

/** Bytes of shared memory for a table of `gates` gates. */
export function gateBytes(gates: number): number {
  if (gates < 1 || (gates & (gates - 1)) !== 0) {
    throw new CapacityError(`the gate table needs a power of two, not ${gates}`);
  }
  return gates * 8;
}

/**
 * Politeness that crosses shards: hash of a host or of an address -> next allowed time, claimed by CAS.
 * Every request passes it first. Two keys that share a gate only slow each other down.
 * Times are milliseconds of one monotonic clock that all threads share.
 */
export class GateTable {
  readonly #words: BigInt64Array;
  readonly #mask: number;
  readonly #me: bigint;

  constructor(memory: SharedArrayBuffer, owner: number) {
    this.#words = new BigInt64Array(memory);
    this.#mask = this.#words.length - 1;
    this.#me = BigInt(-owner);
  }

  /**
   * Takes the gate for one request at a time: 0 when taken (then `leave` must follow), otherwise the milliseconds
   * until it is worth asking again.
   */
  tryEnter(hash: number, nowMs: number, retryMs: number): number {
    const gate = hash & this.#mask;
    const next = Atomics.load(this.#words, gate);
    if (next < FREE) return retryMs;
    const waitMs = Number(next) - nowMs;
    if (waitMs > 0) return waitMs;
    return Atomics.compareExchange(this.#words, gate, next, this.#me) === next ? 0 : retryMs;
  }

  /** Opens the gate again from `nextMs` on: the end of the request plus the delay. */
  leave(hash: number, nextMs: number): void {
    Atomics.store(this.#words, hash & this.#mask, BigInt(Math.ceil(nextMs)));
  }

  /**
   * Reserves the next start, `spacingMs` after the one before: the time at which the caller may start.
   * A table is used either through `tryEnter` and `leave`, or through `reserve`, or through `tryStart`, never two of them.
   */
  reserve(hash: number, nowMs: number, spacingMs: number): number {
    const gate = hash & this.#mask;
    for (;;) {
      const next = Atomics.load(this.#words, gate);
      const startMs = Math.max(Number(next), nowMs);
      const after = BigInt(Math.ceil(startMs + spacingMs));
      if (Atomics.compareExchange(this.#words, gate, next, after) === next) return startMs;
    }
  }

  /** Milliseconds until the next start is free; 0 or less when it is now. */
  untilStart(hash: number, nowMs: number): number {
    return Number(Atomics.load(this.#words, hash & this.#mask)) - nowMs;
  }

  /** Begins now, `spacingMs` or more after the last one did: 0, or the milliseconds until that is possible. */
  tryStart(hash: number, nowMs: number, spacingMs: number): number {
    const gate = hash & this.#mask;
    const later = BigInt(Math.ceil(nowMs + spacingMs));
    for (;;) {
      const next = Atomics.load(this.#words, gate);
      const waitMs = Number(next) - nowMs;
      if (waitMs > 0) return waitMs;
      if (Atomics.compareExchange(this.#words, gate, next, later) === next) return 0;
    }
  }

  /** What was begun happens later than `tryStart` was told: nothing else starts before `nextMs`. */
  raise(hash: number, nextMs: number): void {
    const gate = hash & this.#mask;
    const wanted = BigInt(Math.ceil(nextMs));
    for (;;) {
      const next = Atomics.load(this.#words, gate);
      if (next >= wanted || Atomics.compareExchange(this.#words, gate, next, wanted) === next)
        return;
    }
  }

  /** The start that was to keep others away until `claimedMs` keeps them away until `nextMs`, unless another has begun since. */
  move(hash: number, claimedMs: number, nextMs: number): void {
    const claimed = BigInt(Math.ceil(claimedMs));
    const next = BigInt(Math.ceil(nextMs));
    const found = Atomics.compareExchange(this.#words, hash & this.#mask, claimed, next);
    if (found !== claimed) this.raise(hash, nextMs);
  }

  /** Opens every gate a dead thread held, from `nextMs` on. */
  reclaim(deadOwner: number, nextMs: number): number {
    const dead = BigInt(-deadOwner);
    const next = BigInt(Math.ceil(nextMs));
    let freed = 0;
    // Nobody else touches a gate that is held, so a plain look finds all of them: natively, because there are a million.
    for (
      let gate = this.#words.indexOf(dead);
      gate >= 0;
      gate = this.#words.indexOf(dead, gate + 1)
    ) {
      if (Atomics.compareExchange(this.#words, gate, dead, next) === dead) freed++;
    }
    return freed;
  }
}
