const ASK_AGAIN_MS = 20;
/** For so many free places it is worth asking at once who lent all that was asked for before. */
const WORTH_A_LETTER = 16;
/** Who had nothing to lend is not waited for again so soon. */
const REFUSED_MS = 250;

/** What a thread has asked others to lend it: one request at a time. */
export class Asking {
  readonly #send: (owner: number, places: number) => void;
  #askedMs = Number.NEGATIVE_INFINITY;
  #wanted = 0;
  #came = 0;
  #isOver = false;

  constructor(send: (owner: number, places: number) => void) {
    this.#send = send;
  }

  /** Asks a thread, for want of own work; answers after how many milliseconds it is worth looking again. */
  idly(owner: number, places: number, nowMs: number): number {
    const isServed = this.#wanted > 0 && this.#came >= this.#wanted;
    if (nowMs - this.#askedMs >= ASK_AGAIN_MS || (isServed && places >= WORTH_A_LETTER)) {
      this.#ask(owner, places, nowMs);
    }
    return ASK_AGAIN_MS;
  }

  /**
   * Asks a thread whose pages are worth more. Answers until when the own ones wait for what it lends: not at all if it
   * had less than was asked for, and never long, so that nobody is idle for the sake of the order.
   */
  first(owner: number, places: number, nowMs: number): number {
    const isRefused = this.#isOver && this.#came === 0;
    const ageMs = nowMs - this.#askedMs;
    const isServed = this.#came >= this.#wanted;
    if (isServed || ageMs >= (isRefused ? REFUSED_MS : ASK_AGAIN_MS)) {
      this.#ask(owner, places, nowMs);
    } else if (this.#isOver) return 0;
    return this.#askedMs + ASK_AGAIN_MS;
  }

  /** Some leases have come; none: those were all. */
  came(leases: number): void {
    this.#came += leases;
    if (leases === 0) this.#isOver = true;
  }

  #ask(owner: number, places: number, nowMs: number): void {
    this.#askedMs = nowMs;
    this.#wanted = places;
    this.#came = 0;
    this.#isOver = false;
    this.#send(owner, places);
  }
}
