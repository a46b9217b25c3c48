import type { CrawlConfig } from "../config/schema.ts";
import { robotsBoardBytes } from "../fetch/robots/robots-board.ts";
import {
  createFrontierMemory,
  type FrontierMemory,
  type FrontierSizes,
} from "../frontier/frontier-memory.ts";
import type { Gates } from "../frontier/gatekeeper.ts";
import { counterBytes } from "../stats/counters.ts";
import { failureBytes } from "../stats/failure-counts.ts";
import { hostRowBytes } from "../stats/host-rows.ts";
import { latencyBytes } from "../stats/latency-counts.ts";
import { DOORBELL_WORDS, Doorbell } from "../sync/doorbell.ts";
import { GateTable, gateBytes } from "../sync/gate-table.ts";
import { bufferBytes, CRAWLERS_PER_BUFFER } from "../sync/hand-off-buffer.ts";
import { MaximumTable, maximumBytes } from "../sync/maximum-table.ts";
import { Pending } from "../sync/pending.ts";
import { PERMITS_WORDS, Permits } from "../sync/permits.ts";
import { Ring, ringBytes } from "../sync/ring.ts";
import { WideCounter } from "../sync/wide-counter.ts";
import { BufferPlan } from "./buffer-plan.ts";
import { FAILURE_CODES } from "./visit/error-codes.ts";
import { handlerWatchBytes } from "./visit/handler-watch.ts";
import { EVIDENCE_BYTES } from "./visit/traps/shared-evidence.ts";

const BUFFER_BYTES = 16 * 1024 * 1024;
/** 8 bytes each. Hosts that share a gate wait for each other: one in 500 of 2,000 hosts, one in eleven of 100,000. */
const HOST_GATES = 1 << 20;
const ADDRESS_GATES = 1 << 16;
const DEBUG_SLOTS = 256;
const DEBUG_SLOT_BYTES = 4096;

/** Words of the control block. */
const PENDING = 0;
const PAGES_COMMITTED = 1;
const MODE = 2;
const ENDED_BY = 3;
const BUILDERS_MAY_END = 4;
const RECOUNT = 5;
const NOTES = 6;
const LAST_RELEASED = 7;
/** Two words. */
const BYTES = 8;
const PAGE_PERMITS = 10;
const PAUSED = PAGE_PERMITS + PERMITS_WORDS;
/** Words of the control block in all. */
export const CONTROL_WORDS = PAUSED + 1;

/** Words of a thread's row in `accounts`. */
const SHARE = 0;
const PAGES = 1;
const HELD_PERMITS = 2;
const RECOUNTED = 3;
const HURRY = 4;
const ANNOUNCED = 5;
export const ACCOUNT_WORDS = 6;

/** How soon a crawler needs its pages committed. */
export const HURRY_LEVELS = { none: 0, soon: 1, now: 2 } as const;

/** Crawler threads run, finish what is in flight, or drop it. */
export const MODES = { run: 0, drain: 1, abort: 2 } as const;

const ENDINGS = ["running", "finished", "limit", "interrupted"] as const;

/** Why a crawl ended; "running" until it does. */
export type Ending = (typeof ENDINGS)[number];

/** All shared memory of one crawl, made by the supervisor and handed to every worker. */
export interface CrawlMemory {
  readonly threads: number;
  readonly control: SharedArrayBuffer;
  /** Crawlers 0..T-1, builders T..T+B-1, then the supervisor and the debug log. */
  readonly bells: SharedArrayBuffer;
  /** What the frontiers of all threads share. */
  readonly frontier: FrontierMemory;
  /** Records on their way to the builders; the successor of a dead builder gets new buffers. */
  readonly buffers: SharedArrayBuffer[];
  /** How many records of each crawler its builder has made durable. */
  readonly stored: SharedArrayBuffer;
  /** How many pages of each crawler its builder has taken out of the buffer. */
  readonly taken: SharedArrayBuffer;
  /** What each crawler contributes to the control block, for a recount when one of them has died. */
  readonly accounts: SharedArrayBuffer;
  readonly hostGates: SharedArrayBuffer;
  readonly addressGates: SharedArrayBuffer;
  readonly startGates: SharedArrayBuffer;
  /** What hosts ask for: delays of their own, and pauses. */
  readonly hostDelays: SharedArrayBuffer;
  readonly hostHolds: SharedArrayBuffer;
  /** What the threads know about robots.txt, where there are several. */
  readonly robots: SharedArrayBuffer | undefined;
  /** What the threads know about traps. */
  readonly evidence: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
  /** Failures by code, response times, and hosts: a row or region per thread. */
  readonly failures: SharedArrayBuffer;
  readonly latency: SharedArrayBuffer;
  readonly hostRows: SharedArrayBuffer;
  readonly debugLog: SharedArrayBuffer;
  /** Which handlers run; empty where there is none. */
  readonly handlers: SharedArrayBuffer;
}

