/** What a thread has done so far, by its own counters. */
export interface PaceSample {
  readonly nowMs: number;
  /** Visits that ended. */
  readonly completed: number;
  /** Requests that failed: time-outs, refused and broken connections. */
  readonly failed: number;
  /** Milliseconds that all visits together waited for servers. */
  readonly waitedMs: number;
  /** Milliseconds that the event loop had something to do, and had nothing. */
  readonly busyMs: number;
  readonly idleMs: number;
}

/** Why there are as many places as there are. */
export type PaceReason = "hosts" | "cpu" | "latency" | "errors" | "growing";

/** A look is worth something after so long, and with so many visits or after a second. */
const LOOK_MS = 250;
const LOOK_VISITS = 32;
const LONG_LOOK_MS = 1000;
/** A thread this busy cannot use more answers. */
const BUSY_SHARE = 0.9;
/** With so many full rounds there was always a URL that could have been asked. */
const FULL_SHARE = 0.5;
/** What more places must bring to be kept. */
const LEAST_GAIN = 1.05;
/** So many more of 100 requests fail: more places than the network or the servers bear. */
const MORE_FAILURES = 0.1;
/** Until growth has failed once it doubles, then it goes on in smaller steps. */
const FIRST_GROWTH = 2;
const GROWTH = 1.3;
/** After growth that brought nothing the thread waits, each time longer. */
const FIRST_HOLD_MS = 2000;
const MAX_HOLD_MS = 30_000;
/** Answers to the requests of new places are on their way for so many times the usual. */
const SETTLE_LATENCIES = 2;
const MAX_SETTLE_MS = 3000;
/** Places beyond those that the thread needs by Little's law, when the CPU is the limit. */
const SPARE = 2;

/**
 * How many requests a thread should have in flight: as many as bring more pages. Places are added while all are in use,
 * the thread has CPU time left and the last ones were worth it; they are taken away when they brought no more pages or
 * made requests fail. Only counts and times go in, so a test can be any web. Politeness is not its concern: it only
 * bounds what hosts that may be asked now can use.
 */
export class AdaptiveLinks {
  readonly #first: number;
  readonly #most: number;
  #links: number;
  #reason: PaceReason = "hosts";
  #last: PaceSample | undefined;
  #rounds = 0;
  #fullRounds = 0;
  #growth = FIRST_GROWTH;
  #holdMs = FIRST_HOLD_MS;
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  /** Growth that is being judged: what there was before it. */
  #trial: { links: number; rate: number; failing: number; fromMs: number } | undefined;
  /** Milliseconds a visit waits for its server when the thread has nothing else to do; a bad time is forgotten slowly. */
  #latencyMs = Number.POSITIVE_INFINITY;

  /** Begins with `first` places and never has more than `most`. */
  constructor(first: number, most: number) {
    this.#first = Math.min(first, most);
    this.#most = most;
    this.#links = this.#first;
  }

  /** Places now. */
  get links(): number {
    return this.#links;
  }

  /** What they were decided by. */
  get reason(): PaceReason {
    return this.#reason;
  }

  /** A round has ended; `isFull` when it left no place free. */
  round(isFull: boolean): void {
    this.#rounds++;
    if (isFull) this.#fullRounds++;
  }

  /** Whether a look may change something: callers need not count before. */
  isDue(nowMs: number): boolean {
    return nowMs - (this.#last?.nowMs ?? Number.NEGATIVE_INFINITY) >= LOOK_MS;
  }

  /** When a look is due although nothing has happened: with all places in use, none may end for long. */
  lookMs(nowMs: number): number {
    const isWaiting =
      this.#fullRounds > 0 && (this.#links < this.#most || this.#trial !== undefined);
    return isWaiting ? nowMs + LONG_LOOK_MS : Number.POSITIVE_INFINITY;
  }

  /** Looks at what was done since the last look; true when the number of places has changed. */
  look(now: PaceSample): boolean {
    const last = this.#last;
    if (last === undefined) return this.#next(now);
    const elapsedMs = now.nowMs - last.nowMs;
    const completed = now.completed - last.completed;
    if (elapsedMs < LOOK_MS || (completed < LOOK_VISITS && elapsedMs < LONG_LOOK_MS)) return false;
    const before = this.#links;
    const active = now.busyMs - last.busyMs;
    const busy = active / Math.max(1, active + now.idleMs - last.idleMs);
    const rate = completed / elapsedMs;
    const failing = completed === 0 ? 0 : Math.min(1, (now.failed - last.failed) / completed);
    if (completed > 0)
      this.#latencyMs = Math.min(
        1.02 * this.#latencyMs,
        (now.waitedMs - last.waitedMs) / completed,
      );
    const isFull = this.#fullRounds > FULL_SHARE * this.#rounds;
    if (this.#trial !== undefined) this.#judge(now, rate, failing);
    else if (busy >= BUSY_SHARE) this.#relax(rate);
    else if (!isFull) this.#reason = "hosts";
    else if (now.nowMs >= this.#heldUntilMs) this.#grow(now, rate, failing);
    // The rate before a trial, and that of its end, are those of single looks; one that is being judged goes on.
    if (this.#trial === undefined || this.#trial.fromMs === now.nowMs) this.#next(now);
    return this.#links !== before;
  }

  #next(now: PaceSample): false {
    this.#last = now;
    this.#rounds = 0;
    this.#fullRounds = 0;
    return false;
  }

  #grow(now: PaceSample, rate: number, failing: number): void {
    if (this.#links >= this.#most) return;
    this.#trial = { links: this.#links, rate, failing, fromMs: now.nowMs };
    this.#links = Math.min(this.#most, Math.ceil(this.#links * this.#growth));
    this.#reason = "growing";
  }

  /** Growth is kept if it brought more pages, and undone otherwise. */
  #judge(now: PaceSample, rate: number, failing: number): void {
    const trial = this.#trial!;
    const settleMs = Math.min(MAX_SETTLE_MS, SETTLE_LATENCIES * this.#latencyMs);
    if (now.nowMs - trial.fromMs < settleMs) return;
    this.#trial = undefined;
    const fails = failing > trial.failing + MORE_FAILURES;
    if (rate >= LEAST_GAIN * trial.rate && !fails) {
      this.#holdMs = FIRST_HOLD_MS;
      return;
    }
    this.#links = trial.links;
    this.#reason = fails ? "errors" : "latency";
    this.#growth = GROWTH;
    this.#heldUntilMs = now.nowMs + this.#holdMs;
    this.#holdMs = Math.min(MAX_HOLD_MS, 2 * this.#holdMs);
  }

  /** The CPU is the limit: places that only make pages wait for it are given up, down to what a crawl begins with. */
  #relax(rate: number): void {
    this.#reason = "cpu";
    const needed = Math.ceil(SPARE * rate * this.#latencyMs);
    if (this.#links > needed)
      this.#links = Math.max(this.#first, needed, Math.floor(0.9 * this.#links));
    if (this.#links > this.#most) this.#links = this.#most;
  }
}
