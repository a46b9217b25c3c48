import { existsSync } from "node:fs";
import { removeReplaced } from "./journal/compact.ts";
import { ShardState } from "./journal/fold.ts";
import { listSegments } from "./journal/journal-files.ts";
import { type JournalEnd, repairTail } from "./journal/journal-reader.ts";
import { recoverShard } from "./journal/recover-shard.ts";
import { listSnapshots } from "./journal/snapshot.ts";
import type { QueueLog } from "./queue-log.ts";
import { Shard, type ShardRules } from "./shard.ts";

/** Which shard to open, and with what. */
export interface OpenShardOptions {
  readonly folder: string;
  readonly number: number;
  readonly rules: ShardRules;
  readonly log: QueueLog;
}

/** Reads a shard from disk: what is known, what waits, where its journal ends. A torn tail is cut off. */
export function openShard({ folder, number, rules, log }: OpenShardOptions): {
  shard: Shard;
  end: JournalEnd | undefined;
} {
  const { seedLow, seedHigh } = rules;
  const fresh =
    !existsSync(folder) ||
    (listSegments(folder, number).length === 0 && listSnapshots(folder, number).length === 0);
  if (fresh) {
    const state = new ShardState(seedLow, seedHigh);
    return { shard: new Shard(number, rules, state, log), end: undefined };
  }
  removeReplaced(folder, number);
  // The shard needs its state first, and the fold is complete before the first URL is enqueued.
  let shard: Shard | undefined;
  const { end } = recoverShard(
    { folder, shard: number, seedLow, seedHigh },
    (link) => shard!.enqueue(link),
    (folded) => {
      shard = new Shard(number, rules, folded, log);
    },
  );
  return { shard: shard!, end: repairTail(end, folder) };
}
