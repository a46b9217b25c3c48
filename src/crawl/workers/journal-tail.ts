import { statSync } from "node:fs";
import { join } from "node:path";
import { segmentName, snapshotName } from "../../frontier/journal/journal-files.ts";
import type { ShardFiles } from "../../frontier/journal/journal-listing.ts";

/** What a shard's journal holds behind its last snapshot. */
export interface JournalTail {
  readonly segments: number;
  /** The last segment that is not empty; the snapshot's own number when there is none. */
  readonly upTo: number;
  readonly bytes: number;
  /** Size of the last snapshot, which a fold reads as well. */
  readonly snapshotBytes: number;
}

/** The tail of a shard's journal, up to segment `newest`. Empty segments do not count. */
export function tailOf(
  folder: string,
  shard: number,
  { segments, snapshots }: ShardFiles,
  newest = Number.POSITIVE_INFINITY,
): JournalTail {
  const last = snapshots.at(-1) ?? 0;
  const size = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  const tail = { segments: 0, upTo: last, bytes: 0 };
  for (const segment of segments) {
    if (segment <= last || segment > newest) continue;
    const written = size(segmentName(shard, segment));
    if (written === 0) continue;
    tail.segments++;
    tail.upTo = segment;
    tail.bytes += written;
  }
  return { ...tail, snapshotBytes: size(snapshotName(shard, last)) };
}
