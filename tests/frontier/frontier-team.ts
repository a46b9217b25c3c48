import assert from "node:assert/strict";
import { ByteCount } from "../../src/frontier/byte-count.ts";
import { ShardCash } from "../../src/frontier/cash/shard-cash.ts";
import { EngineFrontier } from "../../src/frontier/engine/engine-frontier.ts";
import { Mailbox } from "../../src/frontier/exchange/mailbox.ts";
import type { Fact } from "../../src/frontier/fact.ts";
import type { PageLocation } from "../../src/frontier/finish.ts";
import { ShardState } from "../../src/frontier/fold/shard-state.ts";
import type { Frontier, JournalPort } from "../../src/frontier/frontier.ts";
import { Gatekeeper } from "../../src/frontier/gatekeeper.ts";
import type { Lease } from "../../src/frontier/host.ts";
import { ThreadBoard, threadBoardBytes } from "../../src/frontier/lending/thread-board.ts";
import { WorkBoard, workBoardBytes } from "../../src/frontier/lending/work-board.ts";
import { CashBoard, cashBoardBytes } from "../../src/frontier/opic/cash-board.ts";
import { ExchangeSize } from "../../src/frontier/opic/exchange-size.ts";
import { OpicQueue } from "../../src/frontier/opic/opic-queue.ts";
import { ThreadOrder } from "../../src/frontier/opic/thread-order.ts";
import { PageLimit } from "../../src/frontier/page-limit.ts";
import { ChainQueue } from "../../src/frontier/queue/chain-queue.ts";
import { QueueLog } from "../../src/frontier/queue/queue-log.ts";
import { Shard } from "../../src/frontier/shard/shard.ts";
import { ShardedFrontier } from "../../src/frontier/sharded-frontier.ts";
import { openVisitedSet, visitedSetBytes } from "../../src/frontier/shared/sets/open-set.ts";
import { SharedFrontier } from "../../src/frontier/shared/shared-frontier.ts";
import {
  createTechnique,
  openTechnique,
} from "../../src/frontier/shared/techniques/open-technique.ts";
import { SharedSiteBudget } from "../../src/frontier/site-budget.ts";
import { SiteShares } from "../../src/frontier/site-shares.ts";
import { CommitCounts, commitCountBytes } from "../../src/sync/commit-counts.ts";
import { DOORBELL_WORDS, Doorbell } from "../../src/sync/doorbell.ts";
import { Pending } from "../../src/sync/pending.ts";
import { PERMITS_WORDS, Permits } from "../../src/sync/permits.ts";
import { Ring, ringBytes } from "../../src/sync/ring.ts";
import { SiteTable, siteTableBytes } from "../../src/sync/site-table.ts";
import { WideCounter } from "../../src/sync/wide-counter.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";
import { shardOf, siteHash, siteOf } from "../../src/url/site.ts";
import { hostnameOf } from "../../src/url/url-parts.ts";
import { ModelEngine } from "../../src/verify/engine/model-engine.ts";
import { ScriptModel } from "../../src/verify/engine/script-model.ts";
import { newGates } from "./new-gates.ts";

const SEEDS = { seedLow: 5, seedHigh: 6 };
const SHARDS = 16;
const GATES = 256;

/** What a thread handed over becomes durable when `sync` is called. */
export class SlowPort implements JournalPort {
  readonly #waiting: (() => void)[] = [];

  begin(): void {}

  write(_shard: number, _events: Uint8Array, onDurable: () => void): void {
    this.#waiting.push(onDurable);
  }

  mark(onStored: () => void): void {
    this.#waiting.push(onStored);
  }

  place(record: number, onDurable: (place: PageLocation) => void): void {
    this.#waiting.push(() => onDurable({ file: "a.warc.gz", offset: record, length: 1 }));
  }

  hurry(): void {}

