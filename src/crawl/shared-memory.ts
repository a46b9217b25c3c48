import type { CrawlConfig } from "../config/schema.ts";
import {
  createFrontierMemory,
  type FrontierMemory,
  type FrontierSizes,
} from "../frontier/frontier-memory.ts";
import type { Gates } from "../frontier/gatekeeper.ts";
import { counterBytes } from "../stats/counters.ts";
import { DOORBELL_WORDS, Doorbell } from "../sync/doorbell.ts";
import { GateTable, gateBytes } from "../sync/gate-table.ts";
import { bufferBytes, CRAWLERS_PER_BUFFER } from "../sync/hand-off-buffer.ts";
import { Pending } from "../sync/pending.ts";
import { Permits } from "../sync/permits.ts";
import { Ring, ringBytes } from "../sync/ring.ts";
import { BufferPlan } from "./buffer-plan.ts";
import { EVIDENCE_BYTES } from "./visit/traps/shared-evidence.ts";

const BUFFER_BYTES = 16 * 1024 * 1024;
/** Hosts that share a gate wait for each other: of 2,000 hosts one in 500 does, of 100,000 one in eleven. 8 bytes each. */
const HOST_GATES = 1 << 20;
const ADDRESS_GATES = 1 << 16;
const DEBUG_SLOTS = 256;
const DEBUG_SLOT_BYTES = 4096;

/** Words of the control block. */
const PENDING = 0;
const PAGE_PERMITS = 1;
const PAGES_COMMITTED = 2;
const MODE = 3;
const ENDED_BY = 4;
const BUILDERS_MAY_END = 5;
const RECOUNT = 6;
const NOTES = 7;
const CONTROL_WORDS = 8;

/** Words of a thread's row in `accounts`. */
const SHARE = 0;
const PAGES = 1;
const HELD_PERMITS = 2;
const RECOUNTED = 3;
const HURRY = 4;
const ACCOUNT_WORDS = 5;

/** How soon a crawler wants its pages committed. */
export const HURRY_LEVELS = { none: 0, soon: 1, now: 2 } as const;

/** What the crawler threads do: run, finish what is in flight, or drop it. */
export const MODES = { run: 0, drain: 1, abort: 2 } as const;

/** Why a crawl ended. */
export const ENDINGS = ["running", "finished", "limit", "interrupted"] as const;

/** Why a crawl ended, in a word. */
export type Ending = (typeof ENDINGS)[number];

/** All shared memory of one crawl, made by the supervisor and handed to every worker. */
export interface CrawlMemory {
  readonly threads: number;
  readonly control: SharedArrayBuffer;
  /** Crawlers 0..T-1, builders T..T+B-1, then the supervisor and the debug log. */
  readonly bells: SharedArrayBuffer;
  /** What the threads share of the frontier. */
  readonly frontier: FrontierMemory;
  /** Page records on their way to builders; a builder that replaces a dead one gets new buffers. */
  readonly buffers: SharedArrayBuffer[];
  /** How many records of each crawler its builder has made durable. */
  readonly stored: SharedArrayBuffer;
  /** What each crawler contributes to the control block, for a recount when one of them has died. */
  readonly accounts: SharedArrayBuffer;
  readonly hostGates: SharedArrayBuffer;
  readonly addressGates: SharedArrayBuffer;
  readonly startGates: SharedArrayBuffer;
  /** What the threads know about traps. */
  readonly evidence: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
  readonly debugLog: SharedArrayBuffer;
}

/** Memory for one hand-off buffer; what is not touched costs nothing. */
export function createBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(bufferBytes(BUFFER_BYTES / CRAWLERS_PER_BUFFER));
}

/** Makes the memory for T crawlers and B builders. */
export function createMemory(config: FrontierSizes & Pick<CrawlConfig, "builders">): CrawlMemory {
  const { threads, builders } = config;
  return {
    threads,
    control: new SharedArrayBuffer(CONTROL_WORDS * 4),
    bells: new SharedArrayBuffer((threads + builders + 2) * DOORBELL_WORDS * 4),
    frontier: createFrontierMemory(config),
    buffers: Array.from({ length: new BufferPlan(config).count }, createBuffer),
    accounts: new SharedArrayBuffer(threads * ACCOUNT_WORDS * 4),
    stored: new SharedArrayBuffer(threads * 4),
    hostGates: new SharedArrayBuffer(gateBytes(HOST_GATES)),
    addressGates: new SharedArrayBuffer(gateBytes(ADDRESS_GATES)),
    startGates: new SharedArrayBuffer(gateBytes(HOST_GATES)),
    evidence: new SharedArrayBuffer(EVIDENCE_BYTES),
    counters: new SharedArrayBuffer(counterBytes(threads)),
    debugLog: new SharedArrayBuffer(ringBytes(DEBUG_SLOTS, DEBUG_SLOT_BYTES)),
  };
}

/** One bell per crawler, then one per builder, then the supervisor's, then the debug log's. */
export function bellsOf(memory: CrawlMemory): Doorbell[] {
  const words = new Int32Array(memory.bells);
  return Array.from(
    { length: words.length / DOORBELL_WORDS },
    (_, i) => new Doorbell(words, i * DOORBELL_WORDS),
  );
}

