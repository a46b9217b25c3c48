import { join } from "node:path";
import { Mailbox } from "../../frontier/exchange/mailbox.ts";
import type { ThreadFrontier } from "../../frontier/frontier.ts";
import { ArchiveEnds } from "../../frontier/journal/archive-ends.ts";
import { listJournals } from "../../frontier/journal/journal-listing.ts";
import type { JournalEnd } from "../../frontier/journal/journal-reader.ts";
import type { Lender } from "../../frontier/lending/lender.ts";
import { CashBoard } from "../../frontier/opic/cash-board.ts";
import type { CreditOrigin } from "../../frontier/opic/cash-book.ts";
import { ExchangeSize } from "../../frontier/opic/exchange-size.ts";
import { OpicQueue } from "../../frontier/opic/opic-queue.ts";
import { CASH_COUNTERS, type ShardCash } from "../../frontier/opic/shard-cash.ts";
import { ThreadOrder } from "../../frontier/opic/thread-order.ts";
import { ChainQueue } from "../../frontier/queue/chain-queue.ts";
import { QueueLog } from "../../frontier/queue/queue-log.ts";
import { RecoveredFiles } from "../../frontier/queue/recovered-files.ts";
import type { ShardQueue } from "../../frontier/queue/shard-queue.ts";
import { BulkAdd } from "../../frontier/seen/bulk-add.ts";
import { KnownLinks } from "../../frontier/seen/known-links.ts";
import { openShard } from "../../frontier/shard/open-shard.ts";
import type { Shard } from "../../frontier/shard/shard.ts";
import { ShardedFrontier } from "../../frontier/sharded-frontier.ts";
import { openVisitedSet } from "../../frontier/shared/sets/open-set.ts";
import { SharedFrontier } from "../../frontier/shared/shared-frontier.ts";
import { openTechnique } from "../../frontier/shared/techniques/open-technique.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { openScratchFile } from "../../runtime/scratch-file.ts";
import { CounterRow } from "../../stats/counters.ts";
import { checkArchives } from "../../store/finish/check-archives.ts";
import { CommitCounts } from "../../sync/commit-counts.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import { spareFiles } from "../file-budget.ts";
import type { BufferSender } from "../hand-off/buffer-sender.ts";
import { HandOffPort } from "../hand-off/hand-off-port.ts";
import { frontierShape, setShape } from "../shared-frontier-memory.ts";
import { type Control, inboxesOf, MODES } from "../shared-memory.ts";
import { clearOutcomes, countRecovered } from "../visit/outcome.ts";
import type { CrawlerRules } from "./crawler-rules.ts";

/** Queued URLs in memory, all threads together; more of them lie on disk. */
const QUEUE_MEMORY_BYTES = 32 * 1024 * 1024;

/** What a thread's frontier works with. */
export interface FrontierParts {
  readonly rules: CrawlerRules;
  readonly control: Control;
  readonly bells: readonly Doorbell[];
  readonly counters: CounterRow;
  readonly handOff: BufferSender;
  readonly lender: Pick<Lender, "spare" | "returned" | "brought"> & {
    committed(outcome: number): void;
  };
}

/** A thread's frontier, and its way to the disk. */
export interface OpenedFrontier {
  readonly frontier: ThreadFrontier;
  readonly port: HandOffPort;
  /** Absent where every link counts, known or not. */
  readonly known: KnownLinks | undefined;
}

/** Opens the frontier that the configuration asks for, as one thread sees it: what is on disk of it is read. */
export function openThreadFrontier(parts: FrontierParts): OpenedFrontier {
  const { rules, control, bells, counters } = parts;
  const supervisor = bells.at(-2)!;
  const onLast = () => {
    control.end("finished", MODES.drain);
    supervisor.ring();
  };
  const { shared } = rules.memory;
  if (shared === undefined) return openSharded(parts, onLast);
  const { thread, config, memory, seedLow, seedHigh } = rules;
  const crawlers = bells.slice(0, memory.threads);
  const set = (kind: "cas" | "striped", buffer: SharedArrayBuffer) =>
    openVisitedSet(kind, buffer, setShape(kind, seedLow, seedHigh), thread + 1);
  const port = new HandOffPort(parts.handOff, rules.epoch, new Map());
  const frontier = new SharedFrontier({
    frontier: openTechnique(config.sync, shared.frontier, frontierShape(config), thread + 1),
    visited: set(config.visited, shared.visited),
    taken: shared.taken === undefined ? undefined : set("cas", shared.taken),
    pending: control.pending,
    port,
    delayMs: config.delayMs,
    dedup: config,
    maxHeld: 2 * config.linksPerThread,
    seedLow,
    seedHigh,
    onLast,
    wakeOthers: () => {
      for (const [i, bell] of crawlers.entries()) if (i !== thread) bell.ring();
    },
    onTaken: (again) => counters.add(again ? "takenTwice" : "taken"),
    countsFrontier: thread === 0,
  });
  return { frontier, port, known: undefined };
}

