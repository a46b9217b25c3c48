import { explains } from "../judge/linearise.ts";
import { isPlain, KIND } from "../operations.ts";
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
    if (rests.includes(T.FAULTED)) return "a thread threw";
    if (circling.size > 0) return this.#goesRound() ? "threads go round for ever" : undefined;
    if (!this.#free && Atomics.load(this.#turnstile, T.STEP) < choices.length) return undefined;
    if (rests.every((rest, t) => rest === T.ENDED || this.#isWaiting(t)) && !rests.every(hasEnded))
      return "deadlock";
    if (rests.includes(T.OUT_OF_STEPS)) return this.#raceOfNext();
    if (rests.includes(T.RUNNING)) return undefined;
    return rests.includes(T.SLEEPING) ? "deadlock" : this.#wrongEnd();
  }

  /** They took every step of many rounds, and none of them has come to an end. */
  #goesRound(): boolean {
    const took = Atomics.load(this.#turnstile, T.STEP) >= this.#plan.choices.length;
    return (
      (this.#free || took) && [...this.#plan.circling].every((t) => !hasEnded(this.#rests[t]!))
    );
  }

  /** Whoever waits for a ring, or for the end of another thread, waits in the turnstile. */
  #isWaiting(t: number): boolean {
    if (this.#rests[t] === T.SLEEPING) return true;
    const at = T.wordsOf(t);
    const kind = this.#turnstile[at + T.NEXT_KIND];
    const awaitsRing = kind === KIND.awaitRing;
    const awaitsEnd =
      kind === KIND.awaitEnd && !hasEnded(this.#rests[this.#turnstile[at + T.NEXT_BYTE]!]!);
    return this.#rests[t] === T.OUT_OF_STEPS && (awaitsRing || awaitsEnd);
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
        const count = Atomics.load(turnstile, at + T.REPORTS);
        return [...turnstile.slice(at + T.REPORT_VALUES, at + T.REPORT_VALUES + count)];
      }),
      words: (n) => new Int32Array(memory.buffers[n]!).slice(),
    });
  }

  /** Two threads stand before accesses to the same payload: the race is there. */
  #raceOfNext(): string | undefined {
    const next = this.#rests.map((rest, t) => {
      const at = T.wordsOf(t);
      const [kind, byte, bytes] = this.#turnstile.subarray(at + T.NEXT_KIND, at + T.NEXT_BYTES + 1);
      return { stands: rest === T.OUT_OF_STEPS, kind: kind!, byte: byte!, end: byte! + bytes! };
    });
    for (const [t, a] of next.entries()) {
      for (const b of next.slice(0, t)) {
        if (!a.stands || !b.stands || !isPlain(a.kind) || !isPlain(b.kind)) continue;
        if (a.kind === KIND.read && b.kind === KIND.read) continue;
        if (Math.max(a.byte, b.byte) < Math.min(a.end, b.end)) return "data race";
      }
    }
    return undefined;
  }
}

function hasEnded(rest: number): boolean {
  return rest === T.ENDED;
}
