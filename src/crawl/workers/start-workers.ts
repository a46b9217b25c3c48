import type { CrawlConfig } from "../../config/schema.ts";
import { WorkerDiedError } from "../../errors.ts";
import type { Fact } from "../../frontier/frontier.ts";
import { frontierTraits } from "../../frontier/frontier-memory.ts";
import { type RunningWorker, runWorker } from "../../runtime/run-worker.ts";
import { type CrawlState, crawlPaths } from "../../store/folder/crawl-folder.ts";
import type { HeldLease } from "../../store/folder/lease.ts";
import { reclaimTreeLocks } from "../../store/tree/tree-writer.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../../url/site.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import type { BuildHere, BuildRules } from "../builder/build-rules.ts";
import type { FromBuilder, RunningBuilder, ToBuilder } from "../builder/builder-message.ts";
import type { DebugRules } from "../builder/debug-worker.ts";
import type { DiskMessage } from "../builder/disk-patience.ts";
import type { ThreadChange } from "../control/control-change.ts";
import type { FromCrawler, ToCrawler } from "../crawler/crawler-message.ts";
import type { CrawlerRules, MainWants } from "../crawler/crawler-rules.ts";
import { bellsOf, type Control, type CrawlMemory } from "../shared-memory.ts";
import type { PageMessage, PageReply } from "../visit/remote-handler.ts";
import type { Told } from "../visit/stages.ts";

/** A thread that has not ended by itself after this long is terminated. */
const LEAVE_MS = 500;

/** What the worker threads of a crawl are started with. */
export interface WorkersPlan {
  readonly config: CrawlConfig;
  readonly out: string;
  readonly memory: CrawlMemory;
  readonly control: Control;
  readonly seedLow: number;
  readonly seedHigh: number;
  /** All seeds, also those that earlier runs were led to, and those that are added while the crawl runs. */
  readonly seeds: readonly CrawlUrl[];
  /** What was changed by hand so far and threads have to know. */
  readonly changes: () => readonly ThreadChange[];
  /** Which files must be there, and which private addresses may be visited, as noted when the crawl was opened. */
  readonly state: Pick<CrawlState, "journals" | "lostArchives" | "epoch" | "consents">;
  /** By which the folder is this process's. */
  readonly lease: HeldLease;
  /** True when an earlier run may have asked hosts a moment ago. */
  readonly resumed: boolean;
  /** Shared by all builders: `treeLockMemory`. */
  readonly treeLocks: SharedArrayBuffer;
  /** What `--header` and `--auth` stand for; written nowhere. */
  readonly credentials: CrawlerRules["credentials"];
  /** What the program on the main thread wants to have. */
  readonly wants: MainWants;
  /** Set where this thread does nothing but crawl. */
  readonly buildHere: BuildHere | undefined;
  /** The next run number of a thread: higher than all before, and durable. */
  readonly nextEpoch: () => number;
}

/** What the workers report to their supervisor. */
export interface WorkersListener {
  /** What was found out, now or in earlier runs; also called when nothing of an announcement is new. */
  onFacts(facts: readonly Fact[], areOfThisRun: boolean): void;
  onDisk(message: DiskMessage): void;
  /** `backMs` after its death the URLs it held were waiting again. */
  onReplaced(name: string, cause: unknown, backMs: number): void;
  /** All crawlers have read what earlier runs did, and none has begun. */
  onBegun(): void;
  /** A page that the program wants to have; settles when it may be committed, or must not be. */
  onPage(page: PageMessage): Promise<PageReply>;
  onTold(told: Told): void;
  /** A handler has something to tell about a page. */
  onHandlerLog(url: string, text: string): void;
  /** Nothing is pending any more. */
  onAllReleased(): void;
  /** A death that starting another thread does not cure. */
  onFault(error: unknown): void;
}

/** The thread that admits a URL: its owner, where there are owners. */
export function threadOf(
  url: CrawlUrl,
  { shards, threads }: Pick<CrawlConfig, "shards" | "threads">,
): number {
  // Finding the site loads a list of suffixes, which the only thread does not depend on.
  if (threads === 1) return 0;
  return shardOf(siteHash(siteOf(hostnameOf(url))), shards) % threads;
}

