import { explains } from "../judge/linearise.ts";
import { conflict, KIND } from "../operations.ts";
import type { ThreadPlan } from "./thread-plan.ts";
import * as T from "./turnstile.ts";

/** Judges a run of real threads that has come to rest. */
export class ThreadVerdict {
  readonly #turnstile: Int32Array;
  readonly #plan: ThreadPlan;
  readonly #rests: readonly number[];
  readonly #free: boolean;

  constructor(turnstile: Int32Array, plan: ThreadPlan, free: boolean) {
    this.#turnstile = turnstile;
    this.#plan = plan;
    this.#free = free;
    this.#rests = T.restsOf(turnstile, plan.world.automata.length);
  }

  /** What is wrong, or undefined when nothing is or when the threads did not follow the schedule. */
  failure(): string | undefined {
    const rests = this.#rests;
    const { circling, choices } = this.#plan;
    if (rests.includes(T.REST.faulted)) return "a thread threw";
    if (circling.size > 0) return this.#goesRound() ? "threads go round for ever" : undefined;
    if (!this.#free && Atomics.load(this.#turnstile, T.WORD.step) < choices.length)
      return undefined;
    if (
      rests.every((rest, t) => rest === T.REST.ended || this.#isWaiting(t)) &&
      !rests.every(hasEnded)
    )
      return "deadlock";
    if (rests.includes(T.REST.outOfSteps)) return this.#raceOfNext();
    if (rests.includes(T.REST.running)) return undefined;
    return rests.includes(T.REST.sleeping) ? "deadlock" : this.#wrongEnd();
  }

  /** They took every step of many rounds, and none of them has ended. */
  #goesRound(): boolean {
    const took = Atomics.load(this.#turnstile, T.WORD.step) >= this.#plan.choices.length;
    return (
      (this.#free || took) && [...this.#plan.circling].every((t) => !hasEnded(this.#rests[t]!))
    );
  }

  /** Whether a thread sleeps, or waits in the turnstile for a ring or for the end of another thread. */
  #isWaiting(t: number): boolean {
    if (this.#rests[t] === T.REST.sleeping) return true;
    const at = T.wordsOf(t);
    const kind = this.#turnstile[at + T.OWN.nextKind];
    const awaitsRing = kind === KIND.awaitRing;
    const awaitsEnd =
      kind === KIND.awaitEnd && !hasEnded(this.#rests[this.#turnstile[at + T.OWN.nextByte]!]!);
    return this.#rests[t] === T.REST.outOfSteps && (awaitsRing || awaitsEnd);
  }

  #wrongEnd(): string | undefined {
    const { configuration, memory } = this.#plan.world;
    const turnstile = this.#turnstile;
    const history = T.recordsOf(turnstile, this.#rests.length);
    if (configuration.specification && !explains(configuration.specification, history))
      return "no order of the operations explains the results";
    return configuration.check?.({
      reports: this.#rests.map((_, t) => {
        const at = T.wordsOf(t);
        const count = Atomics.load(turnstile, at + T.OWN.reports);
        return [...turnstile.slice(at + T.OWN.reportValues, at + T.OWN.reportValues + count)];
      }),
      words: (n) => new Int32Array(memory.buffers[n]!).slice(),
    });
  }

  /** Two threads stand before accesses to the same payload: the race is there. */
  #raceOfNext(): string | undefined {
    const next = this.#rests.flatMap((rest, t) => {
      const at = T.wordsOf(t);
      const [kind, byte, bytes] = this.#turnstile.subarray(
        at + T.OWN.nextKind,
        at + T.OWN.nextBytes + 1,
      );
      return rest === T.REST.outOfSteps ? [{ kind: kind!, byte: byte!, bytes: bytes! }] : [];
    });
    const races = next.some((a, i) => next.slice(0, i).some((b) => conflict(a, b)));
    return races ? "data race" : undefined;
  }
}

function hasEnded(rest: number): boolean {
  return rest === T.REST.ended;
}
