import { existsSync } from "node:fs";
import { join } from "node:path";
import { DoneHistory } from "../cash/done-history.ts";
import { CASH_COUNTERS, cancelOut, ShardCash } from "../cash/shard-cash.ts";
import { EVENT, EVENT_HEADER_BYTES, EventBatch } from "../journal/event-batch.ts";
import { type EventBytes, EventCursor } from "../journal/event-cursor.ts";
import {
  doneName,
  type JournalFiles,
  REAL_FILES,
  reserveSegment,
  segmentName,
  snapshotName,
} from "../journal/journal-files.ts";
import { listJournals, type ShardFiles } from "../journal/journal-listing.ts";
import { SectionWriter } from "../journal/section-file.ts";
import type { JournalBatch } from "../journal/segment-batches.ts";
import { decodeLink, eachLink, type WaitingLink } from "../link/waiting-run.ts";
import { SeenSet } from "../seen/seen-set.ts";
import { beginDone, copyDone } from "./done-list.ts";
import { enqueueWaiting } from "./recover-shard.ts";
import { ShardState } from "./shard-state.ts";
import { type SmallState, type SnapshotReader, SnapshotWriter } from "./snapshot.ts";

const PIECE_BYTES = 256 * 1024;
/** The end of a file's name until its content is durable. */
const TEMPORARY = ".new";

/** Which snapshot to write: of everything of a shard up to a segment that is closed. */
export interface SnapshotOptions {
  readonly folder: string;
  readonly shard: number;
  readonly upTo: number;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly files?: JournalFiles;
}

/** What is folded into a snapshot; everything is read several times, in bounded memory. */
export interface SnapshotSource {
  readonly old: SnapshotReader | undefined;
  /** The batches behind the old snapshot. */
  readonly tail: () => Iterable<JournalBatch>;
  /** Set when something is lost: then a URL may be admitted twice, and done without an admission. */
  readonly salvage?: {
    /** As `ShardState.reached`. */
    readonly reached?: ShardState["reached"];
    /** Done events of segments that no snapshot covers. */
    readonly ends: () => Iterable<EventBytes>;
    /** What is kept of everything small; `waitingCash` is what pages that wait have got, where there is cash. */
    readonly small: (state: ShardState, waitingCash: number | undefined) => SmallState;
  };
}

/**
 * Writes a list of what was done and a snapshot, and removes what they replace. No file that exists is changed: the new
 * ones appear under their names when they are durable, the snapshot last, and the old ones go when its name is durable.
 * Killed anywhere, the files left are a snapshot and the segments behind it.
 */
export function writeSnapshot(options: SnapshotOptions, source: SnapshotSource): void {
  const { folder, shard, upTo, seedLow, seedHigh, files = REAL_FILES } = options;
  const { old, tail, salvage } = source;
  const ends = salvage?.ends ?? (() => []);
  const finished = new SeenSet();
  const state = new ShardState(seedLow, seedHigh, finished);
  state.reached = salvage?.reached;
  old?.restore(state, false);
  for (const batch of ends()) state.apply({ ...batch, sequence: 0 }, false);
  reserveSegment(folder, shard, upTo + 1, files);
  // A list that has no snapshot was left by an interrupted run of the same work.
  if (salvage === undefined) {
    for (const list of listJournals(folder)(shard).lists)
      if (list > (old?.end.segment ?? 0)) files.remove(join(folder, doneName(shard, list)));
  }
  let end = { segment: upTo, sequence: old?.end.sequence ?? 0, epoch: old?.end.epoch ?? 0 };
  appear(files, join(folder, doneName(shard, upTo)), (done) => {
    const before = listJournals(folder)(shard).lists.filter((list) => list < upTo);
    beginDone(done, { shard, list: upTo, seedLow, seedHigh }, before);
    for (const batch of tail()) {
      state.apply(batch, false);
      copyDone(batch, done);
      end = { segment: upTo, sequence: batch.sequence, epoch: batch.epoch };
    }
  });
  // A disk may keep the later name alone: then the segments would be removed, and what was done in them would be lost.
  files.syncFolder(folder);
  appear(files, join(folder, snapshotName(shard, upTo)), (sections) => {
    const snapshot = new SnapshotWriter(sections, shard, end, [seedLow, seedHigh]);
    for (const { bytes, from, to } of old?.fingerprints() ?? [])
      snapshot.fingerprints(bytes.subarray(from, to));
    // In a salvage also of URLs that are done: their admissions may be lost, and they must not be fetched again.
    for (const batches of [ends(), tail()])
      copyFingerprints(batches, snapshot, salvage !== undefined);
    const isWaiting = (low: number, high: number) =>
      // An admission that a salvage finds twice waits once.
      salvage === undefined
        ? !finished.hasFingerprint(low, high)
        : finished.addFingerprint(low, high);
    const { minted, received } = CASH_COUNTERS;
    const isByCash = state.counters[minted]! > 0 || state.counters[received]! > 0;
    const cash = isByCash ? new ShardCash() : undefined;
    const waiting = copyWaiting(source, snapshot, isWaiting, cash);
    if (isByCash) cancelOut(state.counters);
    snapshot.small(salvage?.small(state, cash?.book.held) ?? state);
    snapshot.total(waiting);
  });
  removeReplaced(folder, shard, files);
}

