// The frontier alone, without network, parser and archive: a crawl of the SMALL web in one thread of the engine, with the
// frontiers of T crawlers taking turns. CPU time per page of --order opic and --order bfs, cold (the first crawl, with all
// that is compiled for it) and warm, and a digest of the pages in the order in which they were taken: a change that is
// meant to cost less must leave the digest as it was. Each crawl is a process of its own.
//   npm run build && node bench/order.loop.mjs [--pages 10000] [--hosts 1,20] [--threads 1,2] [--turns 3]
//       [--against FOLDER]   a second checkout that is built: its figures and digests beside these, in turns
// About a minute on an idle machine with the defaults.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const SHARDS = 16;
const PLACES = 64;
/** Visits of a thread that are over when its turn comes. */
const ANSWERED = 6;
/** Turns between two commits, and between two when one is asked for. */
const COMMIT_EVERY = 100;
const COMMIT_SOON = 10;
/** Crawls of one process: the last of them is warm. */
const CRAWLS = 4;
const SEEDS = { seedLow: 12345, seedHigh: 67890 };
const BLOCK_BYTES = 16_000;

/** One crawl; what it took and in which order. */
async function crawlOnce(root, { order, pages, hosts, threads }) {
  const load = (module) => import(`${root}/build/src/${module}.js`);
  const { makeGraph, hostOfPage } = await load("web/graph");
  const { PROFILES } = await load("web/profile");
  const { VariedNames } = await load("web/page-names");
  const { OUTCOME } = await load("frontier/frontier");
  const crewOf = await crewMaker(load);
  const graph = makeGraph({ ...PROFILES.small, pages, hosts });
  const names = new VariedNames(1, false);
  const urls = Array.from({ length: pages }, (_, page) => {
    const host = hostOfPage(graph, page);
    return `http://127.0.0.${host + 1}:4000${names.path(page - graph.firstOfHost[host])}`;
  });
  const numberOf = new Map(urls.map((url, page) => [url, page]));
  const links = urls.map((_, page) => {
    const targets = graph.targets.subarray(graph.offsets[page], graph.offsets[page + 1]);
    return [...new Set(targets)].map((target) => urls[target]);
  });
  const seeds = Array.from({ length: hosts }, (_, host) => urls[graph.firstOfHost[host]]);
  return () => {
    const { crew, pending, isOver } = crewOf(order, threads);
    const digest = createHash("sha1");
    for (const { frontier } of crew) frontier.start(seeds);
    pending.add(crew.reduce((sum, { frontier }) => sum + frontier.share, 0));
    const visit = ({ thread, frontier, known }, lease, now) => {
      const page = numberOf.get(lease.url);
      digest.update(`${thread}:${page} `);
      frontier.requestEnded(lease, now);
      const split = known.split(lease.shard, links[page]);
      const how = {
        parent: lease.url,
        depth: lease.depth + 1,
        via: "link",
        seed: false,
        chain: [],
      };
      const found = split.left.map((url) => ({ url, ...how }));
      const end = { outcome: OUTCOME.page, links: links[page].length, known: split.known };
      frontier.finish(lease, found, { ...end, record: 1, onCommitted() {} });
    };
    for (let now = 1; !isOver(); now++) {
      for (const me of crew) {
        const { frontier, inFlight } = me;
        frontier.receive(now);
        for (const lease of inFlight.splice(0, ANSWERED)) visit(me, lease, now);
        for (let more = [0]; more.length > 0 && inFlight.length < PLACES; ) {
          more = frontier.takeMany(PLACES - inFlight.length, now);
          inFlight.push(...more);
        }
        frontier.flush();
        me.isAsked ||= frontier.wantsCommit();
        const isDue = now % (me.isAsked ? COMMIT_SOON : COMMIT_EVERY) === 0;
        if (isDue || inFlight.length === 0) me.commit();
      }
    }
    return digest.digest("hex").slice(0, 12);
  };
}

