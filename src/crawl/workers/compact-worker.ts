import { parentPort, workerData } from "node:worker_threads";
import { type CompactOptions, compactShard } from "../../frontier/fold/compact-shard.ts";
import { runInBackground } from "../../runtime/low-priority.ts";

/** A thread for one compaction, at low priority: folding must not delay a crawler or a builder. */
runInBackground();
compactShard(workerData as CompactOptions);
parentPort!.close();