/** Memory for one hand-off buffer; pages that are never touched cost nothing. */
export function createBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(bufferBytes(BUFFER_BYTES / CRAWLERS_PER_BUFFER));
}

/** Makes the memory for T crawlers and B builders. */
export function createMemory(
  config: FrontierSizes & Pick<CrawlConfig, "builders" | "handler">,
): CrawlMemory {
  const { threads, builders, handler } = config;
  return {
    threads,
    control: new SharedArrayBuffer(CONTROL_WORDS * 4),
    bells: new SharedArrayBuffer((threads + builders + 2) * DOORBELL_WORDS * 4),
    frontier: createFrontierMemory(config),
    buffers: Array.from({ length: new BufferPlan(config).count }, createBuffer),
    accounts: new SharedArrayBuffer(threads * ACCOUNT_WORDS * 4),
    stored: new SharedArrayBuffer(threads * 4),
    taken: new SharedArrayBuffer(threads * 4),
    hostGates: new SharedArrayBuffer(gateBytes(HOST_GATES)),
    addressGates: new SharedArrayBuffer(gateBytes(ADDRESS_GATES)),
    startGates: new SharedArrayBuffer(gateBytes(HOST_GATES)),
    hostDelays: new SharedArrayBuffer(maximumBytes(HOST_GATES)),
    hostHolds: new SharedArrayBuffer(maximumBytes(HOST_GATES)),
    robots: threads > 1 ? new SharedArrayBuffer(robotsBoardBytes()) : undefined,
    evidence: new SharedArrayBuffer(EVIDENCE_BYTES),
    counters: new SharedArrayBuffer(counterBytes(threads)),
    failures: new SharedArrayBuffer(failureBytes(threads, FAILURE_CODES)),
    latency: new SharedArrayBuffer(latencyBytes(threads)),
    hostRows: new SharedArrayBuffer(hostRowBytes(threads)),
    debugLog: new SharedArrayBuffer(ringBytes(DEBUG_SLOTS, DEBUG_SLOT_BYTES)),
    handlers: new SharedArrayBuffer(handlerWatchBytes(threads, handler !== undefined)),
  };
}

/** The doorbells of all threads of a crawl. */
export interface Doorbells {
  readonly all: readonly Doorbell[];
  readonly crawlers: readonly Doorbell[];
  readonly builders: readonly Doorbell[];
  readonly supervisor: Doorbell;
  readonly debugLog: Doorbell;
}

/** Opens the doorbells. */
export function bellsOf({ bells, threads }: Pick<CrawlMemory, "bells" | "threads">): Doorbells {
  const words = new Int32Array(bells);
  const all = Array.from(
    { length: words.length / DOORBELL_WORDS },
    (_, i) => new Doorbell(words, i * DOORBELL_WORDS),
  );
  const crawlers = all.slice(0, threads);
  const builders = all.slice(threads, -2);
  return {
    all,
    crawlers,
    // A builder in a crawler's thread has no bell of its own.
    builders: builders.length === 0 ? crawlers : builders,
    supervisor: all.at(-2)!,
    debugLog: all.at(-1)!,
  };
}

/** The ring of debug lines. */
export function debugRingOf(memory: CrawlMemory, owner: number): Ring {
  return new Ring(memory.debugLog, DEBUG_SLOTS, DEBUG_SLOT_BYTES, owner);
}

/** The gate tables, opened for one thread. */
export function gatesOf(memory: CrawlMemory, thread: number): Gates {
  return {
    hosts: new GateTable(memory.hostGates, thread + 1),
    addresses: new GateTable(memory.addressGates, thread + 1),
    starts: new GateTable(memory.startGates, thread + 1),
    delays: new MaximumTable(memory.hostDelays),
    holds: new MaximumTable(memory.hostHolds),
  };
}

/** The control block: shared counters, the mode of the crawl, and signals between its threads. */
export class Control {
  readonly #words: Int32Array;
  readonly pending: Pending;
  readonly permits: Permits;
  /** Bytes that the crawl has received in all runs; only with `--max-size`. */
  readonly bytes: WideCounter;