  sync(): void {
    for (const onDurable of this.#waiting.splice(0)) onDurable();
  }
}

/** What the frontiers of a test are made for. */
export interface TeamOptions {
  readonly threads: number;
  /** Slots of an inbox, or of the shared queue. */
  readonly slots: number;
  readonly order?: "bfs" | "opic";
  /** Of an engine. */
  readonly supersteps?: boolean;
  /** URLs of a host that are fetched ahead from an engine. */
  readonly ahead?: number;
  readonly delayMs?: number;
  readonly perHost?: number;
  readonly maxPages?: number;
  readonly maxPagesPerSite?: number;
  /** Threads work for each other. */
  readonly lends?: boolean;
  /** Which leases may be lent; absent: all. */
  readonly mayLend?: (lease: Lease) => boolean;
  /** L: places of each thread, of which a site holds a share. */
  readonly places?: number;
  /** What a shard found on disk. */
  readonly prepare?: (shard: number, state: ShardState) => void;
}

/** One thread's view. */
export interface Member {
  readonly frontier: Frontier;
  readonly port: SlowPort;
  readonly gates: Gatekeeper;
}

/** T frontiers in one thread, over the shared memory that T threads would use. */
export interface Team {
  readonly members: readonly Member[];
  readonly pending: Pending;
  /** How often the end was announced, and the limit. */
  readonly seen: { ends: number; limits: number; pages: number; facts: Fact[] };
  readonly permits: { readonly left: number };
  /** Visits that were committed for another thread. */
  readonly lent: () => number;
  /** Where threads that order by cash see what others have. */
  readonly cashBoard?: SharedArrayBuffer;
  /** What is pending is not a number of URLs: each thread counts as one until it knows of the end. */
  readonly countsThreads?: boolean;
}

/** What every frontier needs, whichever it is. */
function common({ threads, delayMs = 0, perHost = 64, maxPages }: TeamOptions, isShared: boolean) {
  const words = new Int32Array(new SharedArrayBuffer(4 * (1 + PERMITS_WORDS)));
  const pending = new Pending(words, 0);
  const permits = new Permits(words, 1);
  words[1] = maxPages ?? 0;
  const bellWords = new Int32Array(new SharedArrayBuffer(4 * threads * DOORBELL_WORDS));
  const bells = Array.from(
    { length: threads },
    (_, i) => new Doorbell(bellWords, i * DOORBELL_WORDS),
  );
  const seen = { ends: 0, limits: 0, pages: 0, facts: [] as Fact[] };
  const gatesOf = newGates(GATES);
  const newLimit = () =>
    new PageLimit({
      maxPages,
      permits,
      countPages: (pages) => {
        seen.pages += pages;
        return seen.pages;
      },
      onReached: () => {
        seen.limits++;
      },
      onReturned: () => {},
    });
  const newGatekeeper = (thread: number) =>
    new Gatekeeper({
      ...gatesOf(thread + 1),
      delayMs,
      perHost,
      spaceHosts: isShared,
    });
  const onFacts = (facts: readonly Fact[]) => {
    seen.facts.push(...facts);
  };
  const newBytes = () =>
    new ByteCount({
      maxBytes: undefined,
      total: new WideCounter(new SharedArrayBuffer(8), 0),
      onReached: () => {},
    });
  const onLast = () => {
    seen.ends++;
  };
  return {
    ...{ pending, permits, bells, seen, newLimit, newBytes, newGatekeeper },
    ...{ onLast, onFacts, delayMs, perHost },
  };
}

/** A team on the sharded frontier; nothing is on disk before. */
export function shardedTeam(options: TeamOptions): Team {
  const { threads, slots, order = "bfs", lends = true, places = 8 } = options;
  const { bells, newLimit, newBytes, newGatekeeper, ...shared } = common(options, false);
  const inboxes = bells.map(() => new SharedArrayBuffer(ringBytes(slots, 512)));
  const wantsSpace = new Int32Array(new SharedArrayBuffer(4 * threads));
  const cashBoard = new SharedArrayBuffer(cashBoardBytes(threads));
  const counts = new SharedArrayBuffer(commitCountBytes(threads));
  const board = new ThreadBoard(new SharedArrayBuffer(threadBoardBytes(threads)));
  const work = new WorkBoard(new SharedArrayBuffer(workBoardBytes(threads)), threads);
  const { delayMs, perHost } = shared;
  const noFile = () => assert.fail("so few URLs need no file");
  let lent = 0;
  const members = bells.map((_, thread): Member => {
    const log = new QueueLog(noFile, 2 ** 22);
    const shares = new SiteShares(places);
    const rules = { delayMs, perHost, order, startMs: 0, shares, ...SEEDS };
    const byCash =
      order === "opic" ? new ThreadOrder({ board: new CashBoard(cashBoard, thread) }) : undefined;
    const owned = Array.from({ length: SHARDS }, (_, number) => number)
      .filter((number) => number % threads === thread)
      .map((number) => {
        const cash = byCash && new ShardCash();
        const queue = byCash
          ? new OpicQueue(cash!, log, noFile, byCash)
          : new ChainQueue(log, false);
        const state = new ShardState(5, 6, undefined, cash);
        options.prepare?.(number, state);
        return new Shard(number, rules, state, queue);
      });
    const port = new SlowPort();
    const commits = new CommitCounts(counts, threads, thread);
    const add = commits.add.bind(commits);
    commits.add = (borrower) => {
      lent++;
      add(borrower);
    };
    const frontier = new ShardedFrontier({
      ...shared,
      ...SEEDS,
      thread,
      threads,
      shards: SHARDS,
      owned,
      epoch: 1,
      limit: newLimit(),
      bytes: newBytes(),
      maxPagesPerSite: options.maxPagesPerSite,
      mailbox: new Mailbox(thread, {
        inboxes: inboxes.map((buffer) => new Ring(buffer, slots, 512, thread + 1)),
        bells,
        wantsSpace,
      }),
      port,
      board,
      work,
      commits,
      bells,
      lending: lends ? { perHost, linksPerThread: 1, minQueued: 1 } : undefined,
      mayLend: options.mayLend,
      order: byCash,
      shares,
    });
    return { frontier, port, gates: newGatekeeper(thread) };
  });
  return { ...shared, members, lent: () => lent, cashBoard };
}

/** A team on the shared frontier, synchronised by one technique. */
export function sharedTeam(options: TeamOptions): Team {
  const { slots, places = 8 } = options;
  const { bells, newLimit, newBytes: _, newGatekeeper, ...shared } = common(options, true);
  const shape = { size: slots, slotBytes: 4096 };
  const memory = createTechnique("lock-free", shape);
  const setShape = { maxUrls: 4096, maxUrlBytes: 2048, mayBlock: false, ...SEEDS };
  const visited = new SharedArrayBuffer(visitedSetBytes("cas", setShape));
  const sites =
    options.maxPagesPerSite === undefined ? undefined : new SharedArrayBuffer(siteTableBytes(64));
  const members = bells.map((_, thread): Member => {
    const port = new SlowPort();
    const frontier = new SharedFrontier({
      ...shared,
      ...SEEDS,
      limit: newLimit(),
      budget: sites && new SharedSiteBudget(new SiteTable(sites, options.maxPagesPerSite!), SEEDS),
      queue: openTechnique("lock-free", memory, shape, thread + 1),
      visited: openVisitedSet("cas", visited, setShape, thread + 1),
      taken: undefined,
      port,
      maxHeld: 16,
      places,
      wakeOthers: () => {},
      onTaken: () => {},
      countsQueue: thread === 0,
    });
    return { frontier, port, gates: newGatekeeper(thread) };
  });
  return { ...shared, members, lent: () => 0 };
}

/** An engine whose file is on disk at once: nobody who leaves waits for it. */
class SyncedModel extends ScriptModel {
  override flushed(_holder: string, onAnswer: (life: string | undefined) => void): void {
    onAnswer(this.run);
  }
}

/** A team on a model of the engine, which answers at once; nothing expires. */
export function engineTeam(options: TeamOptions): Team {
  const { places = 8, order = "bfs", maxPages } = options;
  const { bells, newLimit, newBytes: _, newGatekeeper, ...shared } = common(options, false);
  const leaseMs = 1e9;
  const model = new SyncedModel({ partitions: 16, order, leaseMs, maxPages });
  const names = bells.map((_, thread) => `w/${thread}/1`);
  for (const name of names) model.beat(name, "w", false);
  const members = names.map((name, thread): Member => {
    const port = new SlowPort();
    const frontier = new EngineFrontier({
      ...shared,
      ...SEEDS,
      startMs: 0,
      order,
      leaseMs,
      worker: "w",
      learnsFacts: thread === 0,
      openEngine: (_, onWake, onStep) => {
        model.wakers.push(onWake);
        model.callers.push(onStep);
        return new ModelEngine(model, name);
      },
      aheadPerHost: options.ahead ?? 2,
      maxPagesPerSite: options.maxPagesPerSite,
      shares: new SiteShares(places),
      queue: new ChainQueue(new QueueLog(() => assert.fail("no file"), 2 ** 22), false),
      limit: newLimit(),
      ends: {
        stored: (_, onStored) => port.mark(onStored),
        sending: () => {},
        decided: () => {},
      },
      ring: () => {},
      supersteps: options.supersteps
        ? { size: new ExchangeSize(), places, onReport: () => {} }
        : undefined,
    });
    return { frontier, port, gates: newGatekeeper(thread) };
  });
  const permits = {
    get left() {
      return model.permitsLeft;
    },
  };
  return { ...shared, members, permits, lent: () => 0, countsThreads: true };
}

/** The member that admits a URL. */
export function ownerOf({ members }: Pick<Team, "members">, url: string): number {
  return shardOf(siteHash(siteOf(hostnameOf(url as CrawlUrl))), SHARDS) % members.length;
}

/** Gives every seed to one member, its owner where there are owners, and counts what all have to do. */
export function openTeam(team: Team, seeds: readonly string[]): void {
  const { members, pending } = team;
  for (const [thread, { frontier }] of members.entries())
    frontier.open(seeds.filter((url) => ownerOf(team, url) === thread) as CrawlUrl[]);
  pending.add(members.reduce((sum, { frontier }) => sum + frontier.stats().share, 0));
}