/** Folder of the journals; undefined for a frontier that keeps none. */
export function journalsOf({ config, out }: WorkersPlan): string | undefined {
  return frontierTraits(config).hasJournals ? crawlPaths(out).journals : undefined;
}

/** What a builder is given, be it a thread or part of one. */
export function buildRulesOf(plan: WorkersPlan, builder: number): BuildRules {
  const { config, memory, out, seedLow, seedHigh, treeLocks, lease } = plan;
  // Its predecessor may have died with locks in hand.
  reclaimTreeLocks(treeLocks, builder);
  const folder = journalsOf(plan);
  const journals = folder === undefined ? undefined : { folder, seedLow, seedHigh };
  return { builder, config, memory, out, treeLocks, journals, lease };
}

/** Starts a builder thread. */
export function startBuilder(
  plan: WorkersPlan,
  builder: number,
  onMessage: (message: FromBuilder) => void,
): RunningBuilder {
  const workerData = buildRulesOf(plan, builder);
  const module = new URL("../builder/build-worker.js", import.meta.url);
  const running = runWorker(module, `builder ${builder}`, { workerData });
  running.worker.on("message", onMessage);
  const tell = (note: ToBuilder) => {
    running.worker.postMessage(note);
    plan.control.noteSent();
    bellsOf(plan.memory).builders[builder]!.ring();
  };
  return { ...untilDone(running, () => plan.control.buildersMayEnd), tell };
}

/** Gives a thread in reserve its shards; it reads them from disk and then waits for the message to go. */
export function beginCrawler(
  plan: WorkersPlan,
  standby: RunningWorker,
  run: Pick<CrawlerRules, "thread" | "epoch" | "mustWait" | "hangs"> & { isLate: boolean },
  onMessage: (message: FromCrawler) => void,
): RunningWorker {
  const { config, state } = plan;
  const rules: CrawlerRules = {
    ...run,
    config,
    build: config.builders === 0 ? buildRulesOf(plan, run.thread) : undefined,
    wants: plan.wants,
    credentials: plan.credentials,
    memory: plan.memory,
    seedLow: plan.seedLow,
    seedHigh: plan.seedHigh,
    seeds: plan.seeds,
    consents: state.consents ?? [],
    journals: journalsOf(plan),
    begun: state.journals !== undefined,
    archive: crawlPaths(plan.out).archive,
    lostArchives: state.lostArchives ?? [],
  };
  // A thread that is started late had no seeds; those that were added since are sent to it, and counted then.
  const ownSeeds = run.isLate
    ? []
    : plan.seeds.filter((url) => threadOf(url, config) === run.thread);
  const running = { ...standby, name: `crawler ${run.thread}` };
  const begin: ToCrawler = { kind: "begin", rules, ownSeeds };
  running.worker.postMessage(begin);
  let isDone = false;
  running.worker.on("message", (message: FromCrawler) => {
    isDone ||= message.kind === "finished" || message.kind === "refused";
    onMessage(message);
  });
  return untilDone(running, () => isDone);
}

/** A thread that exits before its work is done has died, also with exit code 0. */
function untilDone(running: RunningWorker, isDone: () => boolean): RunningWorker {
  const ended = running.ended.then(() => {
    if (!isDone()) throw new WorkerDiedError(running.name, new Error("it ended too early"));
  });
  ended.catch(() => {});
  return { ...running, ended };
}

/** Ends a crawler: asks it to leave, and terminates it when it does not. */
export async function dismiss({ worker, ended }: RunningWorker): Promise<void> {
  const leave: ToCrawler = { kind: "leave" };
  worker.postMessage(leave);
  // It leaves between two events, because Node (20.20) aborts the process when a thread is terminated while it makes a
  // zlib stream.
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, LEAVE_MS);
  });
  await Promise.race([ended.catch(() => {}), late]);
  clearTimeout(timer);
  await worker.terminate();
}

/** Starts the thread that writes the debug log. */
export function startDebugLog({ memory, out }: WorkersPlan): RunningWorker {
  const workerData: DebugRules = { memory, file: crawlPaths(out).debugLog };
  const module = new URL("../builder/debug-worker.js", import.meta.url);
  return runWorker(module, "debug log", { workerData });
}
