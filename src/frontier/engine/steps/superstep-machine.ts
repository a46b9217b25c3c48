import type { ExchangeSize } from "../../opic/exchange-size.ts";
import { QUEUE_RANGES } from "../../queue/range-queue.ts";
import type { BarrierAnswer, Engine, Received } from "../engine.ts";
import type { EndedVisit, StepSending } from "../engine-commits.ts";
import type { HeldPartition } from "../held-partition.ts";
import type { HeldPartitions } from "../held-partitions.ts";

/** Between two steps at least, and at most while nothing happens. */
const MIN_REST_MS = 10;
const MAX_REST_MS = 1000;
/** At the barrier the engine is asked again after this long: a call may have been lost, or who is waited for has died. */
const ASK_AGAIN_MS = 100;
/** URLs that one call extracts: the best of all partitions are found by so many at a time. */
const AT_ONCE = 8;
/** Rounds of calls in which a step extracts. */
const MAX_ROUNDS = 4;

/** What one holder did in a step. */
export interface StepReport {
  readonly step: number;
  /** From the first call to the last answer, and from then until the barrier was open. */
  readonly durationMs: number;
  readonly barrierMs: number;
  /** Visits whose links and ends were sent. */
  readonly downloads: number;
  /** Blocks of the step before that were taken in, and their links. */
  readonly received: number;
  readonly receivedLinks: number;
  /** New URLs, of this holder's links and of what was received. */
  readonly inserted: number;
  readonly extracted: number;
  /** Blocks sent to partitions of others, their links and bytes. */
  readonly blocks: number;
  readonly links: number;
  readonly bytes: number;
  /** Updates of pages that had been extracted already. */
  readonly lateOwn: number;
  readonly lateForeign: number;
  /** Next URLs when the step began, and R. */
  readonly q: number;
  readonly r: number;
  /** Mean work of all holders in this step / most work of one. */
  readonly balance: number;
}

/** What the machine works with. */
export interface MachineParts {
  readonly engine: () => Engine;
  readonly post: (answer: () => void) => void;
  readonly held: HeldPartitions;
  readonly commit: (visits: readonly EndedVisit[], sending: StepSending) => void;
  /** R. */
  readonly size: ExchangeSize;
  /** Robots of this holder. */
  readonly places: number;
  /** The thread's time. */
  readonly nowMs: () => number;
  readonly onReport: (report: StepReport) => void;
  readonly onFresh: (count: number) => void;
}

/** What the robots have and want. */
export interface RobotState {
  /** Next URLs: Q. */
  readonly q: number;
  /** Robots without a URL. */
  readonly lack: number;
  /** Whether more may be taken. */
  readonly isRunning: boolean;
}

type Figures = { -readonly [K in keyof StepReport]: StepReport[K] };

/**
 * The bulk-synchronous machine of section 2 of the document, as one holder runs it: receive the blocks of the step before
 * and insert them, extract the best R URLs into Q, send one block to each partition of another holder, barrier. Robots take
 * from Q all the time and never wait for it. A step begins when R visits have ended, when Q runs short, or when another
 * holder has arrived at its barrier; whoever is silent for a lease is waited for no longer.
 */
export class SuperstepMachine {
  readonly #parts: MachineParts;
  #phase: "away" | "rest" | "run" | "barrier" = "away";
  /** The step that is next, is run, or is waited for. */
  #step = 0;
  #figures: Figures = figuresOf(0, 0, 0);
  #mail = new Set<number>();
  #beganMs = Number.NEGATIVE_INFINITY;
  #arrivedMs = 0;
  #askedMs = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #restMs = MIN_REST_MS;
  #isHungry = true;
  /** Blocks wait that the next step takes in. */
  #hasMail = false;
  /** Somebody has arrived at the barrier of the next step. */
  #isCalled = false;
  /** Counts lives: answers to an earlier one tell nothing. */
  #life = 0;
  /** The first partition that is asked moves on, so that none is left out. */
  #turn = 0;
  /** The last step that ran to its end found nothing to take. */
  foundNothing = false;

  constructor(parts: MachineParts) {
    this.#parts = parts;
  }

  /** No step is under way: what there is of this holder lies in Q or on the engine. */
  get isResting(): boolean {
    return this.#phase !== "run";
  }

  /** Visits whose records are durable. */
  ended(visits: number): void {
    for (let i = 0; i < visits; i++) this.#parts.size.visited(false);
  }

