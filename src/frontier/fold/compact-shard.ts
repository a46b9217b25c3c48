import { readJournal } from "../journal/journal-reader.ts";
import { openSnapshot } from "./snapshot.ts";
import { type SnapshotOptions, writeSnapshot } from "./write-snapshot.ts";

/** What to compact. */
export type CompactOptions = SnapshotOptions;

/**
 * Folds the old snapshot and the closed segments behind it into the next snapshot. It reads and writes in order, so it
 * needs memory for the pages done since the old snapshot only (14 bytes each; 25 for each known page where there is cash).
 */
export function compactShard(options: CompactOptions): void {
  const { folder, shard, upTo } = options;
  const old = openSnapshot(folder, shard);
  if (upTo <= (old?.end.segment ?? 0)) return;
  const tail = () => readJournal({ folder, shard, upTo, after: old?.end });
  writeSnapshot(options, { old, tail });
}
