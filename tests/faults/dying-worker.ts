import { createRequire, syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import {
  isMainThread,
  threadId,
  Worker,
  type WorkerOptions,
  workerData,
} from "node:worker_threads";
import type { StandbyData } from "../../src/crawl/crawler/crawler-message.ts";
import { Random } from "../../src/web/seeded-random.ts";
import { wordsOfAllThreads } from "./all-threads.ts";

/** Memory of each thread: more than a crawler needs, and little enough to use up at once. */
const MAX_HEAP_MB = 256;

const WRITES = "writeLatin1String";

const turns = wordsOfAllThreads("orbweaver deaths", 1);

if (isMainThread) {
  const threads = createRequire(import.meta.url)("node:worker_threads") as {
    Worker: typeof Worker;
  };
  threads.Worker = class extends Worker {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      super(file, { ...options, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
    }
  };
  syncBuiltinESMExports();
}

// Loaded before the crawler's own module by NODE_OPTIONS: such a thread ends itself after some requests.
const isCrawler = (workerData as Partial<StandbyData> | null)?.crawler === true;
if (!isMainThread && isCrawler) {
  const seed = Number(process.env.ORBWEAVER_DEATH_SEED ?? 1);
  const random = new Random(seed * 1000 + threadId);
  const deaths: (() => void)[] = [
    () => process.exit(0),
    runOutOfMemory,
    () => {
      throw new Error("a fault of its own");
    },
    () => process.exit(1),
  ];
  // In turn, so that even a few deaths are of different kinds.
  const die = deaths[Atomics.add(turns, 0, 1) % deaths.length]!;
  // Counted in writes of sockets, one for each request: a clock would miss the crawl on a fast machine.
  let left = 50 + random.below(1000);
  const count = () => {
    if (--left === 0) setImmediate(die);
  };
  const write = Socket.prototype.write;
  Socket.prototype.write = function (this: Socket & { _handle?: object }, ...args: unknown[]) {
    // Only the first request of a thread is written by the stream; what all of them come to is the handle.
    if (this._handle !== undefined && this._handle !== null) countWrites(this._handle, count);
    return Reflect.apply(write, this, args) as boolean;
  } as typeof write;
}

type WriteText = (...args: unknown[]) => unknown;

/** Counts the texts that handles of this class write; the first call does it for all of them. */
function countWrites(handle: object, count: () => void): void {
  let owner = handle;
  while (!Object.hasOwn(owner, WRITES)) {
    const parent = Object.getPrototypeOf(owner) as object | null;
    if (parent === null) return;
    owner = parent;
  }
  const methods = owner as Record<typeof WRITES, WriteText & { counts?: boolean }>;
  const write = methods[WRITES];
  if (write.counts) return;
  methods[WRITES] = function (this: object, ...args: unknown[]) {
    count();
    return Reflect.apply(write, this, args);
  };
  methods[WRITES].counts = true;
}

function runOutOfMemory(): void {
  const kept: number[][] = [];
  for (;;) kept.push(new Array(10_000).fill(kept.length));
}
