// One process of bench/frontier-memory.bench.mjs: node frontier-memory.child.mjs JSON
// Grows a sharded frontier to a small and to a large size and measures at both; prints one line.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { LINKS, linksOf, openThread, SHARDS, seedsOf, visitPages } from "./frontier.thread.mjs";

const { folder, order, hosts, small, large } = JSON.parse(process.argv[2]);
/** Pages of one measurement; each has LINKS links. */
const PAGES = 256;
const AT_ONCE = 64;
const SYNC_PAGES = 2000;
/** Journals are not what is measured here: this much of them is kept, so that they do not fill the disk. */
const KEPT_SEGMENTS = 1;

const opened = openThread({ folder, order });
const { frontier, shards, port } = opened;
frontier.start(seedsOf(hosts));
let nowMs = 1e6;
let sinceSync = 0;
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
const low = mixer(1, 0x9e3779b9);
const high = mixer(2, 0x7f4a7c15);

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
      const name = `shard-${String(shard).padStart(2, "0")}.${String(segment).padStart(6, "0")}.journal`;
      rmSync(join(folder, name), { force: true });
    }
  }
}

/** Queued URLs went through everything; of URLs known and long fetched only what is kept of them is put in. */
function fill({ known, queued }) {
  while (frontier.queued < queued) {
    visit(AT_ONCE, linksOf);
    if (sinceSync < SYNC_PAGES) continue;
    sync();
    dropJournals();
  }
  for (let left = known - frontier.known, i = 0; left > 0; left--, i++) {
    const { state } = shards[i % SHARDS];
    const [one, two] = [low(), high()];
    if (!state.admit(one, two)) throw new Error("a random fingerprint came twice");
    // As the fold does it for a URL that is done; with cash it has had its share.
    state.done(one, two, 1);
  }
}

function cpuMicros(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
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

/** CPU per URL: new links, the same links once more, and taking with the end of the visit; all journalled and synced. */
function measure() {
  // All of it is made beforehand: making URLs is not the frontier's work.
  const first = takePages(PAGES);
  const second = takePages(PAGES);
  const fresh = first.map((lease) => linksOf(lease));
  // Pages of the same shards have the same links once more.
  const again = second.map(({ shard }, i) => {
    const same = first.filter((lease) => lease.shard === shard);
    return linksOf(same[i % same.length]);
  });
  const finishAll = (some, links) => {
    for (const [i, lease] of some.entries()) {
      const onCommitted = () => {};
      frontier.finish(lease, links[i], {
        outcome: 1,
        links: LINKS,
        record: undefined,
        onCommitted,
      });
    }
    frontier.flush();
    port.sync();
  };
  const count = PAGES * LINKS;
  const known = frontier.known;
  const addMicros = cpuMicros(() => finishAll(first, fresh));
  if (frontier.known - known !== count) throw new Error("the links were not new");
  const knownMicros = cpuMicros(() => finishAll(second, again));
  if (frontier.known - known !== count) throw new Error("the links were not known");
  let taken = 0;
  const takeMicros = cpuMicros(() => {
    while (taken < count) taken += visit(AT_ONCE, noLinks);
    port.sync();
  });
  dropJournals();
  const { rss, arrayBuffers, heapUsed } = process.memoryUsage();
  return {
    known: frontier.known,
    queued: frontier.queued,
    addMicrosPerUrl: addMicros / count,
    knownMicrosPerUrl: knownMicros / count,
    takeMicrosPerUrl: takeMicros / taken,
    ...{ rss, arrayBuffers, heapUsed },
  };
}

const middle = (list, name) => list.map((one) => one[name]).sort((a, b) => a - b)[list.length >> 1];

function measureThrice() {
  const three = [measure(), measure(), measure()];
  const names = ["addMicrosPerUrl", "knownMicrosPerUrl", "takeMicrosPerUrl"];
  return {
    ...three[2],
    ...Object.fromEntries(names.map((name) => [name, middle(three, name)])),
  };
}

fill(small);
// Until the compiler is done.
measureThrice();
const atSmall = measureThrice();
fill(large);
measure();
console.log(JSON.stringify({ small: atSmall, large: measureThrice() }));
