import type { CrawlConfig } from "../config/schema.ts";
import { isOwnSync } from "../config/values/technique-names.ts";
import { UsageError } from "../errors.ts";
import { commitCountBytes } from "../sync/commit-counts.ts";
import { Ring, ringBytes } from "../sync/ring.ts";
import { siteTableBytes } from "../sync/site-table.ts";
import { MAX_URL_LENGTH } from "../url/crawl-url.ts";
import { LEFT_FOR_GOOD, ThreadBoard, threadBoardBytes } from "./lending/thread-board.ts";
import { IDLENESS, WorkBoard, workBoardBytes } from "./lending/work-board.ts";
import { cashBoardBytes } from "./opic/cash-board.ts";
import { visitedSetBytes } from "./shared/sets/open-set.ts";
import type { Page } from "./shared/sets/page-nodes.ts";
import { StripedSet } from "./shared/sets/striped-set.ts";
import type { SetShape } from "./shared/sets/visited-set.ts";
import { createTechnique } from "./shared/techniques/open-technique.ts";
import type { QueueShape, Technique } from "./shared/techniques/record-queue.ts";

const INBOX_SLOTS = 32;
const INBOX_SLOT_BYTES = 16 * 1024;

/** Room for a URL, its parent, a full redirect chain and the numbers around them. */
const SLOT_BYTES = 2 * MAX_URL_LENGTH + 256;
/**
 * URLs of a crawl on a shared frontier. The striped set keeps pages: URL and parent as text, and of those that were fetched
 * the links, many of them in one of its 524,288 nodes. They are 1.1 GB of addresses; when all are used it says so.
 */
const MAX_URLS = { cas: 1 << 22, striped: 1 << 17 } as const;

/** Sites with a budget on a shared frontier; 16 bytes each, of memory that is not touched before. */
const MAX_SITES = 1 << 21;

/** What decides which frontier runs; the sharded one where nothing is said. */
export type FrontierChoice = Partial<Pick<CrawlConfig, "frontier" | "sync">>;

/** What decides how much memory it needs. */
export type FrontierSizes = FrontierChoice &
  Pick<CrawlConfig, "threads"> &
  Partial<Pick<CrawlConfig, "visited" | "frontierSize" | "maxPagesPerSite">>;

/** What the rest of the program must know about a frontier without knowing which one runs. */
export interface FrontierTraits {
  /** It keeps journals: what it holds survives the death of a thread and of the process. */
  readonly isDurable: boolean;
  /** It writes journals: of everything, or on an engine of the ends of this worker's visits. */
  readonly hasJournals: boolean;
  /** Hosts have no owner that spaces their requests, so the gates alone must. */
  readonly needsGates: boolean;
  /** It is there to show what goes wrong without synchronisation: its end is found by idleness. */
  readonly losesUrls: boolean;
  /** What waits, and what others did, is on an engine: the folder holds one worker's part. */
  readonly isElsewhere: boolean;
}

/** The traits of the frontier that a configuration asks for. */
export function frontierTraits({ frontier, sync }: FrontierChoice): FrontierTraits {
  const isShared = frontier === "shared";
  return {
    // What waits in a crawl on an engine is the engine's: a folder cannot go on without it.
    isDurable: !isShared && frontier !== "engine",
    hasJournals: !isShared,
    needsGates: isShared,
    losesUrls: isShared && sync === "unsynchronised",
    isElsewhere: frontier === "engine",
  };
}

/** The memory that the threads of one frontier share. */
export type FrontierMemory =
  | {
      readonly kind: "sharded";
      readonly inboxes: readonly SharedArrayBuffer[];
      /** Word i is 1 while somebody waits for space in inbox i. */
      readonly wantsSpace: SharedArrayBuffer;
      /** Who was replaced. */
      readonly board: SharedArrayBuffer;
      /** Who has work to spare, and who has none. */
      readonly work: SharedArrayBuffer;
      /** What owners have committed of visits that other threads made. */
      readonly commitCounts: SharedArrayBuffer;
      /** What threads that order by cash tell each other. */
      readonly cashBoard: SharedArrayBuffer;
    }
  | {
      readonly kind: "shared";
      readonly queue: SharedArrayBuffer;
      readonly visited: SharedArrayBuffer;
      /** Which URLs were taken, for a technique that gives them twice. */
      readonly taken: SharedArrayBuffer | undefined;
      /** Pages of each site, where sites have a budget. */
      readonly sites: SharedArrayBuffer | undefined;
      /** Who has free places, and who has not been started. */
      readonly work: SharedArrayBuffer;
    }
  /** Threads share nothing but the engine. */
  | { readonly kind: "engine" };

