import { OrbweaverError } from "../errors.ts";

// Words of the board. PHASE counts up; everything below is written before it and read after it.
const PHASE = 0;
const PENDING = 1;
const ACT = 2;
const DEPTH = 3;
const FAILED = 4;
const WORDS = 6; // even, so that the pivot behind is aligned
const PIVOT_BYTES = 8;

const INSERT = 1;
const SPLIT = 2;
const STOP = 3;

/** Polls before sleeping: a wake-up takes longer than most phases. */
const SPINS = 2000;
const LONGEST_PHASE_MS = 60_000;

/** What all slices do at the same time; everything else is done by the coordinator between phases. */
export type Phase = { act: "insert"; depth: number } | { act: "split"; pivot: number };

/** Bytes of shared memory for a board. */
export const BOARD_BYTES = 4 * WORDS + PIVOT_BYTES;

/**
 * Where the coordinator posts a phase and the threads of the slices report its end. Both sides block, so only threads
 * without sockets may use it.
 *
 * A phase's arguments are plain writes before the atomic change of PHASE, and the slices' results plain writes before
 * the atomic change of PENDING; each side reads only after it has seen that change.
 */
export class PhaseBoard {
  readonly #words: Int32Array;
  readonly #pivot: Float64Array;
  readonly #workers: number;
  readonly #spins: number;

  constructor(memory: SharedArrayBuffer, workers: number, spins: number = SPINS) {
    this.#words = new Int32Array(memory, 0, WORDS);
    this.#pivot = new Float64Array(memory, 4 * WORDS, 1);
    this.#workers = workers;
    this.#spins = spins;
  }

  /** Coordinator: starts a phase. */
  post(phase: Phase): void {
    if (phase.act === "insert") this.#words[DEPTH] = phase.depth;
    else this.#pivot[0] = phase.pivot;
    this.#announce(phase.act === "insert" ? INSERT : SPLIT);
  }

  /** Coordinator: ends the workers. */
  stop(): void {
    this.#announce(STOP);
  }

  /** Coordinator: returns when every worker has finished the phase. */
  awaitAll(): void {
    let pending = Atomics.load(this.#words, PENDING);
    for (let i = 0; i < this.#spins && pending !== 0; i++) {
      pending = Atomics.load(this.#words, PENDING);
    }
    while (pending !== 0) {
      if (Atomics.wait(this.#words, PENDING, pending, LONGEST_PHASE_MS) === "timed-out") {
        throw new OrbweaverError("OW_SLICE_LOST", "a thread of the queue does not answer");
      }
      pending = Atomics.load(this.#words, PENDING);
    }
    if (Atomics.load(this.#words, FAILED) !== 0) {
      throw new OrbweaverError("OW_SLICE_LOST", "a thread of the queue failed; its keys are lost");
    }
  }

  /** Worker: waits for the phase after number `seen`; undefined when it is time to end. */
  next(seen: number): Phase | undefined {
    let phase = Atomics.load(this.#words, PHASE);
    for (let i = 0; i < this.#spins && phase === seen; i++) {
      phase = Atomics.load(this.#words, PHASE);
    }
    while (phase === seen) {
      Atomics.wait(this.#words, PHASE, seen);
      phase = Atomics.load(this.#words, PHASE);
    }
    const act = this.#words[ACT]!;
    if (act === STOP) return undefined;
    if (act === INSERT) return { act: "insert", depth: this.#words[DEPTH]! };
    return { act: "split", pivot: this.#pivot[0]! };
  }

  /** Worker: its part is done, or cannot be done. */
  report(failed: boolean): void {
    if (failed) Atomics.store(this.#words, FAILED, 1);
    if (Atomics.sub(this.#words, PENDING, 1) === 1) Atomics.notify(this.#words, PENDING);
  }

  #announce(act: number): void {
    this.#words[ACT] = act;
    // All workers have reported the phase before, so nobody counts down while this is written.
    Atomics.store(this.#words, PENDING, this.#workers);
    Atomics.add(this.#words, PHASE, 1);
    Atomics.notify(this.#words, PHASE);
  }
}
