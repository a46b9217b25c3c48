// What an idle host costs: shards of the real frontier find many hosts, ask each for one page and are done with it.
//
// "plain": hosts with the crawl's delay, looked at while that delay still runs, so that none may be forgotten yet. "own":
// hosts with a Crawl-delay of their own, which is never forgotten. Memory is the heap and the array buffers after a garbage
// collection, less what the same fingerprints alone take (as far as it is counted there: large sets are not) and less the
// same shards before.

import { ShardState } from "../../build/src/frontier/fold/shard-state.js";
import { ChainQueue } from "../../build/src/frontier/queue/chain-queue.js";
import { QueueLog } from "../../build/src/frontier/queue/queue-log.js";
import { Shard } from "../../build/src/frontier/shard/shard.js";
import { lastFingerprint } from "../../build/src/hash/fingerprint.js";
import { urlFingerprint } from "../../build/src/hash/url-fingerprint.js";
import { readArguments } from "../support/arguments.mjs";
import { collectGarbage } from "../support/collect-garbage.mjs";
import { judgeProblems } from "../support/judge-goal.mjs";
import { keepResult } from "../support/keep-result.mjs";

const { hosts, smoke, save } = readArguments({
  result: "hosts",
  options: { hosts: { default: 1e6, smoke: 1e4, help: "hosts" } },
});
const SHARDS = 16;
const MAX_BYTES = 64;
const DELAY_MS = 60_000;
const seeds = { seedLow: 5, seedHigh: 6 };

function memory() {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const nameOf = (host) => `h${host}.some-domain.test`;

/** What the fingerprints take of the memory that is counted. */
function measureFingerprints() {
  const newState = () => new ShardState(seeds.seedLow, seeds.seedHigh);
  const states = Array.from({ length: SHARDS }, newState);
  const before = memory();
  for (let host = 0; host < hosts; host++) {
    urlFingerprint(`http://${nameOf(host)}/`, seeds.seedLow, seeds.seedHigh);
    states[host % SHARDS].admit(lastFingerprint.low, lastFingerprint.high);
  }
  const bytes = memory() - before;
  if (states.some(({ known }) => known === 0)) throw new Error("nothing is known");
  return bytes;
}

function measure(ownDelayMs, fingerprints) {
  const log = new QueueLog(() => {
    throw new Error("the queue stays short");
  }, 2 ** 24);
  const rules = { ...seeds, delayMs: DELAY_MS, perHost: 1, order: "bfs", startMs: 0 };
  const shards = Array.from({ length: SHARDS }, (_, number) => {
    const queue = new ChainQueue(log, false);
    return new Shard(number, rules, new ShardState(seeds.seedLow, seeds.seedHigh), queue);
  });
  const before = memory();
  let nowMs = 1;
  const start = process.cpuUsage();
  for (let host = 0; host < hosts; host++) {
    const name = nameOf(host);
    const shard = shards[host % SHARDS];
    const link = { url: `http://${name}/`, depth: 0, via: "link", seed: false, chain: [] };
    shard.fingerprintAll([link], (one, low, high) => shard.admit(one, name, low, high));
    const lease = shard.take(nowMs);
    if (ownDelayMs > 0) lease.host.delayMs = ownDelayMs;
    shard.requestEnded(lease, nowMs);
    nowMs += 0.01;
  }
  const { user, system } = process.cpuUsage(start);
  const total = memory() - before - fingerprints;
  const inMemory = shards.reduce((sum, shard) => sum + shard.hosts, 0);
  return {
    hosts,
    bytesPerHost: Number((total / hosts).toFixed(1)),
    asObjects: inMemory,
    cpuPerHostUs: Number(((user + system) / hosts).toFixed(2)),
  };
}

const fingerprints = measureFingerprints();
const result = { plain: measure(0, fingerprints), own: measure(120_000, fingerprints) };
console.table(result);
const costly = Object.entries(result).filter(([, { bytesPerHost }]) => bytesPerHost > MAX_BYTES);
if (save) keepResult("hosts", { result });
judgeProblems(
  costly.map(
    ([name, { bytesPerHost }]) => `${name}: ${bytesPerHost} bytes per idle host, not ${MAX_BYTES}`,
  ),
  { smoke },
);
