import { statSync } from "node:fs";
import { join } from "node:path";
import { ShardCash } from "../cash/shard-cash.ts";
import { recoverShard } from "../fold/recover-shard.ts";
import { ShardState } from "../fold/shard-state.ts";
import { removeReplaced } from "../fold/write-snapshot.ts";
import { type JournalFiles, REAL_FILES, segmentName } from "../journal/journal-files.ts";
import { listJournals, type ShardFiles } from "../journal/journal-listing.ts";
import { type JournalEnd, repairTail, syncRead } from "../journal/journal-reader.ts";
import type { ShardQueue } from "../queue/shard-queue.ts";
import type { BulkAdd } from "../seen/bulk-add.ts";
import { Shard, type ShardRules } from "./shard.ts";

/** The end of a journal that only has the empty file of its first segment. */
export const BEGUN: JournalEnd = {
  ...{ segment: 0, bytes: 0, sequence: 0, epoch: 0 },
  ...{ followed: true, torn: undefined },
};

/** Which shard to open, and with what. */
export interface OpenShardOptions {
  readonly folder: string;
  readonly number: number;
  /** The journals were begun with the crawl: a shard without one has lost it. */
  readonly begun?: boolean;
  /** Its files, if the caller has listed them. */
  readonly listed?: ShardFiles;
  readonly rules: ShardRules;
  /** Makes the queue of what waits; `cash` is there when the crawl orders by it. */
  readonly newQueue: (cash: ShardCash | undefined) => ShardQueue;
  /** Memory to read it with; can be used for several shards, one after the other. */
  readonly gathered?: BulkAdd;
  readonly files?: JournalFiles;
}

/** Reads a shard from disk: what is known, what waits, where its journal ends. A torn tail is cut off, the rest synced. */
export function openShard(options: OpenShardOptions): {
  shard: Shard;
  end: JournalEnd | undefined;
} {
  const { folder, number, begun = false, rules, newQueue, gathered, files = REAL_FILES } = options;
  const { seedLow, seedHigh } = rules;
  const cash = rules.order === "opic" ? new ShardCash() : undefined;
  const queue = newQueue(cash);
  const found = options.listed ?? listJournals(folder)(number);
  if (isNew(folder, number, begun, found)) {
    const state = new ShardState(seedLow, seedHigh, undefined, cash);
    return { shard: new Shard(number, rules, state, queue), end: begun ? BEGUN : undefined };
  }
  const listed = removeReplaced(folder, number, files, found);
  // The shard needs its state first, and the fold is complete before the first URL is enqueued.
  let shard: Shard | undefined;
  const { end: read } = recoverShard(
    { folder, shard: number, begun, listed, seedLow, seedHigh, cash, gathered },
    (run) => shard!.enqueue(run),
    (folded) => {
      shard = new Shard(number, rules, folded, queue);
    },
  );
  const end = repairTail(read, folder, files);
  syncRead(end, folder, number, files);
  return { shard: shard!, end };
}

/** Whether nothing was ever written of a shard. */
export function isNew(
  folder: string,
  shard: number,
  begun: boolean,
  { segments, snapshots }: ShardFiles,
): boolean {
  if (snapshots.length > 0) return false;
  if (segments.length === 0) return !begun;
  const first = join(folder, segmentName(shard, 1));
  return segments.length === 1 && segments[0] === 1 && statSync(first).size === 0;
}