  constructor(memory: Pick<CrawlMemory, "control">) {
    this.#words = new Int32Array(memory.control);
    this.pending = new Pending(this.#words, PENDING);
    this.permits = new Permits(this.#words, PAGE_PERMITS);
    this.bytes = new WideCounter(memory.control, BYTES);
  }

  /** One of `MODES`. */
  get mode(): number {
    return Atomics.load(this.#words, MODE);
  }

  get endedBy(): Ending {
    return ENDINGS[Atomics.load(this.#words, ENDED_BY)]!;
  }

  /** Ends the crawl for a reason; the first reason stays. */
  end(reason: Ending, mode: number): void {
    Atomics.compareExchange(this.#words, ENDED_BY, 0, ENDINGS.indexOf(reason));
    if (Atomics.load(this.#words, MODE) < mode) Atomics.store(this.#words, MODE, mode);
  }

  /** Somebody has paused the crawl: nothing is taken, and what is in flight ends. */
  get isPaused(): boolean {
    return Atomics.load(this.#words, PAUSED) === 1;
  }

  /** Call everybody afterwards. */
  setPaused(isPaused: boolean): void {
    Atomics.store(this.#words, PAUSED, isPaused ? 1 : 0);
  }

  /** Nothing is pending any more: the supervisor decides whether that is the end. */
  noteLast(): void {
    Atomics.store(this.#words, LAST_RELEASED, 1);
  }

  /** True while the supervisor has not heard that nothing is pending. */
  get isLast(): boolean {
    return Atomics.load(this.#words, LAST_RELEASED) === 1;
  }

  /** True once after `noteLast`. */
  takeLast(): boolean {
    return Atomics.exchange(this.#words, LAST_RELEASED, 0) === 1;
  }

  /** Above 0 during a recount: crawlers touch no counter, publish their accounts and wait. */
  get recount(): number {
    return Atomics.load(this.#words, RECOUNT);
  }

  /** Begins a recount, or ends it with 0. */
  setRecount(number: number): void {
    Atomics.store(this.#words, RECOUNT, number);
  }

  /** Messages posted to builders so far; a builder compares it before it sleeps. */
  get notes(): number {
    return Atomics.load(this.#words, NOTES);
  }

  /** Call after posting a message to a builder. */
  noteSent(): void {
    Atomics.add(this.#words, NOTES, 1);
  }

  /** Pages committed by all threads. */
  get pagesCommitted(): number {
    return Atomics.load(this.#words, PAGES_COMMITTED);
  }

  /** Sets the counters; only during a recount, when nobody else touches them. */
  setCounts(pending: number, pages: number, permits: number): void {
    Atomics.store(this.#words, PENDING, pending);
    Atomics.store(this.#words, PAGES_COMMITTED, pages);
    Atomics.store(this.#words, PAGE_PERMITS, Math.max(0, Math.min(permits, 2 ** 31 - 1)));
  }

  /** Counts a committed page; returns how many there are now. */
  readonly pageCommitted = (): number => Atomics.add(this.#words, PAGES_COMMITTED, 1) + 1;

  /** No crawler writes any more: builders may finish and end. */
  endBuilders(): void {
    Atomics.store(this.#words, BUILDERS_MAY_END, 1);
  }

  get buildersMayEnd(): boolean {
    return Atomics.load(this.#words, BUILDERS_MAY_END) === 1;
  }
}

/** One crawler's part of the shared counters, written by it and read by the supervisor, and its requests to commit. */
export class Account {
  readonly #words: Int32Array;
  readonly #at: number;

  constructor(memory: Pick<CrawlMemory, "accounts">, thread: number) {
    this.#words = new Int32Array(memory.accounts);
    this.#at = thread * ACCOUNT_WORDS;
  }

  /** Publishes this thread's part for a recount. */
  publish(recount: number, share: number, pages: number, heldPermits: number): void {
    Atomics.store(this.#words, this.#at + SHARE, share);
    Atomics.store(this.#words, this.#at + PAGES, pages);
    Atomics.store(this.#words, this.#at + HELD_PERMITS, heldPermits);
    Atomics.store(this.#words, this.#at + RECOUNTED, recount);
  }

  /** What was published for this recount; undefined before that. */
  read(recount: number): { share: number; pages: number; heldPermits: number } | undefined {
    if (Atomics.load(this.#words, this.#at + RECOUNTED) !== recount) return undefined;
    return {
      share: Atomics.load(this.#words, this.#at + SHARE),
      pages: Atomics.load(this.#words, this.#at + PAGES),
      heldPermits: Atomics.load(this.#words, this.#at + HELD_PERMITS),
    };
  }

  /** Facts have been committed; called before they are announced, and before their visits are released. */
  announced(facts: number): void {
    Atomics.add(this.#words, this.#at + ANNOUNCED, facts);
  }

  /** How many facts this thread has announced. */
  get facts(): number {
    return Atomics.load(this.#words, this.#at + ANNOUNCED);
  }

  /** The thread is dead; its successor knows what it committed. */
  forgetFacts(): void {
    Atomics.store(this.#words, this.#at + ANNOUNCED, 0);
  }

  /** Asks the builder to commit soon, or now; true when that is more urgent than what was asked before. */
  hurry(level: number): boolean {
    return Atomics.exchange(this.#words, this.#at + HURRY, level) < level;
  }

  /** The most urgent request since the last `calm`. */
  get hurried(): number {
    return Atomics.load(this.#words, this.#at + HURRY);
  }

  /** The builder has seen the request. */
  calm(): void {
    Atomics.store(this.#words, this.#at + HURRY, HURRY_LEVELS.none);
  }
}
