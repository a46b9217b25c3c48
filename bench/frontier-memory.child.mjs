// One process of bench/frontier-memory.bench.mjs: node frontier-memory.child.mjs JSON
// Grows two sharded frontiers, a small and a large one, and measures them in turns; fingerprints one line.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { LINKS, linksOf, openThread, SHARDS, seedsOf, visitPages } from "./frontier.thread.mjs";

const { folder, order, hosts, small, large } = JSON.parse(process.argv[2]);
/**
 * Pages of one window, each with LINKS links, and windows of each frontier. A window is short: few have a collection of
 * garbage in them, most of which is left by making links, and what disturbs one disturbs its neighbour of the other
 * frontier, too.
 */
const PAGES = 64;
const WINDOWS = 30;
/** Until the compiler is done. */
const FIRST_WINDOWS = 15;
const AT_ONCE = 64;
const SYNC_PAGES = 2000;
const BATCH = 128;
/** Journals are not what is measured here: this much of them is kept, so that they do not fill the disk. */
const KEPT_SEGMENTS = 1;
const noLinks = () => [];

function mixer(seed, step) {
  let state = seed;
  return () => {
    state = (state + step) | 0;
    let h = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
    return (h ^ (h >>> 15)) >>> 0;
  };
}

function cpuMicros(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** A frontier with a folder of its own, so large, and a way to measure it. */
function openTechnique(name, { known, queued }) {
  const own = join(folder, name);
  const opened = openThread({ folder: own, order });
  const { frontier, shards, port } = opened;
  frontier.start(seedsOf(hosts));
  let nowMs = 1e6;
  let sinceSync = 0;

  function visit(pages, links) {
    nowMs += 10;
    const count = visitPages(opened, pages, nowMs, links);
    if (count === 0) throw new Error("nothing to take");
    frontier.flush();
    sinceSync += count;
    if (port.isDue) sync();
    return count;
  }

  function sync() {
    port.sync();
    sinceSync = 0;
  }

  /** Removes closed segments: nobody will recover this crawl. */
  function dropJournals() {
    for (const [shard, closed] of port.closedSegments()) {
      for (let segment = closed; segment > closed - KEPT_SEGMENTS && segment > 0; segment--) {
        const file = `shard-${String(shard).padStart(2, "0")}.${String(segment).padStart(6, "0")}.journal`;
        rmSync(join(own, file), { force: true });
      }
    }
  }

  /** Queued URLs went through everything; of URLs known and long fetched only what is kept of them is put in. */
  function fill() {
    while (frontier.queued < queued) {
      visit(AT_ONCE, linksOf);
      if (sinceSync < SYNC_PAGES) continue;
      sync();
      dropJournals();
    }
    const low = mixer(1, 0x9e3779b9);
    const high = mixer(2, 0x7f4a7c15);
    const fingerprints = new Uint32Array(2 * BATCH);
    const news = new Uint8Array(BATCH);
    for (let left = known - frontier.known, i = 0; left > 0; left -= BATCH, i++) {
      const { state } = shards[i % SHARDS];
      for (let j = 0; j < 2 * BATCH; j += 2) {
        fingerprints[j] = low();
        fingerprints[j + 1] = high();
      }
      if (state.admitAll(fingerprints, BATCH, news) < BATCH)
        throw new Error("a random fingerprint came twice");
      // As the fold does it for URLs that are done; with cash they have had their share.
      for (let j = 0; j < 2 * BATCH; j += 2)
        state.done(fingerprints[j], fingerprints[j + 1], 1, true);
    }
  }

  function takePages(count) {
    const leases = [];
    while (leases.length < count) {
      nowMs += 10;
      const taken = frontier.takeMany(Math.min(AT_ONCE, count - leases.length), nowMs);
      if (taken.length === 0) throw new Error("nothing to take");
      for (const lease of taken) frontier.requestEnded(lease, nowMs);
      leases.push(...taken);
    }
    return leases;
  }

  function finishAll(some, links) {
    for (const [i, lease] of some.entries()) {
      const onCommitted = () => {};
      const finish = { outcome: 1, links: LINKS, record: undefined, onCommitted };
      frontier.finish(lease, links[i], finish);
    }
    frontier.flush();
    port.sync();
  }

  /** CPU per URL: new links, the same links once more, and taking with the end of the visit; all journalled and synced. */
  function measure() {
    // All of it is made beforehand: making URLs is not the frontier's work.
    const first = takePages(PAGES);
    const second = takePages(PAGES);
    const fresh = first.map((lease) => linksOf(lease));
    // Pages of the same shards have the same links once more, as far as there are such pages.
    const again = second.map(({ shard }, i) => {
      const same = first.filter((lease) => lease.shard === shard);
      return same.length > 0 ? linksOf(same[i % same.length]) : [];
    });
    const repeated = again.reduce((sum, links) => sum + links.length, 0);
    const count = PAGES * LINKS;
    const before = frontier.known;
    const add = cpuMicros(() => finishAll(first, fresh)) / count;
    if (frontier.known - before !== count) throw new Error("the links were not new");
    const met = cpuMicros(() => finishAll(second, again)) / repeated;
    if (frontier.known - before !== count) throw new Error("the links were not known");
    let taken = 0;
    const takeMicros = cpuMicros(() => {
      while (taken < count) taken += visit(AT_ONCE, noLinks);
      port.sync();
    });
    dropJournals();
    return { add, known: met, take: takeMicros / taken };
  }

  fill();
  return { measure, known: () => frontier.known, queued: () => frontier.queued };
}

const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];

const frontiers = { small: openTechnique("small", small), large: openTechnique("large", large) };
const windows = { small: [], large: [] };
for (let turn = -FIRST_WINDOWS; turn < WINDOWS; turn++) {
  // The one that comes second finds the cache full of the first one's.
  for (const size of turn % 2 === 0 ? ["small", "large"] : ["large", "small"]) {
    const window = frontiers[size].measure();
    if (turn >= 0) windows[size].push(window);
  }
}
const result = Object.fromEntries(
  Object.entries(frontiers).map(([size, frontier]) => {
    const rates = ["add", "known", "take"].map((rate) => [
      `${rate}MicrosPerUrl`,
      middle(windows[size].map((window) => window[rate])),
    ]);
    return [
      size,
      { known: frontier.known(), queued: frontier.queued(), ...Object.fromEntries(rates) },
    ];
  }),
);
const { rss, arrayBuffers, heapUsed } = process.memoryUsage();
// Of both frontiers together.
Object.assign(result.large, { rss, arrayBuffers, heapUsed });
console.log(JSON.stringify(result));
