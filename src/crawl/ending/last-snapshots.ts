import { compactShard } from "../../frontier/fold/compact-shard.ts";
import { listJournals } from "../../frontier/journal/journal-listing.ts";
import type { TimeLimit } from "../../runtime/time-limit.ts";
import { shardsIn } from "../../store/finish/journal-view.ts";
import type { CompactorOptions } from "../workers/compactor.ts";
import { tailOf } from "../workers/journal-tail.ts";

/** Less than this is read faster than a snapshot of it is made durable. */
const MIN_BYTES = 1024 * 1024;
/** Bytes of journals and snapshots that are folded in a millisecond by a machine that has other things to do. */
const BYTES_PER_MS = 20_000;

/**
 * Folds the journals of a crawl that has ended, all of them closed, into snapshots, the longest first, so that the next
 * run has less to read: without what is done by then. Answers how many were left because there was no time; one that
 * fails leaves everything as it was.
 */
export function makeLastSnapshots(options: CompactorOptions, limit: TimeLimit): number {
  const { folder, leastBytes = MIN_BYTES } = options;
  const listed = listJournals(folder);
  const tails = shardsIn(folder)
    .map((shard) => ({ shard, ...tailOf(folder, shard, listed(shard)) }))
    .filter(({ bytes }) => bytes >= leastBytes)
    .sort((a, b) => b.bytes - a.bytes);
  let left = 0;
  for (const { shard, upTo, bytes, snapshotBytes } of tails) {
    if ((bytes + snapshotBytes) / BYTES_PER_MS >= limit.leftMs) left++;
    else if (!tryCompact({ ...options, shard, upTo })) left++;
  }
  return left;
}

function tryCompact(options: Parameters<typeof compactShard>[0]): boolean {
  try {
    compactShard(options);
    return true;
  } catch {
    // A full disk, or damage: whoever opens the journals next tells of it.
    return false;
  }
}
