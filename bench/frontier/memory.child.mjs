// One process of frontier/memory.bench.mjs: node memory.child.mjs JSON
// Grows two sharded frontiers, a small and a large one, and measures them in turns; prints one line of JSON.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { segmentName } from "../../build/src/frontier/journal/journal-files.js";
import { LINKS, linksOf, seedsOf } from "../support/links.mjs";
import { openFrontier, SHARDS } from "../support/open-frontier.mjs";
import { cpuMicros } from "../support/process-cpu.mjs";
import { mixer } from "../support/random.mjs";
import { median } from "../support/statistics.mjs";

const { folder, order, hosts, small, large, windows: WINDOWS } = JSON.parse(process.argv[2]);
/**
 * Pages of one window, each with LINKS links. A window is short: few have a garbage collection in them, most of which
 * comes from making links, and what disturbs one disturbs its neighbour of the other frontier, too.
 */
const PAGES = 64;
/** Until the compiler is done. */
const FIRST_WINDOWS = WINDOWS >> 1;
const AT_ONCE = 64;
const COMMIT_PAGES = 2000;
const BATCH = 128;
/** Journals are not measured here: this many segments are kept, so that they do not fill the disk. */
const KEPT_SEGMENTS = 1;
const noLinks = () => [];

/** A frontier of this size with a folder of its own, and a function that measures it. */
function openAndFill(name, { known, queued }) {
  const own = join(folder, name);
  const frontier = openFrontier({ folder: own, order });
  frontier.start(seedsOf(hosts));
  let nowMs = 1e6;
  let uncommitted = 0;

  function visit(pages, links) {
    nowMs += 10;
    const count = frontier.visit(pages, nowMs, links);
    if (count === 0) throw new Error("nothing to take");
    frontier.turn(nowMs);
    uncommitted += count;
    if (frontier.isFull) commit();
    return count;
  }

  function commit() {
    frontier.commit();
    uncommitted = 0;
  }

  /** Removes closed segments: nobody will recover this crawl. */
  function dropJournals() {
    for (const [shard, closed] of frontier.closedSegments()) {
      for (let segment = closed; segment > closed - KEPT_SEGMENTS && segment > 0; segment--) {
        rmSync(join(own, segmentName(shard, segment)), { force: true });
      }
    }
  }

  /** Queued URLs went through everything; of URLs that are known and done only what is kept of them is put in. */
  function fill() {
    while (frontier.queued < queued) {
      visit(AT_ONCE, linksOf);
      if (uncommitted < COMMIT_PAGES) continue;
      commit();
      dropJournals();
    }
    const low = mixer(1, 0x9e3779b9);
    const high = mixer(2, 0x7f4a7c15);
    const fingerprints = new Uint32Array(2 * BATCH);
    const isNew = new Uint8Array(BATCH);
    for (let left = known - frontier.known, i = 0; left > 0; left -= BATCH, i++) {
      const { state } = frontier.shards[i % SHARDS];
      for (let j = 0; j < 2 * BATCH; j += 2) {
        fingerprints[j] = low();
        fingerprints[j + 1] = high();
      }
      if (state.admitAll(fingerprints, BATCH, isNew) < BATCH)
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
      const taken = frontier.take(Math.min(AT_ONCE, count - leases.length), nowMs);
      if (taken.length === 0) throw new Error("nothing to take");
      for (const lease of taken) frontier.requestEnded(lease, nowMs);
      leases.push(...taken);
    }
    return leases;
  }

  function finishAll(leases, links) {
    for (const [i, lease] of leases.entries()) frontier.finish(lease, links[i], LINKS);
    frontier.turn(nowMs);
    frontier.commit();
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
    const seenBefore = cpuMicros(() => finishAll(second, again)) / repeated;
    if (frontier.known - before !== count) throw new Error("the links were not known");
    let taken = 0;
    const takeMicros = cpuMicros(() => {
      while (taken < count) taken += visit(AT_ONCE, noLinks);
      frontier.commit();
    });
    dropJournals();
    return { add, known: seenBefore, take: takeMicros / taken };
  }

  fill();
  return { measure, known: () => frontier.known, queued: () => frontier.queued };
}

const frontiers = { small: openAndFill("small", small), large: openAndFill("large", large) };
const windows = { small: [], large: [] };
for (let turn = -FIRST_WINDOWS; turn < WINDOWS; turn++) {
  // The one that comes second finds the cache full of the first one's data.
  for (const size of turn % 2 === 0 ? ["small", "large"] : ["large", "small"]) {
    const window = frontiers[size].measure();
    if (turn >= 0) windows[size].push(window);
  }
}
const result = Object.fromEntries(
  Object.entries(frontiers).map(([size, frontier]) => {
    const rates = ["add", "known", "take"].map((rate) => [
      `${rate}MicrosPerUrl`,
      median(windows[size].map((window) => window[rate])),
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
