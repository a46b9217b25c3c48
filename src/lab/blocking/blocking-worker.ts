import { parentPort } from "node:worker_threads";
import { openVisitedSet } from "../../frontier/shared/sets/open-set.ts";
import { MonitorQueue } from "../../frontier/shared/techniques/monitor-queue.ts";
import { DiskTree } from "../../store/tree/tree-files.ts";
import { treePlace } from "../../store/tree/tree-path.ts";
import { UrlTree } from "../../store/tree/url-tree.ts";
import { Doorbell } from "../../sync/doorbell.ts";
import { LockTable } from "../../sync/lock-table.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { ScopeKind } from "../../url/scope.ts";
import { Scope } from "../../url/scope.ts";
import { ActivityTrace } from "./activity-trace.ts";
import {
  type BlockingMemory,
  type BlockingPlan,
  BODY_BYTES,
  CONTROL,
  setShapeOf,
  TREE_LOCKS,
} from "./blocking-plan.ts";
import { BlockingThread } from "./blocking-thread.ts";
import { CountedSleeps } from "./counted-sleeps.ts";
import { openQueue } from "./open-queue.ts";
import { PageList } from "./page-list.ts";
import { RequestSlot } from "./request-slot.ts";
import { ACTIVITY, ThreadCounts } from "./thread-counts.ts";

/** What a laboratory thread is told to do. */
export interface BlockingOrder {
  readonly plan: BlockingPlan;
  readonly memory: BlockingMemory;
  readonly thread: number;
  readonly scope: ScopeKind;
  readonly seeds: readonly CrawlUrl[];
}

/** Threads that wait for a URL look a while before they sleep. */
const SETTLE_MS = 5;
/** How often a crawler that waits for the parser looks whether the run was stopped. */
const TURN_MS = 20;

const sleeps = new CountedSleeps();
sleeps.install();

parentPort!.on("message", (order: BlockingOrder) => {
  void run(order).then(
    () => parentPort!.postMessage({ ended: true }),
    (fault: unknown) =>
      parentPort!.postMessage({ fault: fault instanceof Error ? fault.message : String(fault) }),
  );
});

async function run({ plan, memory, thread, scope: kind, seeds }: BlockingOrder): Promise<void> {
  const control = new Int32Array(memory.control);
  const scope = new Scope({ kind });
  for (const seed of seeds) scope.addSeed(seed);
  const counts = new ThreadCounts(memory.counts);
  const queue = await openQueue(plan, memory.queue, thread + 1);
  goByTurns(plan, thread, control);
  const set = (buffer: SharedArrayBuffer, of: "cas" | "striped") =>
    openVisitedSet(of, buffer, setShapeOf(of), thread + 1);
  const worker = new BlockingThread({
    thread,
    plan,
    control,
    queue,
    visited: set(memory.visited, plan.visited),
    taken: set(memory.taken, "cas"),
    counts,
    sleeps,
    pages: new PageList(memory.pages),
    scope,
    trace: plan.traced ? new ActivityTrace(memory.trace, thread) : undefined,
    store: plan.tree === undefined ? undefined : treeOf(plan.tree, memory.treeLocks, thread),
  });
  Atomics.add(control, CONTROL.ready, 1);
  Atomics.wait(control, CONTROL.go, 0);
  const plants = thread === (plan.parser ? plan.crawlers : 0);
  if (plants && plan.parser) {
    // The crawlers of the seed wait at an empty frontier when the file of seeds is read.
    while (counts.at(ACTIVITY.taking) < plan.crawlers) Atomics.wait(control, CONTROL.stop, 0, 1);
    Atomics.wait(control, CONTROL.stop, 0, SETTLE_MS);
  }
  if (plants) worker.plant(seeds);
  if (thread < plan.crawlers) {
    const slot = new RequestSlot(memory.slots, thread, BODY_BYTES);
    worker.crawl(slot, new Doorbell(new Int32Array(memory.bell), 0));
  } else worker.parseAll();
}

/** Where the parser goes first, crawlers that a condition woke let it run until it waits for room itself. */
function goByTurns({ parserFirst, crawlers }: BlockingPlan, thread: number, control: Int32Array) {
  sleeps.onSleep = undefined;
  sleeps.onWoken = undefined;
  if (parserFirst !== true) return;
  // Who waits for the lock is not hindered: the one that was woken for it may be the only one.
  const tells = (runs: number) => (index: number) => {
    if (index === MonitorQueue.LOCK_WORD) return;
    Atomics.store(control, CONTROL.parserRuns, runs);
    if (runs === 0) Atomics.notify(control, CONTROL.parserRuns);
  };
  if (thread === crawlers) {
    sleeps.onSleep = tells(0);
    sleeps.onWoken = tells(1);
    return;
  }
  sleeps.onSleep = (index) => {
    if (index !== MonitorQueue.LOCK_WORD) Atomics.add(control, CONTROL.asleep, 1);
  };
  sleeps.onWoken = (index, sleep) => {
    if (index === MonitorQueue.LOCK_WORD) return;
    Atomics.sub(control, CONTROL.asleep, 1);
    while (Atomics.load(control, CONTROL.parserRuns) !== 0) {
      if (Atomics.load(control, CONTROL.stop) !== 0) return;
      sleep(control, CONTROL.parserRuns, 1, TURN_MS);
    }
  };
}

/** The shipped URL tree with its locks, as a builder of a crawl uses it. */
function treeOf(root: string, locks: SharedArrayBuffer, thread: number) {
  const table = new LockTable(new Int32Array(locks), 0, TREE_LOCKS, thread + 1);
  const tree = new UrlTree(table, new DiskTree(root));
  return (url: CrawlUrl, content: Uint8Array): void => {
    tree.add(treePlace(url), { url, source: "", content, mime: "text/html" });
  };
}
