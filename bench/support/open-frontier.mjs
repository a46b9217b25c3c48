// The sharded frontier of a crawler thread as a crawl has it, without network: real shards, queues and journals. This is
// the only file of bench/ that calls the frontier's own interface; benches see what is returned here.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { JournalWriters, journalFiles } from "../../build/src/crawl/builder/journal-writers.js";
import { ByteCount } from "../../build/src/frontier/byte-count.js";
import {
  readShardMessage,
  writeShardMessage,
} from "../../build/src/frontier/exchange/shard-message.js";
import { ThreadBoard, threadBoardBytes } from "../../build/src/frontier/lending/thread-board.js";
import { WorkBoard, workBoardBytes } from "../../build/src/frontier/lending/work-board.js";
import { CashBoard, cashBoardBytes } from "../../build/src/frontier/opic/cash-board.js";
import { OpicQueue } from "../../build/src/frontier/opic/opic-queue.js";
import { ThreadOrder } from "../../build/src/frontier/opic/thread-order.js";
import { PageLimit } from "../../build/src/frontier/page-limit.js";
import { ChainQueue } from "../../build/src/frontier/queue/chain-queue.js";
import { QueueLog } from "../../build/src/frontier/queue/queue-log.js";
import { RecoveredFiles } from "../../build/src/frontier/queue/recovered-files.js";
import { BulkAdd } from "../../build/src/frontier/seen/bulk-add.js";
import { openShard } from "../../build/src/frontier/shard/open-shard.js";
import { ShardedFrontier } from "../../build/src/frontier/sharded-frontier.js";
import { SiteShares } from "../../build/src/frontier/site-shares.js";
import { openScratchFile } from "../../build/src/runtime/scratch-file.js";
import { CommitCounts, commitCountBytes } from "../../build/src/sync/commit-counts.js";
import { Pending } from "../../build/src/sync/pending.js";
import { Permits } from "../../build/src/sync/permits.js";
import { WideCounter } from "../../build/src/sync/wide-counter.js";
import { linksOf } from "./links.mjs";

/** Of all threads together, as in a crawl. */
const QUEUE_MEMORY_BYTES = 32 * 1024 * 1024;
const BLOCK_BYTES = 16_000;
const PAGE = 1;
const nothing = () => {};

export const SHARDS = 16;
/** Requests in flight of a thread. */
export const PLACES = 64;
export const SEEDS = { seedLow: 0x12345678, seedHigh: 0x1abcdef0 };

/**
 * Opens the frontier of one thread from the journals of a folder, as a crawl that begins or is resumed does. Without a
 * folder nothing is written: what is committed counts as durable.
 */
export function openFrontier({ threads = 1, thread = 0, ...options }) {
  const crawl = newCrawl(threads);
  crawl.frontiers[thread] = new BenchFrontier({ threads, thread, ...options }, crawl);
  return crawl.frontiers[thread];
}

/** Opens the frontiers of all threads of a crawl; their messages arrive at once. */
export function openFrontiers({ threads, ...options }) {
  const crawl = newCrawl(threads);
  for (let thread = 0; thread < threads; thread++)
    crawl.frontiers[thread] = new BenchFrontier({ threads, thread, ...options }, crawl);
  return crawl;
}

/** What the threads of a crawl share. */
function newCrawl(threads) {
  return {
    frontiers: [],
    pending: new Pending(new Int32Array(new SharedArrayBuffer(4)), 0),
    cashBoard: new SharedArrayBuffer(cashBoardBytes(threads)),
    board: new ThreadBoard(new SharedArrayBuffer(threadBoardBytes(threads))),
    work: new WorkBoard(new SharedArrayBuffer(workBoardBytes(threads)), threads),
    commitCounts: new SharedArrayBuffer(commitCountBytes(threads)),
    isOver: false,
    start(seeds) {
      for (const frontier of this.frontiers) frontier.start(seeds);
      this.pending.add(this.frontiers.reduce((sum, { share }) => sum + share, 0));
    },
  };
}

class BenchFrontier {
  shards = [];
  #frontier;
  #journals;
  #inbox = [];

