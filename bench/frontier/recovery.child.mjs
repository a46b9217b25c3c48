// The processes of frontier/recovery.bench.mjs: node recovery.child.mjs ROLE JSON
//   write  visits pages without network and journals them until it is killed; after every sync it prints how many URLs
//          are durable, and how many batches of each shard
//   open   opens the shards that were left, in threads as a resumed crawl does; prints when and at which cost each thread
//          had its first lease, and what was found
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Compactor } from "../../build/src/crawl/workers/compactor.js";
import { seedsOf } from "../support/links.mjs";
import { openFrontier, SEEDS } from "../support/open-frontier.mjs";

const PAGES_AT_ONCE = 64;

function write({ folder, order, hosts, snapshots, syncMs }) {
  const frontier = openFrontier({ folder, order });
  frontier.start(seedsOf(hosts));
  const compactor = snapshots ? new Compactor({ folder, ...SEEDS }) : undefined;
  let nowMs = 1e6;
  const turn = () => {
    const end = performance.now() + syncMs;
    while (performance.now() < end) {
      nowMs += 10;
      if (frontier.visit(PAGES_AT_ONCE, nowMs) === 0) throw new Error("nothing to take");
      frontier.turn(nowMs);
      if (frontier.isFull) break;
    }
    frontier.commit();
    compactor?.onClosed(frontier.closedSegments());
    const done = frontier.shards.map(({ state }) => state.outcomes[1]);
    console.log(JSON.stringify({ known: frontier.known, done }));
    // The end of the compactor's thread arrives through the event loop.
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
  const frontier = openFrontier({ ...options, epoch: 2 });
  const leases = frontier.take(1, 1e12);
  if (leases.length === 0) throw new Error("no URL can be taken");
  parentPort.postMessage(
    frontier.shards.map((shard) => {
      const { number, queued, state } = shard;
      const taken = leases.filter((lease) => lease.shard === number).length;
      return { number, known: state.known, queued: queued + taken, done: state.outcomes[1] };
    }),
  );
}

if (!isMainThread) openInThread(workerData.options);
else await { write, open }[process.argv[2]](JSON.parse(process.argv[3]));
