// The processes of bench/recovery.bench.mjs: node recovery.child.mjs ROLE JSON
//   write  visits pages without network and journals them until it is killed; after every sync it fingerprints how many URLs
//          are durable, and how many batches of each shard
//   open   opens the shards that were left, in threads as a resumed crawl does; fingerprints when and at which cost each thread
//          had its first lease, and what was found
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Compactor } from "../build/src/crawl/workers/compactor.js";
import { openThread, SEEDS, seedsOf, visitPages } from "./frontier.thread.mjs";

const SYNC_MS = 1000;
const PAGES_AT_ONCE = 64;

function write({ folder, order, hosts, snapshots }) {
  const opened = openThread({ folder, order });
  const { frontier, port, shards } = opened;
  frontier.start(seedsOf(hosts));
  const compactor = snapshots ? new Compactor({ folder, ...SEEDS }) : undefined;
  let nowMs = 1e6;
  const turn = () => {
    const end = performance.now() + SYNC_MS;
    while (performance.now() < end) {
      nowMs += 10;
      if (visitPages(opened, PAGES_AT_ONCE, nowMs) === 0) throw new Error("nothing to take");
      frontier.flush();
      if (port.isDue) break;
    }
    port.sync();
    compactor?.hear(port.closedSegments());
    const done = shards.map(({ state }) => state.outcomes[1]);
    console.log(JSON.stringify({ known: frontier.known, done }));
    // The compactor's thread tells of its end through the event loop.
    setImmediate(turn);
  };
  turn();
}

async function open(options) {
  const { threads } = options;
  const started = performance.now();
  const found = await Promise.all(
    Array.from({ length: threads }, (_, thread) => {
      const worker = new Worker(fileURLToPath(import.meta.url), {
        workerData: { options: { ...options, thread } },
      });
      return new Promise((resolve, reject) => {
        worker.once("message", resolve);
        worker.once("error", reject);
      });
    }),
  );
  const usableMs = performance.now() - started;
  const { user, system } = process.cpuUsage();
  const shards = found.flat();
  const rss = process.memoryUsage.rss();
  const sinceStartMs = performance.now();
  console.log(
    JSON.stringify({ usableMs, sinceStartMs, cpuMs: (user + system) / 1000, rss, shards }),
  );
}

function openInThread(options) {
  const { frontier, shards } = openThread({ ...options, epoch: 2 });
  const leases = frontier.takeMany(1, 1e12);
  if (leases.length === 0) throw new Error("no URL can be taken");
  parentPort.postMessage(
    shards.map((shard) => {
      const { number, known, queued, state } = shard;
      const taken = leases.filter((lease) => lease.shard === number).length;
      return { number, known, queued: queued + taken, done: state.outcomes[1] };
    }),
  );
}

if (!isMainThread) openInThread(workerData.options);
else await { write, open }[process.argv[2]](JSON.parse(process.argv[3]));
