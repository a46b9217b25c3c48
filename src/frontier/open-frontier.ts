import { join } from "node:path";
import type { PagePriority } from "../config/page-handler.ts";
import type { CrawlConfig } from "../config/schema.ts";
import { openScratchFile } from "../runtime/scratch-file.ts";
import { CommitCounts } from "../sync/commit-counts.ts";
import type { Doorbell } from "../sync/doorbell.ts";
import type { Pending } from "../sync/pending.ts";
import { SiteTable } from "../sync/site-table.ts";
import type { ByteCount } from "./byte-count.ts";
import { CASH_COUNTERS, type ShardCash } from "./cash/shard-cash.ts";
import { openEngineFrontier } from "./engine/open-engine-frontier.ts";
import { Mailbox } from "./exchange/mailbox.ts";
import type { Fact } from "./fact.ts";
import { OUTCOME } from "./finish.ts";
import { ArchiveEnds } from "./fold/archive-ends.ts";
import { exchangeOf, refuseContradictions, type ShardExchange } from "./fold/exchange-check.ts";
import { BODY_BYTES_COUNTER } from "./fold/shard-state.ts";
import type { Frontier } from "./frontier.ts";
import {
  type FrontierMemory,
  inboxesOf,
  queueShape,
  setShape,
  techniqueOf,
} from "./frontier-memory.ts";
import type { Host, Lease } from "./host.ts";
import type { HostSettings } from "./host-settings.ts";
import { listJournals } from "./journal/journal-listing.ts";
import type { JournalPort } from "./journal-port.ts";
import type { LendingRules } from "./lending/askers.ts";
import { ThreadBoard } from "./lending/thread-board.ts";
import { IDLENESS, WorkBoard } from "./lending/work-board.ts";
import { CashBoard } from "./opic/cash-board.ts";
import { ExchangeSize } from "./opic/exchange-size.ts";
import { KeyRecorder } from "./opic/key-recorder.ts";
import { OpicQueue } from "./opic/opic-queue.ts";
import { ThreadOrder } from "./opic/thread-order.ts";
import type { PageLimit } from "./page-limit.ts";
import { ChainQueue } from "./queue/chain-queue.ts";
import { QueueLog } from "./queue/queue-log.ts";
import { RecoveredFiles } from "./queue/recovered-files.ts";
import type { ShardQueue } from "./queue/shard-queue.ts";
import { BulkAdd } from "./seen/bulk-add.ts";
import { openShard } from "./shard/open-shard.ts";
import type { Shard } from "./shard/shard.ts";
import { ShardedFrontier } from "./sharded-frontier.ts";
import { openVisitedSet } from "./shared/sets/open-set.ts";
import { SharedFrontier } from "./shared/shared-frontier.ts";
import { openTechnique } from "./shared/techniques/open-technique.ts";
import { SharedSiteBudget } from "./site-budget.ts";
import { SiteShares } from "./site-shares.ts";

/** Queued URLs in memory, all threads together; more of them lie on disk. */
const QUEUE_MEMORY_BYTES = 32 * 1024 * 1024;
/** A shorter queue is left to its owner, who fetches so much himself in a moment. */
const MIN_QUEUED_TO_LEND = 32;

/** What a frontier counts for the figures of the crawl. */
export type FrontierCounter = "bytes" | "taken" | "takenTwice" | "lateOwn" | "lateForeign";

