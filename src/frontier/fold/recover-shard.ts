import type { ShardCash } from "../cash/shard-cash.ts";
import { EVENT } from "../journal/event-batch.ts";
import { type EventBytes, EventCursor } from "../journal/event-cursor.ts";
import { listJournals } from "../journal/journal-listing.ts";
import { type JournalEnd, type ReadOptions, readJournal } from "../journal/journal-reader.ts";
import { linkEnd } from "../link/link-codec.ts";
import type { WaitingRun } from "../link/waiting-run.ts";
import { word } from "../link/words.ts";
import { BulkAdd } from "../seen/bulk-add.ts";
import { SeenSet } from "../seen/seen-set.ts";
import { checkDone } from "./done-list.ts";
import { ShardState } from "./shard-state.ts";
import { openSnapshot } from "./snapshot.ts";

/** A shard as a run finds it on disk. */
export interface RecoveredShard {
  readonly state: ShardState;
  readonly end: JournalEnd;
}

/** What to recover. */
export interface RecoverOptions
  extends Pick<ReadOptions, "folder" | "shard" | "begun" | "salvage" | "listed"> {
  readonly seedLow: number;
  readonly seedHigh: number;
  /** Empty, for a crawl ordered by cash. */
  readonly cash?: ShardCash | undefined;
  /** Empty; can be used for several shards, one after the other. */
  readonly gathered?: BulkAdd | undefined;
}

/**
 * Folds the newest snapshot and the journal behind it (then `onFolded`), then goes over them once more and calls
 * `enqueue` for all URLs that are not done, in the order of admission. Two passes instead of a queue in memory: a URL
 * that is done may stand anywhere behind its admission. Links stay bytes on their way into the queue.
 */
export function recoverShard(
  options: RecoverOptions,
  enqueue: (run: WaitingRun) => void,
  onFolded?: (state: ShardState) => void,
): RecoveredShard {
  const { folder, shard, salvage, seedLow, seedHigh, cash } = options;
  const listed = options.listed ?? listJournals(folder)(shard);
  const snapshot = openSnapshot(folder, shard, salvage, listed, options);
  checkDone(folder, shard, salvage, listed, options);
  const finished = new SeenSet();
  const folded = new ShardState(seedLow, seedHigh, finished, cash);
  if (cash === undefined) folded.gathered = options.gathered ?? new BulkAdd();
  snapshot?.restore(folded);
  const read: ReadOptions = {
    folder,
    shard,
    listed,
    begun: options.begun,
    seeds: options,
    after: snapshot?.end,
    salvage,
  };
  const reader = readJournal(read);
  let step = reader.next();
  for (; !step.done; step = reader.next()) folded.apply(step.value);
  folded.settle();
  folded.gathered = undefined;
  // After a salvage the book need not balance: what was received may be lost.
  if (salvage === undefined) cash?.book.settle();
  onFolded?.(folded);
  // The damage was reported by the first pass.
  const again = readJournal(
    salvage === undefined ? { ...read, checked: step.value } : { ...read, salvage: () => {} },
  );
  enqueueWaiting(waitingTest(folded, finished), snapshot?.queued(true) ?? [], again, enqueue);
  folded.finished = undefined;
  return { state: folded, end: step.value };
}

/** A test whether an admission still waits, to be called once for each admission. */
export function waitingTest(
  { repeated, contradictions }: Pick<ShardState, "repeated" | "contradictions">,
  finished: SeenSet,
): (low: number, high: number) => boolean {
  // No admission is repeated, so nothing needs to be noted.
  if (repeated === 0 && contradictions.length === 0) {
    const maybe = filterOf(finished);
    const mask = 8 * maybe.length - 1;
    return (low, high) => {
      // A set keeps 0 as 1.
      const bit = (low === 0 ? 1 : low) & mask;
      return ((maybe[bit >>> 3]! >>> (bit & 7)) & 1) === 0 || !finished.hasFingerprint(low, high);
    };
  }
  // A salvage may find an admission twice. What was enqueued then counts as finished, so that nothing comes twice.
  return (low, high) => finished.addFingerprint(low, high);
}

/** A Bloom filter with one bit per fingerprint, sparse enough that it rules out nearly all others. */
function filterOf(fingerprints: SeenSet): Uint8Array {
  const bits = 2 ** Math.max(10, Math.ceil(Math.log2(16 * fingerprints.size + 1)));
  const filter = new Uint8Array(bits / 8);
  for (const block of fingerprints.fingerprints()) {
    for (let i = 0; i < block.length; i += 2) {
      const bit = block[i]! & (bits - 1);
      filter[bit >>> 3]! |= 1 << (bit & 7);
    }
  }
  return filter;
}

/**
 * Calls `enqueue` for the URLs of a snapshot's queue and of batches for which `isWaiting` is true, run by run, and
 * `onOther` for the events between them. One view serves them all: it is valid during the call.
 */
export function enqueueWaiting(
  isWaiting: (low: number, high: number) => boolean,
  queued: Iterable<EventBytes>,
  batches: Iterable<EventBytes>,
  enqueue: (run: WaitingRun) => void,
  onOther?: (event: EventCursor) => void,
): void {
  const cursor = new EventCursor();
  const run: WaitingRun = {
    bytes: cursor.bytes,
    head: 0,
    headEnd: 0,
    from: 0,
    to: 0,
    fingerprint: 0,
    links: 0,
    file: "",
    fileAhead: undefined,
  };
  const end = (to: number) => {
    run.to = to;
    if (run.links > 0) enqueue(run);
    run.links = 0;
  };
  const goOver = (batch: EventBytes) => {
    cursor.open(batch);
    run.bytes = batch.bytes;
    run.file = batch.file;
    run.fileAhead = batch.eventsAt === undefined ? undefined : batch.eventsAt - batch.from;
    const { bytes } = batch;
    while (cursor.next()) {
      if (cursor.kind !== EVENT.admit) {
        onOther?.(cursor);
        continue;
      }
      cursor.checkLinks();
      run.head = cursor.from;
      run.headEnd = cursor.linksFrom();
      const linksEnd = cursor.linksTo();
      for (let at = run.headEnd, fingerprint = linksEnd; at < linksEnd; fingerprint += 8) {
        const next = linkEnd(bytes, at);
        // Signed halves are small integers: no object is allocated.
        if (!isWaiting(word(bytes, fingerprint) | 0, word(bytes, fingerprint + 4) | 0)) end(at);
        else if (run.links++ === 0) {
          run.from = at;
          run.fingerprint = fingerprint;
        }
        at = next;
      }
      end(linksEnd);
    }
  };
  for (const batch of queued) goOver(batch);
  for (const batch of batches) goOver(batch);
}
