import type { WorkBoard } from "./work-board.ts";

/** How much threads lend each other. */
export interface LendingRules {
  readonly perHost: number;
  readonly linksPerThread: number;
  /** A shorter queue is left to its owner. */
  readonly minQueued: number;
}

/** Leases of a thread that others have and whose requests have not ended. */
export interface LentSoFar {
  readonly toAsker: number;
  readonly toAll: number;
}

/** What a thread has to fetch when it has taken all it can. */
export interface Stock {
  readonly queued: number;
  /** Hosts with a URL to fetch and a free connection that no visit of this thread is about to go on with. */
  readonly hostsWaiting: number;
  /** Those among them whose sites hold all the places of this thread that they may. */
  readonly hostsParked: number;
  /** One of them may be asked now, by another thread. */
  readonly isReady: boolean;
  /** What was found when leases were last taken for others is not for them before this thread has visited its hosts. */
  readonly awaitsRobots: boolean;
}

/** Hosts for others: of what waits, a thread with free places leaves only what its sites' shares keep it from taking. */
export function hostsToLend(isFull: boolean, { hostsWaiting, hostsParked }: Stock): number {
  return isFull ? hostsWaiting : hostsParked;
}

/**
 * How many more leases another thread may get from one that had `filled` requests in flight when it last took all it
 * could: as many as leave both with the same. A big site has `perHost` connections in all, and its owner would take
 * every one. A thread with free places keeps its only lease, and with one connection per host all it could take itself:
 * handing one connection round would cost more than the page.
 */
export function leasesToLend(
  { perHost }: Pick<LendingRules, "perHost">,
  threads: number,
  filled: number,
  lent: LentSoFar,
  isFull: boolean,
): number {
  const all = filled + lent.toAll;
  const mayLend = isFull || (perHost > 1 && all > 1);
  return mayLend ? Math.max(0, Math.ceil(all / threads) - lent.toAsker) : 0;
}

/** What the threads that ask for work need to know of the one they ask. */
export interface AskersParts {
  readonly thread: number;
  readonly threads: number;
  readonly delayMs: number;
  readonly rules: LendingRules;
  readonly work: WorkBoard;
  readonly ring: (thread: number) => void;
}

/** The threads that ask this one for work: who waits, what each has got, and how many more there is work for. */
export class Askers {
  readonly #parts: AskersParts;
  /** By thread: its newest run, the places it asked for and did not get, and leases whose requests have not ended. */
  readonly #epochs: Float64Array;
  readonly #places: Int32Array;
  readonly #open: Int32Array;
  #openAll = 0;
  /** Who waits; who asked last is served first, because its code and its connections are warm. */
  readonly #waiting: number[] = [];
  /** Who wants to know when there is nothing more. */
  readonly #unanswered = new Set<number>();
  #spare = 0;
  /** Requests that this thread had in flight when it last took all it could. */
  filled = 0;

  constructor(parts: AskersParts) {
    this.#parts = parts;
    this.#epochs = new Float64Array(parts.threads);
    this.#places = new Int32Array(parts.threads);
    this.#open = new Int32Array(parts.threads);
    // The one before this run may have died with work to spare.
    parts.work.setSpare(parts.thread, 0);
  }

  /** Who waits, the one to be served first at the end. */
  get waiting(): readonly number[] {
    return this.#waiting;
  }

  /** The run of a thread that asked last. */
  epochOf(thread: number): number {
    return this.#epochs[thread]!;
  }