/** What one thread opens its frontier with. */
export interface FrontierParts {
  readonly config: CrawlConfig;
  readonly memory: FrontierMemory;
  readonly thread: number;
  /** Number of the run, above that of every run before. */
  readonly epoch: number;
  readonly seedLow: number;
  readonly seedHigh: number;
  /** Folder of the journals; undefined for a frontier that keeps none. */
  readonly journals: string | undefined;
  /** Journals were begun with the crawl: one that is not there is missing. */
  readonly begun: boolean;
  /** No host is asked before: a thread that is gone may have asked it a moment ago. */
  readonly startMs: number;
  /** How far the wall clock is ahead of the monotonic one: what hosts asked for is kept in wall time. */
  readonly wallAheadMs: () => number;
  /** Called with what hosts asked of earlier runs: hash of the host, delay, and until when it is left alone. */
  readonly onRecalled: (hash: number, delayMs: number, heldMs: number) => void;
  /** Whether robots.txt is known to allow a URL, so that another thread may visit it without asking. */
  readonly mayLend: (lease: Lease) => boolean;
  readonly priority: PagePriority | undefined;
  /** What was decided about single hosts while the crawl runs, and who is to know of a change. */
  readonly settings?: HostSettings | undefined;
  readonly onHostChanged?: ((host: Host, nowMs: number) => void) | undefined;
  readonly pending: Pending;
  readonly limit: PageLimit;
  readonly bytes: ByteCount;
  /** Of the crawler threads. */
  readonly bells: readonly Doorbell[];
  readonly port: JournalPort;
  readonly counters: {
    add(counter: FrontierCounter, count?: number): void;
    set(counter: FrontierCounter, count: number): void;
  };
  /** Journal files that may stay open while what they hold is read. */
  readonly maxRecoveredFiles: number;
  /** A URL of the host has ended with this `OUTCOME`; called in the thread that owns it, where there are owners. */
  readonly onEnded: (hostname: string, outcome: number) => void;
  /** Called for each shard that was read: with what it has exchanged, which must fit what the others have. */
  readonly onExchange: (found: ShardExchange) => void;
  /** Checks that the archives reach as far as the journals say. */
  readonly checkArchives: (ends: ArchiveEnds["ends"]) => void;
  /** Called once, by the thread that releases the last URL of the crawl. */
  readonly onLast: () => void;
  /** What visits found out is durable: all threads are to know it. */
  readonly onFacts: (facts: readonly Fact[]) => void;
}

/** Opens the frontier that the configuration asks for, as one thread sees it: what is on disk of it is read. */
export function openFrontier(parts: FrontierParts): Frontier {
  const { memory } = parts;
  if (memory.kind === "engine") return openEngineFrontier(parts);
  return memory.kind === "shared" ? openShared(parts, memory) : openSharded(parts, memory);
}

function openShared(
  parts: FrontierParts,
  memory: Extract<FrontierMemory, { kind: "shared" }>,
): SharedFrontier {
  const { config, thread, seedLow, seedHigh, bells, counters } = parts;
  const set = (kind: "cas" | "striped", buffer: SharedArrayBuffer) =>
    openVisitedSet(kind, buffer, setShape(kind, seedLow, seedHigh), thread + 1);
  const queue = openTechnique(
    techniqueOf(config.sync),
    memory.queue,
    queueShape(config),
    thread + 1,
  );
  const work = new WorkBoard(memory.work, config.threads);
  return new SharedFrontier({
    ...parts,
    queue,
    visited: set(config.visited, memory.visited),
    taken: memory.taken && set("cas", memory.taken),
    budget:
      memory.sites &&
      new SharedSiteBudget(new SiteTable(memory.sites, config.maxPagesPerSite!), parts),
    delayMs: config.delayMs,
    dedup: config,
    maxHeld: 2 * config.linksPerThread,
    places: config.linksPerThread,
    wakeOthers: () => {
      for (const [i, bell] of bells.entries())
        if (i !== thread && work.idleness(i) !== IDLENESS.absent) bell.ring();
    },
    onPlaces: (free, left) => {
      work.setIdle(thread, left > 0 ? IDLENESS.free : IDLENESS.none);
      // Only who has just filled all its places: one that is congested, or paused, needs no help.
      if (free === 0 || left > 0 || queue.size() === 0) return;
      const called = work.callAbsentIfNoneIsFree(thread);
      if (called >= 0) bells[called]!.ring();
    },
    onTaken: (again) => counters.add(again ? "takenTwice" : "taken"),
    countsQueue: thread === 0,
  });
}

