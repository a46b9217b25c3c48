import type { LabSize } from "../experiment.ts";

/** What is still to do, told from what was expected and from how fast it goes. */
export class TimeLeft {
  readonly #now: () => number;
  readonly #size: LabSize;
  /** Seconds expected of the experiments that have not begun. */
  #later: number;
  #expected = 0;
  #startMs = 0;
  #planned = 0;
  #done = 0;
  /** Steps of an earlier run, which took no time now. */
  #kept = 0;

  constructor(
    now: () => number,
    size: LabSize,
    seconds: readonly Readonly<Record<LabSize, number>>[],
  ) {
    this.#now = now;
    this.#size = size;
    this.#later = seconds.reduce((sum, each) => sum + each[size], 0);
  }

  /** An experiment begins, or is left out because it is done. */
  begin(seconds: Readonly<Record<LabSize, number>>): void {
    this.#later -= seconds[this.#size];
    this.#expected = seconds[this.#size];
    this.#startMs = this.#now();
    this.#planned = this.#done = this.#kept = 0;
  }

  plan(steps: number): void {
    this.#planned = steps;
  }

  stepped(isKept: boolean): void {
    this.#done++;
    if (isKept) this.#kept++;
  }

  /** "3 of 8 steps". */
  get steps(): string {
    return this.#planned === 0
      ? ""
      : `step ${Math.min(this.#done + 1, this.#planned)} of ${this.#planned}`;
  }

  /** Seconds left, about. Steps differ, so speed counts for more the more of them are done. */
  get seconds(): number {
    const elapsed = (this.#now() - this.#startMs) / 1000;
    const byPlan = Math.max(0, this.#expected - elapsed);
    const fresh = this.#done - this.#kept;
    const share = this.#planned === 0 ? 0 : Math.min(1, this.#done / this.#planned);
    const bySpeed =
      fresh === 0 ? byPlan : (elapsed / fresh) * Math.max(0, this.#planned - this.#done);
    return this.#later + share * bySpeed + (1 - share) * byPlan;
  }
}

/** "1:05" of 65 seconds. */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