/** Makes the frontiers of a crawl, with mail that arrives at once and journals that are durable when they are told so. */
async function crewMaker(load) {
  const { ShardedFrontier } = await load("frontier/sharded");
  const { openShard } = await load("frontier/open-shard");
  const { ChainQueue } = await load("frontier/chain-queue");
  const { QueueLog } = await load("frontier/queue-log");
  const { OpicQueue } = await load("frontier/opic/opic-queue");
  const { ThreadOrder } = await load("frontier/opic/thread-order");
  const { CashBoard, cashBoardBytes } = await load("frontier/opic/cash-board");
  const { KnownLinks } = await load("frontier/known-links");
  const { Pending } = await load("sync/pending");
  const { readShardMessage, writeShardMessage } = await load("frontier/shard-mail");
  const noFile = () => {
    throw new Error("so few pages need no file");
  };
  return (order, threads) => {
    const rules = { ...SEEDS, delayMs: 0, perHost: PLACES, order, startMs: 0 };
    const pending = new Pending(new Int32Array(new SharedArrayBuffer(4)), 0);
    const board = new SharedArrayBuffer(cashBoardBytes(threads));
    const crew = [];
    let isOver = false;
    const crawler = (thread) => {
      const log = new QueueLog(noFile, 2 ** 24);
      const parts = { board: new CashBoard(board, thread), places: PLACES };
      const team = order === "opic" ? new ThreadOrder(parts) : undefined;
      const newQueue = (cash) =>
        cash ? new OpicQueue(cash, log, noFile, team) : new ChainQueue(log, false);
      const owned = [];
      for (let number = thread; number < SHARDS; number += threads) {
        owned.push(openShard({ folder: "/nowhere", number, rules, newQueue }).shard);
      }
      const me = { thread, inFlight: [], inbox: [], unsynced: [], isAsked: false };
      me.commit = () => {
        me.isAsked = false;
        for (const tell of me.unsynced.splice(0)) tell();
      };
      const exchange = {
        ...{ maxBlockBytes: BLOCK_BYTES, blocksSent: 0, unsentAboutLeases: 0 },
        post(to, mail) {
          const bytes = Buffer.alloc(mail.bytes.length + 64);
          crew[to].inbox.push(bytes.subarray(0, writeShardMessage(bytes, mail)));
        },
        flush: () => true,
        receive(handle) {
          for (const bytes of me.inbox.splice(0)) handle(readShardMessage(bytes, bytes.length));
        },
        hasMessages: () => me.inbox.length > 0,
      };
      me.frontier = new ShardedFrontier({
        ...{ ...SEEDS, thread, threads, shards: SHARDS, owned, epoch: 1, pending, exchange },
        ...{ delayMs: 0, order: team },
        port: { write: (_shard, _events, onDurable) => me.unsynced.push(onDurable) },
        lender: { spare: () => 0, queued: () => crew.map(({ frontier }) => frontier.queued) },
        onLast: () => {
          isOver = true;
        },
      });
      me.known = new KnownLinks(SHARDS, owned, rules);
      return me;
    };
    for (let thread = 0; thread < threads; thread++) crew.push(crawler(thread));
    return { crew, pending, isOver: () => isOver };
  };
}

/** Microseconds of CPU per page of each crawl of this process. */
async function measure(root, web) {
  const crawl = await crawlOnce(root, web);
  const micros = [];
  let digest = "";
  for (let i = 0; i < CRAWLS; i++) {
    const before = process.cpuUsage();
    digest = crawl();
    const { user, system } = process.cpuUsage(before);
    micros.push((user + system) / web.pages);
  }
  return { micros, digest };
}

const text = (value) => ({ type: "string", default: value });
const { values: options } = parseArgs({
  options: {
    ...{ pages: text("10000"), hosts: text("1,20"), threads: text("1,2"), turns: text("3") },
    ...{ against: text(""), child: text("") },
  },
});

if (options.child !== "") {
  const { root, web } = JSON.parse(options.child);
  console.log(JSON.stringify(await measure(root, web)));
} else {
  const here = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
  const roots = options.against === "" ? [here] : [resolve(options.against), here];
  const numbers = (list) => list.split(",").map(Number);
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  for (const hosts of numbers(options.hosts)) {
    for (const threads of numbers(options.threads)) {
      const rows = roots.flatMap((root) =>
        ["bfs", "opic"].map((order) => ({ root, order, cold: [], warm: [], digests: new Set() })),
      );
      for (let turn = 0; turn < Number(options.turns); turn++) {
        for (const { root, order, cold, warm, digests } of turn % 2 ? rows : rows.toReversed()) {
          const web = { order, pages: Number(options.pages), hosts, threads };
          const args = [fileURLToPath(import.meta.url), "--child", JSON.stringify({ root, web })];
          const { micros, digest } = JSON.parse(execFileSync(process.execPath, args));
          cold.push(micros[0]);
          warm.push(micros.at(-1));
          digests.add(digest);
        }
      }
      for (const { root, order, cold, warm, digests } of rows) {
        const figures = `cold ${median(cold).toFixed(1)}, warm ${median(warm).toFixed(1)} us a page`;
        const where = root === here ? "" : ` of ${root}`;
        console.log(
          `${hosts} hosts, ${threads} threads, ${order}${where}: ${figures}, ${[...digests].join(" or ")}`,
        );
      }
    }
  }
}
