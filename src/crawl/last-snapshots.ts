import { statSync } from "node:fs";
import { join } from "node:path";
import { compactShard } from "../frontier/journal/compact.ts";
import { listSegments, segmentName, snapshotName } from "../frontier/journal/journal-files.ts";
import { shardsIn } from "../store/journal-view.ts";
import type { TimeLimit } from "../store/time-limit.ts";
import type { CompactorOptions } from "./compactor.ts";

/** Less than this is read faster than a snapshot of it is made durable. */
const LEAST_BYTES = 1024 * 1024;
/** Bytes of journals and snapshots that are folded in a millisecond by a machine that has other things to do. */
const BYTES_PER_MS = 20_000;

interface Tail {
  readonly shard: number;
  readonly upTo: number;
  readonly bytes: number;
  readonly withSnapshot: number;
}

/**
 * Folds the journals of a crawl that has ended, all of them closed, into snapshots, the longest first, so that the next
 * run has less to read: without what is done by then. Answers how many were left because there was no time; one that
 * fails leaves everything as it was.
 */
export function makeLastSnapshots(options: CompactorOptions, limit: TimeLimit): number {
  const { folder, leastBytes = LEAST_BYTES } = options;
  const tails = shardsIn(folder)
    .map((shard) => tailOf(folder, shard))
    .filter(({ bytes }) => bytes >= leastBytes)
    .sort((a, b) => b.bytes - a.bytes);
  let left = 0;
  for (const { shard, upTo, withSnapshot } of tails) {
    if (withSnapshot / BYTES_PER_MS >= limit.leftMs) left++;
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

function tailOf(folder: string, shard: number): Tail {
  const last = listSegments(folder, shard, snapshotName).at(-1) ?? 0;
  let bytes = 0;
  let upTo = last;
  for (const segment of listSegments(folder, shard)) {
    const written = size(join(folder, segmentName(shard, segment)));
    // The last one is empty: the next run will write it.
    if (segment <= last || written === 0) continue;
    bytes += written;
    upTo = segment;
  }
  const snapshot = size(join(folder, snapshotName(shard, last)));
  return { shard, upTo, bytes, withSnapshot: bytes + snapshot };
}

function size(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