/** Makes the memory of the frontier that a configuration asks for. */
export function createFrontierMemory(config: FrontierSizes): FrontierMemory {
  const { threads, sync = "lock-free", visited = "cas", frontierSize = "grow" } = config;
  if (config.frontier === "engine") return { kind: "engine" };
  if (config.frontier === "shared") {
    const set = (kind: "cas" | "striped") =>
      new SharedArrayBuffer(visitedSetBytes(kind, setShape(kind)));
    return {
      kind: "shared",
      queue: createTechnique(techniqueOf(sync), queueShape({ frontierSize })),
      visited: set(visited),
      taken: frontierTraits(config).losesUrls ? set("cas") : undefined,
      sites:
        config.maxPagesPerSite === undefined
          ? undefined
          : new SharedArrayBuffer(siteTableBytes(MAX_SITES)),
      work: new SharedArrayBuffer(workBoardBytes(threads)),
    };
  }
  return {
    kind: "sharded",
    inboxes: Array.from(
      { length: threads },
      () => new SharedArrayBuffer(ringBytes(INBOX_SLOTS, INBOX_SLOT_BYTES)),
    ),
    wantsSpace: new SharedArrayBuffer(threads * 4),
    board: new SharedArrayBuffer(threadBoardBytes(threads)),
    work: new SharedArrayBuffer(workBoardBytes(threads)),
    commitCounts: new SharedArrayBuffer(commitCountBytes(threads)),
    cashBoard: new SharedArrayBuffer(cashBoardBytes(threads)),
  };
}

/** The technique of a frontier that only tries; a lock of one's own blocks, and runs in the laboratory. */
export function techniqueOf(sync: CrawlConfig["sync"]): Technique {
  if (!isOwnSync(sync)) return sync;
  throw new UsageError(`--sync ${sync} needs --when-full wait: a lock of your own can only block`);
}

/** The inbox rings as thread `thread` uses them. */
export function inboxesOf(inboxes: readonly SharedArrayBuffer[], thread: number): Ring[] {
  return inboxes.map((buffer) => new Ring(buffer, INBOX_SLOTS, INBOX_SLOT_BYTES, thread + 1));
}

/** The shape of the shared queue; the thread that makes it and those that open it must agree. */
export function queueShape({ frontierSize }: Pick<CrawlConfig, "frontierSize">): QueueShape {
  return { size: frontierSize, slotBytes: SLOT_BYTES };
}

/** The shape of a shared set of visited URLs. */
export function setShape(kind: "cas" | "striped", seedLow = 0, seedHigh = 0): SetShape {
  const maxUrls = MAX_URLS[kind];
  return { maxUrls, maxUrlBytes: MAX_URL_LENGTH, seedLow, seedHigh, mayBlock: false };
}

/** The pages of a visited set that keeps them, when all threads have ended; undefined where only fingerprints are kept. */
export function visitedPages(
  memory: FrontierMemory,
  { visited, threads }: Pick<CrawlConfig, "visited" | "threads">,
): Page[] | undefined {
  if (memory.kind !== "shared" || visited !== "striped") return undefined;
  const set = new StripedSet(memory.visited, setShape(visited), 1);
  // Threads that were ended by force may hold locks.
  for (let thread = 0; thread < threads; thread++) set.reclaim(thread + 1);
  return set.dump().map(({ page }) => page);
}

/** A thread is dead: what it held of this memory is free again. */
export function reclaimThread(memory: FrontierMemory, thread: number): void {
  if (memory.kind !== "sharded") return;
  for (const inbox of inboxesOf(memory.inboxes, thread)) inbox.reclaim(thread + 1);
}

/** A dead thread goes on as run `epoch`: the others send it again what it has not confirmed. */
export function announceRun(memory: FrontierMemory, thread: number, epoch: number): void {
  if (memory.kind === "sharded") new ThreadBoard(memory.board).announce(thread, epoch);
}

/** A thread is not started before there is something for it; false where the others need it from the beginning. */
export function offerThread(memory: FrontierMemory, threads: number, thread: number): boolean {
  // What goes wrong without synchronisation is to be seen from the first URL on.
  const isNeeded = memory.kind === "shared" && (memory.taken !== undefined || thread === 0);
  if (memory.kind === "engine" || isNeeded) return false;
  new WorkBoard(memory.work, threads).setIdle(thread, IDLENESS.absent);
  return true;
}

/** Whether something was sent to a thread that has not been started, or another one has called it. */
export function isThreadWanted(memory: FrontierMemory, threads: number, thread: number): boolean {
  if (memory.kind === "engine") return false;
  if (new WorkBoard(memory.work, threads).idleness(thread) !== IDLENESS.absent) return true;
  if (memory.kind === "shared") return false;
  return new Ring(memory.inboxes[thread]!, INBOX_SLOTS, INBOX_SLOT_BYTES, thread + 1).size() > 0;
}

/** A thread has ended and nobody takes its place: what was lent to it waits for the next run. */
export function announceEnd(memory: FrontierMemory, thread: number): void {
  announceRun(memory, thread, LEFT_FOR_GOOD);
}