  /** A thread asks for so many leases, instead of what it asked for before; `isFirst` if it wants an answer at once. */
  asked(thread: number, epoch: number, places: number, isFirst: boolean): void {
    if (epoch < this.#epochs[thread]!) return;
    this.#epochs[thread] = epoch;
    this.#setPlaces(thread, 0);
    this.#setPlaces(thread, places);
    if (isFirst) this.#unanswered.add(thread);
  }

  /** A thread was replaced. */
  forget(thread: number, epoch: number): void {
    if (this.#epochs[thread]! >= epoch) return;
    this.#epochs[thread] = epoch;
    this.#setPlaces(thread, 0);
    this.#unanswered.delete(thread);
  }

  /** How many leases a thread may get now. */
  limitFor(thread: number, isFull: boolean): number {
    const { rules, threads } = this.#parts;
    const lent = { toAsker: this.#open[thread]!, toAll: this.#openAll };
    const limit = leasesToLend(rules, threads, this.filled, lent, isFull);
    return Math.min(this.#places[thread]!, limit);
  }

  /** Leases were lent. */
  lent(thread: number, leases: number): void {
    this.#open[thread]! += leases;
    this.#openAll += leases;
    this.#setPlaces(thread, this.#places[thread]! - leases);
  }

  /** The request of a lent lease has ended: one that only waits for its commit needs no connection. */
  ended(thread: number): void {
    this.#open[thread]!--;
    this.#openAll--;
  }

  /**
   * After everything that could be lent is lent: says how many more threads there is work for and wakes idle ones.
   * Answers who is to be told that there is nothing: who wanted to know, and everybody if there is nothing for any.
   */
  balance(isFull: boolean, stock: Stock): number[] {
    const spare = this.#spareFor(isFull, stock);
    const { thread, work, rules } = this.#parts;
    if (spare !== this.#spare) work.setSpare(thread, spare);
    this.#spare = spare;
    // Said before it is looked who is idle: see `WorkBoard`.
    if (spare > 0) this.#call(spare, isFull || rules.perHost === 1);
    const isOver = !this.#mayLendLater(isFull, stock);
    if (this.#unanswered.size === 0 && !(isOver && this.#waiting.length > 0)) return [];
    const told = isOver
      ? [...this.#waiting]
      : [...this.#unanswered].filter((asker) => this.#places[asker]! > 0);
    if (isOver) for (const asker of told) this.#setPlaces(asker, 0);
    this.#unanswered.clear();
    return told;
  }

  #setPlaces(thread: number, places: number): void {
    const had = this.#places[thread]! > 0;
    this.#places[thread] = Math.max(0, places);
    if (places > 0 === had) return;
    if (places > 0) this.#waiting.push(thread);
    else this.#waiting.splice(this.#waiting.indexOf(thread), 1);
  }

  #spareFor(isFull: boolean, stock: Stock): number {
    const { queued, isReady, awaitsRobots } = stock;
    const { rules, threads, delayMs } = this.#parts;
    const { perHost, minQueued } = rules;
    if (queued < minQueued || awaitsRobots) return 0;
    if (isFull || perHost === 1) {
      // A delay spaces the starts: then each host has one lease at a time.
      const perWaiting = delayMs > 0 ? 1 : perHost;
      const leases = isReady ? Math.min(queued, hostsToLend(isFull, stock) * perWaiting) : 0;
      return Math.max(0, Math.min(threads - 1, leases) - this.#waiting.length);
    }
    // It could take everything itself, and would have the work of all.
    const helpers = Math.min(threads, this.filled + this.#openAll) - 1;
    return helpers > 0 ? Math.max(0, helpers - this.#helpers()) : 0;
  }

  /** Then a visit of this thread, or of one that borrows from it, is under way, and its end is the next occasion. */
  #mayLendLater(isFull: boolean, stock: Stock): boolean {
    const { perHost, minQueued } = this.#parts.rules;
    if (stock.queued < minQueued) return false;
    if (perHost === 1) return hostsToLend(isFull, stock) > 0;
    return isFull || this.filled + this.#openAll > 1;
  }

  /** Threads that wait for a lease, or have one whose request has not ended. */
  #helpers(): number {
    let helpers = 0;
    for (let thread = 0; thread < this.#open.length; thread++)
      if (this.#open[thread]! > 0 || this.#places[thread]! > 0) helpers++;
    return helpers;
  }

  /** Wakes idle threads; those that wait for another one only when there is work that nobody else can do now. */
  #call(count: number, isUrgent: boolean): void {
    const { thread, work, ring } = this.#parts;
    let anyone = false;
    for (let left = count; left > 0; ) {
      const called = work.call(thread, anyone);
      if (called >= 0) {
        ring(called);
        left--;
      } else if (anyone || !isUrgent) return;
      else anyone = true;
    }
  }
}
