import { openVisitedSet, visitedSetBytes } from "../../frontier/shared/sets/open-set.ts";
import type { VisitedKind } from "../../frontier/shared/sets/visited-set.ts";
import { OptimisticQueue } from "../../frontier/shared/techniques/optimistic-queue.ts";
import type { RecordQueue } from "../../frontier/shared/techniques/record-queue.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { Pending } from "../../sync/pending.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { ActivityTrace, type TracedSpan } from "./activity-trace.ts";
import {
  type BlockingMemory,
  type BlockingPlan,
  CONTROL,
  createBlockingMemory,
  RECORD_BYTES,
  readRecord,
  setShapeOf,
  threadsOf,
} from "./blocking-plan.ts";
import { contextSwitches } from "./context-switches.ts";
import type { Laboratory } from "./laboratory.ts";
import { createQueue, openQueue } from "./open-queue.ts";
import { PageList } from "./page-list.ts";
import { ACTIVITY, fairness, ThreadCounts } from "./thread-counts.ts";

/** A run in which nothing happens for so long, while nobody waits for a server, has come to a stand. */
export const STANDS_MS = 500;
const LOOK_MS = 10;
/** Where the last quarter of a run begins. */
const LATE = 0.75;

/** Times the time of a run, at most, that it may take to fetch its least number of pages. */
const PATIENCE = 20;

/** How a run ended. "stood-still": every thread waits for another. */
export type BlockingEnd = "finished" | "time" | "pages" | "stood-still";

/** What a run on a blocking frontier came to. */
export interface BlockingResult {
  readonly ended: BlockingEnd;
  readonly seconds: number;
  readonly pages: number;
  /** Pages per second in the last quarter of the time that was given; 0 if the run stood still. */
  readonly lateRate: number;
  readonly failed: number;
  readonly known: number;
  readonly inserts: number;
  readonly takes: number;
  readonly fetchedTwice: number;
  /** Known, never taken, and in no queue any more. */
  readonly lost: number;
  readonly overwritten: number;
  readonly spilled: number;
  /** Seconds that all threads together slept in inserts and in takes. */
  readonly blockedInsertS: number;
  readonly blockedTakeS: number;
  readonly wakeUps: number;
  readonly uselessWakeUps: number;
  /** Of the optimistic technique; 0 elsewhere. */
  readonly aborts: number;
  readonly restarts: number;
  /** Jain's index over the pages of the crawlers: 1 is equal shares. */
  readonly fairness: number;
  /** Microseconds from wanting a URL to having one. */
  readonly pickMedianUs: number;
  readonly pickP99Us: number;
  readonly contextSwitches: number | undefined;
  /** Threads that waited for a URL and for room when the run ended. */
  readonly waitingToTake: number;
  readonly waitingToInsert: number;
  readonly cpuSeconds: number;
  /** What each thread was at, where that was written down. */
  readonly traces?: readonly (readonly TracedSpan[])[];
}

/** When a run ends at the latest. */
export interface BlockingLimits {
  readonly maxMs: number;
  /** Time that is up does not end a run with fewer pages than these, on a machine that is busy with something else. */
  readonly minPages?: number | undefined;
  /** Looks at it from time to time: true stops the run. */
  readonly isInterrupted?: () => boolean;
}

/** Runs one crawl on a frontier that really blocks, from these seeds. */
export async function runBlocking(
  lab: Laboratory,
  plan: BlockingPlan,
  seeds: readonly CrawlUrl[],
  limits: BlockingLimits,
): Promise<BlockingResult> {
  const set = (kind: VisitedKind) => new SharedArrayBuffer(visitedSetBytes(kind, setShapeOf(kind)));
  const memory = createBlockingMemory(plan, {
    queue: await createQueue(plan),
    visited: set(plan.visited),
    taken: set("cas"),
  });
  const threads = threadsOf(plan);
  const control = new Int32Array(memory.control);
  const counts = new ThreadCounts(memory.counts);
  await lab.serve({ slots: memory.slots, bell: memory.bell, threads: plan.crawlers });
  const { ended } = lab.begin(
    Array.from({ length: threads }, (_, thread) => ({
      plan,
      memory,
      thread,
      scope: lab.config.scope,
      seeds,
    })),
  );
  while (Atomics.load(control, CONTROL.ready) < threads)
    await Promise.race([pause(LOOK_MS), ended]);
  // The main thread is the highest owner, which no laboratory thread has.
  const queue = await openQueue(plan, memory.queue, threads + 1);
  const cpu = process.cpuUsage();
  const switches = contextSwitches();
  const startMs = monotonicMs();
  // Released when the seeds are counted, so that a run does not end before it has begun.
  new Pending(control, CONTROL.pending).add(1);
  Atomics.store(control, CONTROL.go, 1);
  Atomics.notify(control, CONTROL.go);
  const halt = () => {
    Atomics.store(control, CONTROL.stop, 1);
    Atomics.notify(control, CONTROL.stop);
    queue.shutDown();
    new PageList(memory.pages).close();
    return lab.dismiss(ended);
  };
  const watched = await watch({ control, counts, startMs, limits, plan, ended }).catch(
    async (fault: unknown) => {
      await halt().catch(() => {});
      throw fault;
    },
  );
  const waitingToTake = counts.at(ACTIVITY.taking);
  const waitingToInsert = counts.at(ACTIVITY.inserting);
  const switched = contextSwitches();
  const { user, system } = process.cpuUsage(cpu);
  await halt();
  const lost = typeof plan.sync === "string" ? lostIn(queue, memory, counts) : 0;
  const transactions = queue instanceof OptimisticQueue ? queue.counts() : undefined;
  const crawlers = Array.from({ length: plan.crawlers }, (_, thread) =>
    counts.get(thread, "pages"),
  );
  return {
    ended: watched.end,
    seconds: (watched.endMs - startMs) / 1000,
    pages: watched.pages,
    lateRate: watched.lateRate,
    failed: counts.sum("failed"),
    known: counts.sum("known"),
    inserts: counts.sum("inserts"),
    takes: counts.sum("takes"),
    fetchedTwice: counts.sum("fetchedTwice"),
    lost,
    overwritten: counts.sum("overwritten"),
    spilled: counts.sum("spilled"),
    blockedInsertS: counts.sum("blockedInsertUs") / 1e6,
    blockedTakeS: counts.sum("blockedTakeUs") / 1e6,
    wakeUps: counts.sum("wakeUps"),
    uselessWakeUps: counts.sum("uselessWakeUps"),
    aborts: transactions?.aborts ?? 0,
    restarts: transactions?.restarts ?? 0,
    fairness: fairness(crawlers),
    pickMedianUs: counts.pickQuantile(0.5),
    pickP99Us: counts.pickQuantile(0.99),
    contextSwitches:
      switches !== undefined && switched !== undefined ? switched - switches : undefined,
    waitingToTake,
    waitingToInsert,
    cpuSeconds: (user + system) / 1e6,
    ...(plan.traced ? { traces: tracesOf(memory, threads, startMs, watched.endMs) } : {}),
  };
}