function openSharded(
  { rules, control, bells, counters, handOff, lender }: FrontierParts,
  onLast: () => void,
): OpenedFrontier {
  const { thread, config, memory, seedLow, seedHigh, journals, epoch } = rules;
  const { delayMs, perHost, order, shards, threads } = config;
  const startMs = rules.mustWait ? monotonicMs() + delayMs : 0;
  const { dropSessionIds, dropTracking, trailingSlash } = config;
  const dedup = { dropSessionIds, dropTracking, trailingSlash };
  const wallAheadMs = () => Date.now() - monotonicMs();
  const shardRules = {
    ...{ delayMs, perHost, order, seedLow, seedHigh, startMs, wallAheadMs },
    ...dedup,
  };
  const scratch = join(journals!, `queue-${thread}.scratch`);
  const log = new QueueLog(() => openScratchFile(scratch), QUEUE_MEMORY_BYTES / threads);
  const left = new RecoveredFiles({ maxFiles: Math.floor(spareFiles(config) / 2) });
  const gathered = new BulkAdd();
  // A thread that follows a dead one counts what is on disk.
  clearOutcomes(counters);
  for (const name of ["lateOwn", "lateForeign"] as const) counters.set(name, 0);
  const owned: Shard[] = [];
  const late = (origin: CreditOrigin, credits: number) =>
    counters.add(origin === "own" ? "lateOwn" : "lateForeign", credits);
  const byCash =
    order === "opic"
      ? new ThreadOrder({
          onLate: late,
          priority: rules.handler?.priority,
          board: new CashBoard(memory.cashBoard, thread),
          places: config.linksPerThread,
          exchange: new ExchangeSize(config.exchangeSize),
        })
      : undefined;
  const newQueue = (number: number, cash: ShardCash | undefined): ShardQueue => {
    if (cash === undefined) return new ChainQueue(log, order === "dfs", left);
    const file = join(journals!, `order-${number}.scratch`);
    return new OpicQueue(cash, log, () => openScratchFile(file), byCash!);
  };
  const ends = new Map<number, JournalEnd | undefined>();
  const listed = listJournals(journals!);
  const archives = new ArchiveEnds();
  for (let number = thread; number < shards; number += threads) {
    const opened = openShard({
      folder: journals!,
      number,
      begun: rules.begun,
      listed: listed(number),
      rules: shardRules,
      gathered,
      newQueue: (cash) => newQueue(number, cash),
    });
    for (const [name, end] of opened.shard.state.archives.ends) archives.reaches(name, end);
    owned.push(opened.shard);
    ends.set(number, opened.end);
    const { outcomes, counters: counted } = opened.shard.state;
    counters.add("lateOwn", counted[CASH_COUNTERS.lateOwn]!);
    counters.add("lateForeign", counted[CASH_COUNTERS.lateForeign]!);
    countRecovered(counters, outcomes);
  }
  // Once for all shards: every builder that died left files, and most of them hold something of each shard.
  checkArchives(rules.archive, archives.ends, rules.lostArchives);
  const exchange = new Mailbox(thread, {
    inboxes: inboxesOf(memory, thread),
    bells: bells.slice(0, memory.threads),
    wantsSpace: new Int32Array(memory.wantsSpace),
  });
  const port = new HandOffPort(handOff, epoch, ends);
  const { pending } = control;
  const commits = new CommitCounts(memory.commitCounts, threads, thread);
  const rows = Array.from({ length: threads }, (_, each) => new CounterRow(memory.counters, each));
  const frontier = new ShardedFrontier({
    thread,
    threads,
    shards,
    owned,
    epoch,
    pending,
    exchange,
    port,
    delayMs,
    seedLow,
    seedHigh,
    lender: {
      ...lender,
      committed: (outcome, borrower) => {
        lender.committed(outcome);
        commits.add(borrower);
        bells[borrower]!.ring();
      },
      commitsOf: (owner) => commits.take(owner),
      queued: () => rows.map((row) => row.get("queued")),
    },
    onLast,
    order: byCash,
  });
  return { frontier, port, known: new KnownLinks(shards, owned, shardRules) };
}

/** Shows in the counters what the frontier holds. */
export function publishCounters(
  counters: CounterRow,
  frontier: ThreadFrontier,
  inFlight: number,
): void {
  counters.set("known", frontier.known);
  counters.set("queued", frontier.queued);
  counters.set("hostsWaiting", frontier.hostsWaiting);
  counters.set("foreignBlocks", frontier.blocksSent);
  const { nextUrls, exchanges } = frontier;
  counters.set("nextUrls", nextUrls);
  if (nextUrls > counters.get("maxNextUrls")) counters.set("maxNextUrls", nextUrls);
  counters.set("exchanges", exchanges.count);
  counters.set("exchangeVisits", exchanges.visits);
  counters.set("inFlight", inFlight);
  if (inFlight > counters.get("maxInFlight")) counters.set("maxInFlight", inFlight);
}
