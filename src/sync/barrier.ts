import { deadlineAfter, msUntil } from "../runtime/clock.ts";

/** Rounds completed; sleepers wait on it. */
const ROUND = 0;
/** From here one word per party: the last round it arrived for, counted from 1, or ABSENT. */
const PARTIES = 1;
const ABSENT = 0x7fffffff;

/** Reusable barrier: arrival is one store by the party itself, so that a dead party can be told apart from a late one. */
export class Barrier {
  readonly #words: Int32Array;
  readonly #base: number;
  readonly #parties: number;
  readonly #me: number;

  /** Party ids are 1..parties, like owner ids. */
  constructor(words: Int32Array, index: number, parties: number, ownerId: number) {
    this.#words = words;
    this.#base = index;
    this.#parties = parties;
    this.#me = ownerId;
  }

  /** Words needed for that many parties. */
  static words(parties: number): number {
    return PARTIES + parties;
  }

  /** Marks this party as present; returns the round to wait for. */
  arrive(): number {
    const round = Atomics.load(this.#words, this.#base + ROUND);
    Atomics.store(this.#words, this.#base + PARTIES + this.#me - 1, round + 1);
    Barrier.#completeIfAllHere(this.#words, this.#base, this.#parties, round);
    return round;
  }

  /** Blocks until the round is complete; false after the time-out (the arrival stands, wait again). */
  wait(round: number, timeoutMs = Number.POSITIVE_INFINITY): boolean {
    const deadline = deadlineAfter(timeoutMs);
    let expired = false;
    while (Atomics.load(this.#words, this.#base + ROUND) === round) {
      if (expired) return false;
      const leftMs = msUntil(deadline);
      expired = Atomics.wait(this.#words, this.#base + ROUND, round, leftMs) === "timed-out";
    }
    return true;
  }

  /** Arrives and blocks until everybody has. */
  arriveAndWait(timeoutMs = Number.POSITIVE_INFINITY): boolean {
    return this.wait(this.arrive(), timeoutMs);
  }

  /** A dead or leaving party is no longer waited for. */
  static reclaim(words: Int32Array, index: number, parties: number, deadOwner: number): void {
    Atomics.store(words, index + PARTIES + deadOwner - 1, ABSENT);
    const round = Atomics.load(words, index + ROUND);
    Barrier.#completeIfAllHere(words, index, parties, round);
    // It may have completed the round and died before waking the others.
    Atomics.notify(words, index + ROUND);
  }

  static #completeIfAllHere(
    words: Int32Array,
    index: number,
    parties: number,
    round: number,
  ): void {
    for (let party = 0; party < parties; party++) {
      if (Atomics.load(words, index + PARTIES + party) <= round) return;
    }
    // Several parties may see everybody here; the compare lets exactly one of them end the round.
    if (Atomics.compareExchange(words, index + ROUND, round, round + 1) === round) {
      Atomics.notify(words, index + ROUND);
    }
  }
}
