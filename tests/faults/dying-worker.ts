import { Socket } from "node:net";
import { isMainThread, threadId, workerData } from "node:worker_threads";
import type { SpareData } from "../../src/crawl/spares.ts";
import { Random } from "../../src/web/random.ts";

// Loaded before the crawler's own module by NODE_OPTIONS: such a thread ends itself after some requests.
const isCrawler = (workerData as Partial<SpareData> | null)?.crawler === true;
if (!isMainThread && isCrawler) {
  const seed = Number(process.env.ORBWEAVER_DEATH_SEED ?? 1);
  const random = new Random(seed * 1000 + threadId);
  const ways: (() => void)[] = [
    () => process.exit(0),
    () => process.exit(1),
    () => {
      throw new Error("a fault of its own");
    },
  ];
  if (process.env.ORBWEAVER_OOM !== undefined) ways.push(runOutOfMemory);
  const way = ways[random.below(ways.length)]!;
  // Counted in writes of sockets, one for each request: a clock would miss the crawl on a fast machine.
  let left = 50 + random.below(1000);
  const write = Socket.prototype.write;
  Socket.prototype.write = function (this: Socket, ...args: unknown[]) {
    if (--left === 0) setImmediate(way);
    return Reflect.apply(write, this, args) as boolean;
  } as typeof write;
}

function runOutOfMemory(): void {
  const kept: number[][] = [];
  for (;;) kept.push(new Array(100_000).fill(kept.length));
}
