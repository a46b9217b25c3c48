import { existsSync } from "node:fs";
import type { GatheredPrints } from "./gathered-prints.ts";
import { removeReplaced } from "./journal/compact.ts";
import { ShardState } from "./journal/fold.ts";
import { listSegments } from "./journal/journal-files.ts";
import { type JournalEnd, repairTail } from "./journal/journal-reader.ts";
import { recoverShard } from "./journal/recover-shard.ts";
import { listSnapshots } from "./journal/snapshot.ts";
import { ShardCash } from "./opic/shard-cash.ts";
import { Shard, type ShardRules } from "./shard.ts";
import type { ShardQueue } from "./shard-queue.ts";

/** Which shard to open, and with what. */
export interface OpenShardOptions {
  readonly folder: string;
  readonly number: number;
  readonly rules: ShardRules;
  /** Makes the queue of what waits; `cash` is there when the crawl orders by it. */
  readonly newQueue: (cash: ShardCash | undefined) => ShardQueue;
  /** Memory to read it with; who opens several need not make it for each. */
  readonly gathered?: GatheredPrints;
}

/** Reads a shard from disk: what is known, what waits, where its journal ends. A torn tail is cut off. */
export function openShard({ folder, number, rules, newQueue, gathered }: OpenShardOptions): {
  shard: Shard;
  end: JournalEnd | undefined;
} {
  const { seedLow, seedHigh } = rules;
  const cash = rules.order === "opic" ? new ShardCash(seedLow, seedHigh) : undefined;
  const queue = newQueue(cash);
  const fresh =
    !existsSync(folder) ||
    (listSegments(folder, number).length === 0 && listSnapshots(folder, number).length === 0);
  if (fresh) {
    const state = new ShardState(seedLow, seedHigh, undefined, cash);
    return { shard: new Shard(number, rules, state, queue), end: undefined };
  }
  removeReplaced(folder, number);
  // The shard needs its state first, and the fold is complete before the first URL is enqueued.
  let shard: Shard | undefined;
  const { end } = recoverShard(
    { folder, shard: number, seedLow, seedHigh, cash, gathered },
    (run) => shard!.enqueue(run),
    (folded) => {
      shard = new Shard(number, rules, folded, queue);
    },
  );
  return { shard: shard!, end: repairTail(end, folder) };
}
