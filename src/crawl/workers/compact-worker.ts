import { parentPort, workerData } from "node:worker_threads";
import { type CompactOptions, compactShard } from "../../frontier/fold/compact-shard.ts";
import { REAL_FILES } from "../../frontier/journal/journal-files.ts";
import { runInBackground } from "../../runtime/low-priority.ts";
import { type HeldLease, LeaseWatch } from "../../store/folder/lease.ts";

/** A thread for one compaction, at low priority: folding must not delay a crawler or a builder. */
runInBackground();
const { lease, ...options } = workerData as CompactOptions & { readonly lease?: HeldLease };
const watch = lease && new LeaseWatch(lease);
compactShard({
  ...options,
  files: {
    ...REAL_FILES,
    rename: (from, to) => {
      watch?.check();
      REAL_FILES.rename(from, to);
    },
    remove: (path) => {
      watch?.check();
      REAL_FILES.remove(path);
    },
  },
});
parentPort!.close();
