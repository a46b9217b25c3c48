import { parentPort, workerData } from "node:worker_threads";
import { type CompactOptions, compactShard } from "../../frontier/fold/compact-shard.ts";
import { runInBackground } from "../../runtime/low-priority.ts";

/** One compaction, then the thread ends: folding must not hold up a crawler or a builder. */
runInBackground();
compactShard(workerData as CompactOptions);
parentPort!.close();
