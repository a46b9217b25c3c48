import type { WHEN_FULL } from "../../config/values/technique-names.ts";
import type { VisitedKind } from "../../frontier/shared/sets/visited-set.ts";
import type { QueueShape, Technique } from "../../frontier/shared/techniques/record-queue.ts";
import { DOORBELL_WORDS } from "../../sync/doorbell.ts";
import { LockTable } from "../../sync/lock-table.ts";
import { MAX_URL_LENGTH } from "../../url/crawl-url.ts";
import { traceBytes } from "./activity-trace.ts";
import { slotsBytes } from "./request-slot.ts";
import { ThreadCounts } from "./thread-counts.ts";

/** One way to treat a full frontier. */
export type WhenFull = (typeof WHEN_FULL)[number];

/** A crawl on a frontier that blocks. Plain data, because it crosses thread boundaries. */
export interface BlockingPlan {
  /** A technique, or the address of a module with a lock of one's own. */
  readonly sync: Technique | { readonly module: string };
  readonly size: number | "grow";
  readonly whenFull: WhenFull;
  /** Threads that take, fetch and parse. */
  readonly crawlers: number;
  /** One more thread parses and inserts (a pure producer, as the seed describes it); without it crawlers do that, too. */
  readonly parser: boolean;
  readonly visited: VisitedKind;
  readonly maxPages?: number | undefined;
  readonly maxDepth?: number | undefined;
  /** Folder of a URL tree that whoever parses a page writes it to, before its links are followed. */
  readonly tree?: string | undefined;
  /** Whether threads write down what they were at, and when. */
  readonly traced?: boolean | undefined;
  /**
   * With a monitor: the parser begins a page when all crawlers sleep or fetch, and then goes first. A crawler that was
   * woken at the frontier goes on only when the parser waits for room or has no page.
   */
  readonly parserFirst?: boolean | undefined;
  /** Links that are followed of each page, at most. */
  readonly maxLinks?: number | undefined;
}

/** The memory that all threads of a blocking crawl share. */
export interface BlockingMemory {
  readonly control: SharedArrayBuffer;
  readonly queue: SharedArrayBuffer;
  readonly visited: SharedArrayBuffer;
  readonly taken: SharedArrayBuffer;
  readonly counts: SharedArrayBuffer;
  readonly slots: SharedArrayBuffer;
  readonly pages: SharedArrayBuffer;
  readonly bell: SharedArrayBuffer;
  readonly trace: SharedArrayBuffer;
  readonly treeLocks: SharedArrayBuffer;
}

/** Words of the control block. */
export const CONTROL = {
  ready: 0,
  go: 1,
  stop: 2,
  pending: 3,
  reserved: 4,
  pages: 5,
  parserRuns: 6,
  asleep: 7,
} as const;

/** A page may be this long; the rest of a longer one is not read. */
export const BODY_BYTES = 256 * 1024;
/** Memory that is not touched costs nothing. */
const PAGES_BYTES = 256 * 1024 * 1024;
const CONTROL_WORDS = 8;
const DEPTH_BYTES = 2;
/** Paths of a tree that are locked at a time, at most. */
export const TREE_LOCKS = 64;

/** Longest record: depth and URL. */
export const RECORD_BYTES = DEPTH_BYTES + MAX_URL_LENGTH * 3;

/** URLs of a blocking crawl; the striped set keeps them as text. */
const MAX_URLS = { cas: 1 << 20, striped: 1 << 16 } as const;

/** Threads of a plan in all. */
export function threadsOf({ crawlers, parser }: BlockingPlan): number {
  return crawlers + (parser ? 1 : 0);
}

/** The shape of its frontier. */
export function shapeOf({ size }: BlockingPlan): QueueShape {
  return { size, slotBytes: RECORD_BYTES };
}

/** The shape of a visited set; laboratory threads may sleep for a lock. */
export function setShapeOf(kind: VisitedKind): { maxUrls: number; mayBlock: boolean } {
  return { maxUrls: MAX_URLS[kind], mayBlock: true };
}

/** Makes everything but the queue and the sets. */
export function createBlockingMemory(
  plan: BlockingPlan,
  made: Pick<BlockingMemory, "queue" | "visited" | "taken">,
): BlockingMemory {
  const threads = threadsOf(plan);
  return {
    ...made,
    control: new SharedArrayBuffer(CONTROL_WORDS * 4),
    counts: new SharedArrayBuffer(ThreadCounts.bytes(threads)),
    slots: new SharedArrayBuffer(slotsBytes(plan.crawlers, BODY_BYTES)),
    pages: new SharedArrayBuffer(plan.parser ? PAGES_BYTES : 64),
    bell: new SharedArrayBuffer(DOORBELL_WORDS * 4),
    trace: new SharedArrayBuffer(plan.traced ? traceBytes(threads) : 0),
    treeLocks: new SharedArrayBuffer(LockTable.words(TREE_LOCKS) * 4),
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Writes a URL and its depth into a record and returns its length. */
export function writeRecord(url: string, depth: number, into: Uint8Array): number {
  into[0] = depth & 255;
  into[1] = depth >> 8;
  return DEPTH_BYTES + encoder.encodeInto(url, into.subarray(DEPTH_BYTES)).written;
}

/** Reads a record; undefined when it is none, which only a queue without synchronisation hands out. */
export function readRecord(
  record: Uint8Array,
  length: number,
): { url: string; depth: number } | undefined {
  if (length <= DEPTH_BYTES || length > record.length) return undefined;
  try {
    const url = decoder.decode(record.slice(DEPTH_BYTES, length));
    return { url, depth: record[0]! | (record[1]! << 8) };
  } catch {
    return undefined;
  }
}
