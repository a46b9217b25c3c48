import { readdirSync, readFileSync } from "node:fs";

const LOOK_MS = 500;
/** No deadline that is judged is longer, but for the last one, which allows more by itself. */
const WINDOW_MS = 20_000;

/**
 * How long the kernel let the threads of a process wait for a processor: on a machine with other things to do, that
 * is not the process's fault. Where there is no /proc, nothing is known and nothing forgiven.
 */
export class RunDelays {
  readonly #folder: string;
  readonly #waited = new Map<string, number>();
  /** Per look, the wait of the thread that waited longest since the look before. */
  readonly #looks: { readonly atMs: number; readonly waitMs: number }[] = [];
  #lookedMs = 0;

  constructor(pid: number) {
    this.#folder = `/proc/${pid}/task`;
  }

  /** Looks at all threads, if the last look is long enough ago. */
  look(nowMs: number): void {
    if (nowMs - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = nowMs;
    let longest = 0;
    try {
      for (const thread of readdirSync(this.#folder)) {
        // Time on a processor, time in a queue for one (both in nanoseconds), turns.
        const text = readFileSync(`${this.#folder}/${thread}/schedstat`, "latin1");
        const waited = Number(text.split(" ")[1]) / 1e6;
        longest = Math.max(longest, waited - (this.#waited.get(thread) ?? 0));
        this.#waited.set(thread, waited);
      }
    } catch {
      // A thread or the process has ended meanwhile.
    }
    this.#looks.push({ atMs: nowMs, waitMs: longest });
  }

  /** The most that a thread waited within any stretch as long as a deadline, in seconds. */
  get worstS(): number {
    let [worst, sum, first] = [0, 0, 0];
    for (const { atMs, waitMs } of this.#looks) {
      sum += waitMs;
      while (this.#looks[first]!.atMs < atMs - WINDOW_MS) sum -= this.#looks[first++]!.waitMs;
      worst = Math.max(worst, sum);
    }
    return worst / 1000;
  }
}
