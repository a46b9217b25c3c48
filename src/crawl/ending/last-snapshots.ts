import { compactShard } from "../../frontier/fold/compact-shard.ts";
import { listJournals } from "../../frontier/journal/journal-listing.ts";
import type { TimeLimit } from "../../runtime/time-limit.ts";
import { shardsIn } from "../../store/finish/journal-view.ts";
import type { CompactorOptions } from "../workers/compactor.ts";
import { tailOf } from "../workers/journal-tail.ts";

/** A smaller journal is read faster than a snapshot of it is made durable. */
const MIN_BYTES = 1024 * 1024;
/** Bytes of journals and snapshots that a busy machine folds per millisecond. */
const BYTES_PER_MS = 20_000;

/**
 * Folds the closed journals of a crawl that has ended into snapshots, the longest first, so that the next run need not
 * read what is done. Returns how many were left, for want of time or because folding failed, which changes nothing.
 */
export function makeLastSnapshots(options: CompactorOptions, limit: TimeLimit): number {
  const { folder, minBytes = MIN_BYTES } = options;
  const listed = listJournals(folder);
  const tails = shardsIn(folder)
    .map((shard) => ({ shard, ...tailOf(folder, shard, listed(shard)) }))
    .filter(({ bytes }) => bytes >= minBytes)
    .sort((a, b) => b.bytes - a.bytes);
  let left = 0;
  for (const { shard, upTo, bytes, snapshotBytes } of tails) {
    const hasTime = (bytes + snapshotBytes) / BYTES_PER_MS < limit.leftMs;
    if (!hasTime || !tryCompact({ ...options, shard, upTo })) left++;
  }
  return left;
}

function tryCompact(options: Parameters<typeof compactShard>[0]): boolean {
  try {
    compactShard(options);
    return true;
  } catch {
    // A full disk, or damage, which the next reader of the journals reports.
    return false;
  }
}