/** The ring of debug lines. */
export function debugRingOf(memory: CrawlMemory, owner: number): Ring {
  return new Ring(memory.debugLog, DEBUG_SLOTS, DEBUG_SLOT_BYTES, owner);
}

/** The gate tables as thread `thread` uses them. */
export function gatesOf(memory: CrawlMemory, thread: number): Gates {
  return {
    hosts: new GateTable(memory.hostGates, thread + 1),
    addresses: new GateTable(memory.addressGates, thread + 1),
    starts: new GateTable(memory.startGates, thread + 1),
  };
}

/** The control block: how far the crawl is and whether it goes on. */
export class Control {
  readonly #words: Int32Array;
  readonly pending: Pending;
  readonly permits: Permits;

  constructor(memory: Pick<CrawlMemory, "control">) {
    this.#words = new Int32Array(memory.control);
    this.pending = new Pending(this.#words, PENDING);
    this.permits = new Permits(this.#words, PAGE_PERMITS);
  }

  /** One of `MODES`. */
  get mode(): number {
    return Atomics.load(this.#words, MODE);
  }

  /** Why the crawl ended; "running" until then. */
  get endedBy(): Ending {
    return ENDINGS[Atomics.load(this.#words, ENDED_BY)]!;
  }

  /** Ends the crawl for a reason; the first reason stays. */
  end(reason: Ending, mode: number): void {
    Atomics.compareExchange(this.#words, ENDED_BY, 0, ENDINGS.indexOf(reason));
    if (Atomics.load(this.#words, MODE) < mode) Atomics.store(this.#words, MODE, mode);
  }

  /** Above 0 while the supervisor counts anew: crawlers touch no counter, publish their accounts and wait. */
  get recount(): number {
    return Atomics.load(this.#words, RECOUNT);
  }

  /** Begins a recount, or ends it with 0. */
  setRecount(number: number): void {
    Atomics.store(this.#words, RECOUNT, number);
  }

  /** Messages to builders so far: a builder that is about to sleep looks whether there is one more. */
  get notes(): number {
    return Atomics.load(this.#words, NOTES);
  }

  /** A message to a builder was posted. */
  noteSent(): void {
    Atomics.add(this.#words, NOTES, 1);
  }

  /** Committed pages of the whole crawl. */
  get pagesCommitted(): number {
    return Atomics.load(this.#words, PAGES_COMMITTED);
  }

  /** Sets the counters while nobody else touches them. */
  setCounts(pending: number, pages: number, permits: number): void {
    Atomics.store(this.#words, PENDING, pending);
    Atomics.store(this.#words, PAGES_COMMITTED, pages);
    Atomics.store(this.#words, PAGE_PERMITS, Math.max(0, Math.min(permits, 2 ** 31 - 1)));
  }

  /** Counts a committed page; returns how many there are now. */
  pageCommitted(): number {
    return Atomics.add(this.#words, PAGES_COMMITTED, 1) + 1;
  }

  /** Tells the builders that no crawler writes any more. */
  endBuilders(): void {
    Atomics.store(this.#words, BUILDERS_MAY_END, 1);
  }

  get buildersMayEnd(): boolean {
    return Atomics.load(this.#words, BUILDERS_MAY_END) === 1;
  }
}

/** What one crawler contributes to the control block; only it writes here, and the supervisor reads. */
export class Account {
  readonly #words: Int32Array;
  readonly #at: number;

  constructor(memory: Pick<CrawlMemory, "accounts">, thread: number) {
    this.#words = new Int32Array(memory.accounts);
    this.#at = thread * ACCOUNT_WORDS;
  }

  /** Publishes the account for the recount of that number. */
  publish(recount: number, share: number, pages: number, heldPermits: number): void {
    Atomics.store(this.#words, this.#at + SHARE, share);
    Atomics.store(this.#words, this.#at + PAGES, pages);
    Atomics.store(this.#words, this.#at + HELD_PERMITS, heldPermits);
    Atomics.store(this.#words, this.#at + RECOUNTED, recount);
  }

  /** What was published for this recount; undefined as long as nothing was. */
  read(recount: number): { share: number; pages: number; heldPermits: number } | undefined {
    if (Atomics.load(this.#words, this.#at + RECOUNTED) !== recount) return undefined;
    return {
      share: Atomics.load(this.#words, this.#at + SHARE),
      pages: Atomics.load(this.#words, this.#at + PAGES),
      heldPermits: Atomics.load(this.#words, this.#at + HELD_PERMITS),
    };
  }

  /** Asks the builder to commit soon, or now; true when that is more than was asked before. */
  hurry(level: number): boolean {
    return Atomics.exchange(this.#words, this.#at + HURRY, level) < level;
  }

  /** How much of a hurry there is. */
  get hurried(): number {
    return Atomics.load(this.#words, this.#at + HURRY);
  }

  /** The builder has seen it. */
  calm(): void {
    Atomics.store(this.#words, this.#at + HURRY, HURRY_LEVELS.none);
  }
}