  constructor({ folder, order, thread, threads, epoch = 1, delayMs = 1, perHost = 1 }, crawl) {
    const shares = new SiteShares(PLACES);
    const rules = { delayMs, perHost, order, startMs: 0, shares, ...SEEDS };
    const opic =
      order === "opic"
        ? new ThreadOrder({ board: new CashBoard(crawl.cashBoard, thread), places: PLACES })
        : undefined;
    const ends = this.#openShards({ folder, rules, thread, threads, opic });
    this.#journals = folder === undefined ? new NoJournals() : new Journals(folder, epoch, ends);
    this.#frontier = new ShardedFrontier({
      ...SEEDS,
      thread,
      threads,
      shards: SHARDS,
      owned: this.shards,
      epoch,
      delayMs,
      order: opic,
      pending: crawl.pending,
      port: this.#journals,
      limit: new PageLimit({
        maxPages: undefined,
        permits: new Permits(new Int32Array(2), 0),
        countPages: () => 0,
        onReached: nothing,
        onReturned: nothing,
      }),
      bytes: new ByteCount({
        maxBytes: undefined,
        total: new WideCounter(new SharedArrayBuffer(8), 0),
        onReached: nothing,
      }),
      shares,
      onFacts: nothing,
      board: crawl.board,
      work: crawl.work,
      commits: new CommitCounts(crawl.commitCounts, threads, thread),
      bells: [],
      lending: undefined,
      mailbox: {
        maxBlockBytes: BLOCK_BYTES,
        blocksSent: 0,
        unsentAboutLeases: 0,
        post: (to, message) => crawl.frontiers[to].#deliver(message),
        flush: () => true,
        receive: (handle) => {
          for (const bytes of this.#inbox.splice(0)) handle(readShardMessage(bytes, bytes.length));
        },
        hasMessages: () => this.#inbox.length > 0,
      },
      onLast: () => {
        crawl.isOver = true;
      },
    });
  }

  #openShards({ folder, rules, thread, threads, opic }) {
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    const scratch = (name) => () => {
      if (folder === undefined) throw new Error("so few pages need no file");
      return openScratchFile(join(folder, `${name}.scratch`));
    };
    const log = new QueueLog(scratch(`queue-${thread}`), QUEUE_MEMORY_BYTES / threads);
    const recovered = new RecoveredFiles();
    const gathered = new BulkAdd();
    const ends = new Map();
    for (let number = thread; number < SHARDS; number += threads) {
      const newQueue = (cash) =>
        cash === undefined
          ? new ChainQueue(log, rules.order === "dfs", recovered)
          : new OpicQueue(cash, log, scratch(`order-${number}`), opic);
      const opened = openShard({ folder: folder ?? "/nowhere", number, rules, newQueue, gathered });
      this.shards.push(opened.shard);
      ends.set(number, opened.end);
    }
    return ends;
  }

  #deliver(message) {
    const bytes = Buffer.alloc(message.bytes.length + 64);
    this.#inbox.push(bytes.subarray(0, writeShardMessage(bytes, message)));
  }

  /** URLs admitted so far. */
  get known() {
    return this.#frontier.stats().known;
  }

  get queued() {
    return this.#frontier.stats().queued;
  }

  /** What this thread adds to the count of pending URLs. */
  get share() {
    return this.#frontier.stats().share;
  }

  /** True when so much waits to be written that `commit` is due. */
  get isFull() {
    return this.#journals.isFull;
  }

  start(seeds) {
    this.#frontier.open(seeds);
  }

  take(limit, nowMs) {
    return this.#frontier.take(limit, nowMs);
  }

  requestEnded(lease, nowMs) {
    this.#frontier.requestEnded(lease, nowMs);
  }

  /** The links that this thread does not know, and the others as `finish` wants them. */
  split(lease, urls) {
    return this.#frontier.unknown(lease.shard, urls);
  }

  /** A page was read, with so many links in all; `known` are those left out of `found`. */
  finish(lease, found, links = found.length, known) {
    const end = { outcome: PAGE, found, links, known, record: undefined, onCommitted: nothing };
    this.#frontier.settle(lease, { kind: "finish", ...end });
  }

  /** Takes in messages, hands over what was finished; true when others wait for the next commit. */
  turn(nowMs) {
    this.#frontier.turn(nowMs, "run");
    return this.#journals.takeHurry();
  }

  /** Makes everything handed over durable. */
  commit() {
    this.#journals.commit();
  }

  closedSegments() {
    return this.#journals.closedSegments();
  }

  /** Visits up to `pages` pages, each with the links that `links` makes; answers how many there were. */
  visit(pages, nowMs, links = linksOf) {
    const leases = this.take(pages, nowMs);
    for (const lease of leases) {
      this.requestEnded(lease, nowMs);
      this.finish(lease, links(lease));
    }
    return leases.length;
  }
}

/** Calls back with the next commit. */
class NoJournals {
  isFull = false;
  #waiting = [];

  #isHurried = false;

  write(_shard, _events, onDurable) {
    this.#waiting.push(onDurable);
  }

  hurry() {
    this.#isHurried = true;
  }

  takeHurry() {
    const isHurried = this.#isHurried;
    this.#isHurried = false;
    return isHurried;
  }

  commit() {
    for (const onDurable of this.#waiting.splice(0)) onDurable();
  }
}

/** Journals as a builder writes them, without the thread around it. */
class Journals extends NoJournals {
  #writers;
  #opened = new Set();
  #epoch;
  #ends;

  constructor(folder, epoch, ends) {
    super();
    this.#writers = new JournalWriters(journalFiles({ folder, ...SEEDS }));
    this.#epoch = epoch;
    this.#ends = ends;
  }

  write(shard, events, onDurable) {
    if (!this.#opened.has(shard))
      this.#writers.open(0, { shard, epoch: this.#epoch, after: this.#ends.get(shard) });
    this.#opened.add(shard);
    if (this.#writers.take(shard, events, () => undefined)) this.isFull = true;
    super.write(shard, events, onDurable);
  }

  commit() {
    this.#writers.append();
    this.#writers.sync();
    this.isFull = false;
    super.commit();
  }

  closedSegments() {
    return this.#writers.closedSegments();
  }
}