/** Makes a file of sections appear whole; its name is durable when the folder is synced. */
function appear(files: JournalFiles, path: string, fill: (into: SectionWriter) => void): void {
  const temporary = path + TEMPORARY;
  // Only an interrupted run of the same work leaves one.
  if (existsSync(temporary)) files.remove(temporary);
  const sections = new SectionWriter(files, temporary);
  fill(sections);
  sections.finish();
  files.rename(temporary, path);
}

/**
 * Copies the admissions that are not done, extensions and, where there is cash, which sites minted, all in their order;
 * then what the pages that wait have got, which `cash` adds up, and what those that are done have. Returns how many wait.
 */
function copyWaiting(
  { old, tail }: SnapshotSource,
  into: SnapshotWriter,
  isWaiting: (low: number, high: number) => boolean,
  cash: ShardCash | undefined,
): number {
  const events = new EventBatch(2 * PIECE_BYTES);
  const flush = () => into.events(events.take());
  let waiting = 0;
  const keep = (link: WaitingLink) => {
    events.admit(decodeLink(link), link.low, link.high);
    cash?.waits(link.low, link.high);
    waiting++;
    if (events.eventBytes >= PIECE_BYTES) flush();
  };
  const carry = ({ kind, bytes, from, to }: EventCursor) => {
    if (kind !== EVENT.extension && (kind !== EVENT.minted || cash === undefined)) return;
    const start = from - EVENT_HEADER_BYTES;
    // An extension may be as long as a whole batch.
    if (events.eventBytes + to - start > PIECE_BYTES) flush();
    events.copy(bytes, start, to);
  };
  enqueueWaiting(isWaiting, old?.queued() ?? [], tail(), (run) => eachLink(run, keep), carry);
  flush();
  if (cash === undefined) return waiting;
  const history = new DoneHistory();
  old?.eachHistory((low, high, amount) => history.add(low, high, amount));
  for (const batches of [old?.queued() ?? [], tail()])
    for (const batch of batches) cash.applyCredits(batch, history);
  for (const piece of cash.waitingCredits()) into.events(piece);
  for (const piece of history.pieces()) into.history(piece);
  return waiting;
}

/** Copies the fingerprints of all URLs that batches admit, and of those that they end if asked. */
function copyFingerprints(
  batches: Iterable<EventBytes>,
  into: SnapshotWriter,
  alsoDone: boolean,
): void {
  const cursor = new EventCursor();
  let pieces: Buffer[] = [];
  let size = 0;
  const add = (fingerprints: Buffer) => {
    // A copy, because the memory is reused for the next batch.
    pieces.push(Buffer.from(fingerprints));
    size += fingerprints.length;
    if (size < PIECE_BYTES) return;
    into.fingerprints(Buffer.concat(pieces));
    pieces = [];
    size = 0;
  };
  for (const batch of batches) {
    cursor.open(batch);
    while (cursor.next()) {
      const { kind, bytes, from, to } = cursor;
      if (kind === EVENT.admit) add(bytes.subarray(cursor.linksTo(), to));
      else if (kind === EVENT.done && alsoDone) add(bytes.subarray(from, from + 8));
    }
  }
  into.fingerprints(Buffer.concat(pieces));
}

/** Removes what the newest snapshot replaces, and what an interrupted one left; returns what is there then. */
export function removeReplaced(
  folder: string,
  shard: number,
  files: JournalFiles = REAL_FILES,
  listed = listJournals(folder)(shard),
): ShardFiles {
  const { segments, snapshots, lists, unfinished } = listed;
  const newest = snapshots.at(-1) ?? 0;
  // Without a snapshot, a list shows that one is missing, or it is written again.
  const lost = newest > 0 ? lists.filter((list) => list > newest) : [];
  const replaced = [
    ...unfinished,
    ...segments.filter((n) => n <= newest).map((n) => segmentName(shard, n)),
    ...snapshots.filter((n) => n < newest).map((n) => snapshotName(shard, n)),
    ...lost.map((n) => doneName(shard, n)),
  ];
  // Usually there is nothing, and a thread that takes over many shards should not wait for the disk each time.
  if (replaced.length === 0) return listed;
  // A process that was killed may have left the newest names in memory only; what they replace must not go first.
  files.syncFolder(folder);
  for (const name of replaced) files.remove(join(folder, name));
  files.syncFolder(folder);
  return listJournals(folder)(shard);
}