interface Watched {
  readonly control: Int32Array;
  readonly counts: ThreadCounts;
  readonly startMs: number;
  readonly limits: BlockingLimits;
  readonly plan: BlockingPlan;
  readonly ended: Promise<void>;
}

/** Looks at the counters until the run is over. Time that is up does not end a run that may be standing still. */
async function watch({ control, counts, startMs, limits, plan, ended }: Watched) {
  const { maxMs, minPages = 0, isInterrupted } = limits;
  let operations = -1;
  let movedMs = startMs;
  let early: { pages: number; ms: number } | undefined;
  for (;;) {
    await Promise.race([pause(LOOK_MS), ended]);
    const nowMs = monotonicMs();
    const sum = counts.sum("inserts") + counts.sum("takes") + counts.sum("pages");
    if (sum !== operations || counts.at(ACTIVITY.fetching) > 0) movedMs = nowMs;
    operations = sum;
    const pages = Atomics.load(control, CONTROL.pages);
    const lateRate = early === undefined ? 0 : (pages - early.pages) / ((nowMs - early.ms) / 1000);
    if (nowMs - startMs >= LATE * maxMs) early ??= { pages, ms: nowMs };
    const endsAs = (end: BlockingEnd) => ({ end, pages, lateRate, endMs: nowMs });
    if (new Pending(control, CONTROL.pending).value <= 0) return endsAs("finished");
    // Fetched is enough: the last ones may wait for room that nobody makes, because no other may fetch any more.
    const fetched = counts.sum("pages");
    if (fetched >= (plan.maxPages ?? Number.POSITIVE_INFINITY))
      return { ...endsAs("pages"), pages: fetched };
    if (nowMs - movedMs >= STANDS_MS)
      return { ...endsAs("stood-still"), lateRate: 0, endMs: movedMs };
    const isOver =
      nowMs - startMs >= maxMs && (pages >= minPages || nowMs - startMs >= PATIENCE * maxMs);
    const mayStand = nowMs - movedMs > 5 * LOOK_MS;
    if ((isOver && !mayStand) || isInterrupted?.()) return endsAs("time");
  }
}

/** Inserted, and neither taken nor overwritten nor in the queue: only a queue without synchronisation has such URLs. */
function lostIn(queue: RecordQueue, memory: BlockingMemory, counts: ThreadCounts): number {
  const taken = openVisitedSet("cas", memory.taken, setShapeOf("cas"), 1);
  const fromQueue = taken.count() - counts.sum("ownTakes");
  const box = new Uint8Array(RECORD_BYTES);
  const left = new Set<string>();
  // A ring whose ends have overtaken each other never becomes empty.
  for (let tries = 0; tries < 1e6; tries++) {
    const length = queue.tryTake(box);
    if (length < 0) break;
    const url = readRecord(box, length)?.url;
    if (url !== undefined && left.has(url)) break;
    if (url !== undefined && !taken.contains(url)) left.add(url);
  }
  return Math.max(0, counts.sum("inserts") - fromQueue - counts.sum("overwritten") - left.size);
}

function tracesOf(memory: BlockingMemory, threads: number, startMs: number, endMs: number) {
  return Array.from({ length: threads }, (_, thread) =>
    new ActivityTrace(memory.trace, thread).spans(startMs, endMs),
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
