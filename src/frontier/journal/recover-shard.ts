import type { QueuedUrl } from "../queue-record.ts";
import { SeenSet } from "../seen.ts";
import { EVENT } from "./event-batch.ts";
import { decodeGroup, type EventBytes, EventCursor } from "./event-cursor.ts";
import { ShardState, word } from "./fold.ts";
import {
  type JournalBatch,
  type JournalEnd,
  type ReadOptions,
  readJournal,
} from "./journal-reader.ts";
import { openSnapshot, type SnapshotReader } from "./snapshot.ts";

/** What is on disk of a shard, as a run finds it. */
export interface RecoveredShard {
  readonly state: ShardState;
  readonly end: JournalEnd;
}

/** What to recover; `after` and `atLeast` are found out here. */
export interface RecoverOptions extends Pick<ReadOptions, "folder" | "shard" | "salvage"> {
  readonly seedLow: number;
  readonly seedHigh: number;
}

/**
 * Folds the newest snapshot and the journal behind it (then `onFolded`), then goes over them once more and calls `enqueue` for every URL
 * that is not done, in the order of admission. Two passes instead of a queue in memory: a URL that is done may stand
 * anywhere behind its admission.
 */
export function recoverShard(
  options: RecoverOptions,
  enqueue: (queued: QueuedUrl) => void,
  onFolded?: (state: ShardState) => void,
): RecoveredShard {
  const { folder, shard, salvage, seedLow, seedHigh } = options;
  const snapshot = openSnapshot(folder, shard, salvage);
  const finished = new SeenSet(seedLow, seedHigh);
  const folded = new ShardState(seedLow, seedHigh, finished);
  snapshot?.restore(folded);
  const read: ReadOptions = {
    folder,
    shard,
    ...(snapshot === undefined ? {} : { after: snapshot.end }),
    ...(salvage === undefined ? {} : { salvage }),
  };
  const reader = readJournal(read);
  let step = reader.next();
  for (; !step.done; step = reader.next()) folded.apply(step.value);
  onFolded?.(folded);
  // The damage was reported by the first pass. What was enqueued counts as finished, so that nothing comes twice.
  const again = readJournal(salvage === undefined ? read : { ...read, salvage: () => {} });
  enqueueWaiting((low, high) => finished.addPrint(low, high), snapshot, again, enqueue);
  folded.finished = undefined;
  return { state: folded, end: step.value };
}

/** Calls `enqueue` for each URL of snapshot and batches that waits, as `isWaiting` tells. */
export function enqueueWaiting(
  isWaiting: (low: number, high: number) => boolean,
  snapshot: SnapshotReader | undefined,
  batches: Iterable<EventBytes & Pick<JournalBatch, "sequence">>,
  enqueue: (queued: QueuedUrl) => void,
): void {
  const cursor = new EventCursor();
  const events = (batch: EventBytes) => {
    cursor.open(batch);
    while (cursor.next()) {
      if (cursor.kind !== EVENT.admit) continue;
      const { bytes, from } = cursor;
      let print = cursor.linksTo();
      for (const found of decodeGroup(bytes, from, cursor.linksFrom(), print)) {
        const low = word(bytes, print);
        const high = word(bytes, print + 4);
        print += 8;
        if (isWaiting(low, high)) enqueue({ ...found, low, high });
      }
    }
  };
  if (snapshot !== undefined) for (const batch of snapshot.queued()) events(batch);
  for (const batch of batches) events(batch);
}