function openSharded(
  parts: FrontierParts,
  memory: Extract<FrontierMemory, { kind: "sharded" }>,
): ShardedFrontier {
  const { config, thread, seedLow, seedHigh, limit, port, counters, bells } = parts;
  const { delayMs, perHost, order, shards, threads } = config;
  const { dropSessionIds, dropTracking, trailingSlash } = config;
  const journals = parts.journals!;
  const rules = {
    delayMs,
    perHost,
    order,
    seedLow,
    seedHigh,
    startMs: parts.startMs,
    wallAheadMs: parts.wallAheadMs,
    onRecalled: parts.onRecalled,
    dropSessionIds,
    dropTracking,
    trailingSlash,
    settings: parts.settings,
    shares: new SiteShares(config.linksPerThread),
  };
  const scratch = join(journals, `queue-${thread}.scratch`);
  const log = new QueueLog(() => openScratchFile(scratch), QUEUE_MEMORY_BYTES / threads);
  const recovered = new RecoveredFiles({ maxFiles: parts.maxRecoveredFiles });
  const byCash = order === "opic" ? openOrder(parts, memory.cashBoard) : undefined;
  const newQueue = (number: number, cash: ShardCash | undefined): ShardQueue => {
    if (cash === undefined) return new ChainQueue(log, order === "dfs", recovered);
    const file = join(journals, `order-${number}.scratch`);
    return new OpicQueue(cash, log, () => openScratchFile(file), byCash!);
  };
  const gathered = new BulkAdd();
  const listed = listJournals(journals);
  const archives = new ArchiveEnds();
  const owned: Shard[] = [];
  const late = { own: 0, foreign: 0 };
  let pages = 0;
  let bytes = 0;
  for (let number = thread; number < shards; number += threads) {
    const { shard, end } = openShard({
      folder: journals,
      number,
      begun: parts.begun,
      listed: listed(number),
      rules,
      newQueue: (cash) => newQueue(number, cash),
      gathered,
    });
    const { outcomes, counters: counted } = shard.state;
    for (const [name, reached] of shard.state.archives.ends) archives.reaches(name, reached);
    const exchange = exchangeOf(journals, number, shard.state, end);
    // Before the builder is to write behind it.
    refuseContradictions([exchange], parts.epoch - 1);
    parts.onExchange(exchange);
    owned.push(shard);
    port.begin(number, end);
    pages += outcomes[OUTCOME.page]!;
    bytes += counted[BODY_BYTES_COUNTER]!;
    late.own += counted[CASH_COUNTERS.lateOwn]!;
    late.foreign += counted[CASH_COUNTERS.lateForeign]!;
  }
  // A thread that follows a dead one counts what is on disk.
  limit.pages = pages;
  counters.set("bytes", bytes);
  counters.set("lateOwn", late.own);
  counters.set("lateForeign", late.foreign);
  // Once for all shards: every builder that died left files, and most of them hold something of each shard.
  parts.checkArchives(archives.ends);
  return new ShardedFrontier({
    ...parts,
    ...rules,
    threads,
    shards,
    owned,
    mailbox: new Mailbox(thread, {
      inboxes: inboxesOf(memory.inboxes, thread),
      bells,
      wantsSpace: new Int32Array(memory.wantsSpace),
    }),
    board: new ThreadBoard(memory.board),
    work: new WorkBoard(memory.work, threads),
    commits: new CommitCounts(memory.commitCounts, threads, thread),
    lending: lendingRules(config),
    maxPagesPerSite: config.maxPagesPerSite,
    order: byCash,
    onClose: () => {
      log.close();
      recovered.close();
      byCash?.recorder?.close();
    },
  });
}

function openOrder(
  { config, thread, priority, counters }: FrontierParts,
  cashBoard: SharedArrayBuffer,
): ThreadOrder {
  return new ThreadOrder({
    onLate: (origin, credits) =>
      counters.add(origin === "own" ? "lateOwn" : "lateForeign", credits),
    priority,
    board: new CashBoard(cashBoard, thread),
    places: config.linksPerThread,
    exchange: new ExchangeSize(config.exchangeSize),
    recorder:
      config.recordKeys === undefined ? undefined : new KeyRecorder(config.recordKeys, thread),
  });
}

/** Undefined where visits must not be made by another thread: the cookies of a site are kept by its owner alone. */
function lendingRules(config: CrawlConfig): LendingRules | undefined {
  const { perHost, linksPerThread, cookies } = config;
  if (cookies) return undefined;
  const minQueued = Math.min(MIN_QUEUED_TO_LEND, 2 * linksPerThread);
  return { perHost, linksPerThread, minQueued };
}