  /** Sends what is left without a step of its own: this holder leaves. */
  flush(visits: readonly EndedVisit[]): void {
    const nothing = () => {};
    const { commit } = this.#parts;
    commit(visits, { step: this.#step, onBlock: nothing, onInserted: nothing, onSent: nothing });
  }

  /** As another holder, which has to find the others' step first. */
  restart(): void {
    this.#phase = "away";
    this.#step = 0;
    this.#life++;
    this.#isAsking = false;
    this.#isCalled = false;
  }

  /** Somebody has arrived at the barrier of a step, or (below 0) it is open. */
  called(step: number): void {
    if (step === this.#step && this.#phase === "rest") this.#isCalled = true;
    if (step === -this.#step && this.#phase === "barrier") this.#askedMs = Number.NEGATIVE_INFINITY;
  }

  /** When it is worth calling `work` again. */
  get nextMs(): number {
    if (this.#phase === "run" || this.#isAsking) return Number.POSITIVE_INFINITY;
    if (this.#phase !== "rest") return this.#askedMs + ASK_AGAIN_MS;
    if (this.#isCalled) return this.#parts.nowMs();
    if (this.#hasMail || this.#parts.size.isDue) return this.#beganMs + MIN_REST_MS;
    return this.#beganMs + (this.#isHungry ? this.#restMs : MAX_REST_MS);
  }

  /** Begins a step when it is time, and looks at the barrier. `stored` gives visits whose records are durable. */
  work(robots: RobotState, stored: () => readonly EndedVisit[]): void {
    this.#isHungry = robots.lack > 0 || robots.q < this.#parts.places / 4;
    if (this.#phase === "away" || this.#phase === "barrier") this.#ask();
    if (this.#phase === "rest" && this.#isDue) this.#begin(robots, stored());
  }

  get #isDue(): boolean {
    const restedMs = this.#parts.nowMs() - this.#beganMs;
    if (this.#isCalled || restedMs >= MAX_REST_MS) return true;
    if (restedMs < MIN_REST_MS) return false;
    if (this.#hasMail || this.#parts.size.isDue) return true;
    return this.#isHungry && restedMs >= this.#restMs;
  }

  #begin(robots: RobotState, visits: readonly EndedVisit[]): void {
    const { size, commit } = this.#parts;
    this.#phase = "run";
    this.#beganMs = this.#parts.nowMs();
    this.#isCalled = false;
    size.exchange();
    this.#figures = figuresOf(this.#step, robots.q, size.size);
    this.#figures.downloads = visits.length;
    this.#mail = new Set();
    let left = 2;
    const life = this.#life;
    const done = () => {
      if (life === this.#life && --left === 0) this.#arrive();
    };
    const figures = this.#figures;
    const { held } = this.#parts;
    const sending: StepSending = {
      step: this.#step,
      onBlock: (partition, links, bytes, isMail) => {
        if (!isMail) {
          held.of(partition)?.woke();
          return;
        }
        this.#mail.add(partition);
        figures.blocks++;
        figures.links += links;
        figures.bytes += bytes;
      },
      onInserted: (fresh, late) => {
        figures.inserted += fresh;
        figures.lateOwn += late;
      },
      onSent: done,
    };
    if (visits.length === 0) done();
    else commit(visits, sending);
    this.#receive(robots, done);
  }

  /** Takes in what other holders sent, then extracts. */
  #receive(robots: RobotState, onDone: () => void): void {
    const { held } = this.#parts;
    const wanted = robots.isRunning ? this.#wanted(robots) : 0;
    const mail = held.working.filter(({ hasMail }) => hasMail);
    this.#callAll(mail, 0, 0, () => this.#extract(wanted, MAX_ROUNDS, new Set(), onDone));
  }

  #wanted({ q, lack }: RobotState): number {
    const { size, places } = this.#parts;
    const target = Math.max(size.size, Math.ceil(places / 2));
    return Math.max(target - q, lack);
  }

  /**
   * The best of all partitions, a few at a time: from those whose best pages are best, and only what is worth as much as
   * the best of the first one that is not asked.
   */
  #extract(wanted: number, rounds: number, empty: Set<HeldPartition>, onDone: () => void): void {
    const { working } = this.#parts.held;
    const rest = working.filter((one) => one.mayHaveUrls && !empty.has(one));
    if (wanted <= 0 || rounds === 0 || rest.length === 0) {
      const isOver = working.every(({ mayHaveUrls, hasMail }) => !mayHaveUrls && !hasMail);
      this.foundNothing = isOver && this.#figures.extracted === 0;
      onDone();
      return;
    }
    const from = this.#turn++ % rest.length;
    const best = [...rest.slice(from), ...rest.slice(0, from)];
    best.sort((a, b) => order(b.best, a.best));
    const count = Math.min(best.length, Math.ceil(wanted / AT_ONCE) + 1);
    const floor = best[count]?.best ?? 0;
    const each = Math.ceil(wanted / count);
    const before = this.#figures.extracted;
    const leastCash = Number.isFinite(floor) ? floor : 0;
    const onFew = (one: HeldPartition) => empty.add(one);
    const next = () => {
      const found = this.#figures.extracted - before;
      this.#extract(wanted - found, rounds - 1, empty, onDone);
    };
    this.#callAll(best.slice(0, count), each, leastCash, next, onFew);
  }

  #callAll(
    partitions: readonly HeldPartition[],
    urls: number,
    floor: number,
    onDone: () => void,
    onFew: (one: HeldPartition) => void = () => {},
  ): void {
    let left = partitions.length;
    if (left === 0) onDone();
    const { size, held } = this.#parts;
    const life = this.#life;
    const part = { step: this.#step, urls, floor, level: Math.max(1, size.pivot) };
    for (const one of partitions)
      held.step(one, part, this.#parts.nowMs(), (received, cashes) => {
        if (life !== this.#life) return;
        if (received !== undefined) this.#took(received, cashes);
        // What is left there is worth less than the best elsewhere, or enough of its hosts is here.
        if (cashes.length < urls && one.best >= floor) onFew(one);
        if (--left === 0) onDone();
      });
  }

  #took(received: Received, cashes: readonly number[]): void {
    const { size, onFresh } = this.#parts;
    const { blocks, links, fresh, lateOwn, lateForeign, missed } = received;
    const figures = this.#figures;
    figures.received += blocks;
    figures.receivedLinks += links;
    figures.inserted += fresh;
    figures.lateOwn += lateOwn;
    figures.lateForeign += lateForeign;
    figures.extracted += cashes.length;
    if (fresh > 0) onFresh(fresh);
    for (let i = 0; i < missed; i++) size.learned(Number.POSITIVE_INFINITY);
    for (const cash of cashes) size.taken(QUEUE_RANGES.of(cash));
  }

  #arrive(): void {
    this.#phase = "barrier";
    this.#arrivedMs = this.#parts.nowMs();
    this.#figures.durationMs = this.#parts.nowMs() - this.#beganMs;
    this.#askedMs = Number.NEGATIVE_INFINITY;
    this.#ask();
  }

  #ask(): void {
    if (this.#isAsking || this.#parts.nowMs() - this.#askedMs < ASK_AGAIN_MS) return;
    this.#isAsking = true;
    this.#askedMs = this.#parts.nowMs();
    const life = this.#life;
    const { inserted, extracted, receivedLinks, downloads } = this.#figures;
    const work = this.#phase === "away" ? 0 : inserted + extracted + receivedLinks + downloads;
    const arrival = { step: this.#step, work, mail: [...this.#mail] };
    this.#parts.engine().arrive(arrival, (answer) =>
      this.#parts.post(() => {
        if (life !== this.#life) return;
        this.#isAsking = false;
        this.#answered(answer);
      }),
    );
  }

  #answered({ step, balance, mail }: BarrierAnswer): void {
    const wasAway = this.#phase === "away";
    if (step === this.#step && !wasAway) return;
    this.#parts.held.noteMail(mail);
    if (!wasAway) this.#report(balance);
    this.#step = step;
    this.#phase = "rest";
    this.#isCalled = false;
    this.#hasMail = mail.length > 0;
  }

  #report(balance: number): void {
    const figures = this.#figures;
    figures.barrierMs = this.#parts.nowMs() - this.#arrivedMs;
    figures.balance = balance;
    const { downloads, received, inserted, extracted } = figures;
    // A crawl that only waits does not step all the time.
    const isIdle = downloads + received + inserted + extracted === 0;
    this.#restMs = isIdle ? Math.min(2 * this.#restMs, MAX_REST_MS) : MIN_REST_MS;
    if (!isIdle) this.#parts.onReport({ ...figures });
  }
}

function order(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function figuresOf(step: number, q: number, r: number): Figures {
  return {
    ...{ step, durationMs: 0, barrierMs: 0, downloads: 0, received: 0, receivedLinks: 0 },
    ...{ inserted: 0, extracted: 0, blocks: 0, links: 0, bytes: 0 },
    ...{ lateOwn: 0, lateForeign: 0, q, r, balance: 1 },
  };
}
