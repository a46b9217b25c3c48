import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CASH_COUNTERS } from "../opic/shard-cash.ts";
import { WaitingCash } from "../opic/waiting-cash.ts";
import { SeenSet } from "../seen.ts";
import { EVENT, EventBatch } from "./event-batch.ts";
import { type EventBytes, EventCursor } from "./event-cursor.ts";
import { ShardState } from "./fold.ts";
import { type JournalFiles, listSegments, REAL_FILES, segmentName } from "./journal-files.ts";
import { BATCH_HEADER_BYTES } from "./journal-format.ts";
import { type JournalBatch, readJournal } from "./journal-reader.ts";
import { enqueueWaiting } from "./recover-shard.ts";
import { SectionWriter } from "./section-file.ts";
import { doneName, listSnapshots, openSnapshot, SnapshotWriter, snapshotName } from "./snapshot.ts";
import { decodeLink, eachLink, type WaitingLink } from "./waiting-run.ts";

const EVENT_SECTION = 6;
const PIECE_BYTES = 256 * 1024;
/** The end of a name before what it names is durable. */
export const TEMPORARY = ".new";

/** What to compact: everything of a shard up to a segment that is closed. */
export interface CompactOptions {
  readonly folder: string;
  readonly shard: number;
  readonly upTo: number;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly files?: JournalFiles;
}

/**
 * Folds the old snapshot and the closed segments behind it into the next snapshot. It reads and writes in order, so it
 * needs memory for the pages done since the old snapshot only (14 bytes each; 25 for each that waits where there is cash), and it changes no file that exists: the
 * new one appears under its name when it is durable, and the old ones are removed when that name is. Killed anywhere, the files left
 * are a snapshot and the segments behind it.
 */
export function compactShard(options: CompactOptions): void {
  const { folder, shard, upTo, seedLow, seedHigh, files = REAL_FILES } = options;
  const old = openSnapshot(folder, shard);
  if (upTo <= (old?.end.segment ?? 0)) return;
  const tail = () => closedBatches(options, old?.end);
  const finished = new SeenSet(seedLow, seedHigh);
  const state = new ShardState(seedLow, seedHigh, finished);
  old?.restore(state, false);
  const donePath = join(folder, doneName(shard, upTo));
  removeIfThere(files, donePath + TEMPORARY);
  const done = new SectionWriter(files, donePath + TEMPORARY);
  let end = { segment: upTo, sequence: old?.end.sequence ?? 0, epoch: old?.end.epoch ?? 0 };
  for (const batch of tail()) {
    state.apply(batch, false);
    copyDone(batch, done);
    end = { segment: upTo, sequence: batch.sequence, epoch: batch.epoch };
  }
  done.finish();
  files.rename(donePath + TEMPORARY, donePath);
  // A disk may keep the later name alone: then the segments would go with nobody knowing what was done in them.
  files.syncFolder(folder);

  const path = join(folder, snapshotName(shard, upTo));
  removeIfThere(files, path + TEMPORARY);
  const sections = new SectionWriter(files, path + TEMPORARY);
  const snapshot = new SnapshotWriter(sections, shard, end, [seedLow, seedHigh]);
  if (old !== undefined) {
    for (const { bytes, from, to } of old.prints()) snapshot.prints(bytes.subarray(from, to));
  }
  copyPrints(tail(), snapshot);
  snapshot.small(state);
  const queue = new EventBatch(2 * PIECE_BYTES);
  const flush = () => {
    const bytes = queue.finish();
    snapshot.events(bytes.subarray(BATCH_HEADER_BYTES, BATCH_HEADER_BYTES + queue.eventBytes));
    queue.clear();
  };
  let waiting = 0;
  const isWaiting = (low: number, high: number) => !finished.hasPrint(low, high);
  const purse = state.counters[CASH_COUNTERS.minted]! > 0 ? new WaitingCash() : undefined;
  const keep = (link: WaitingLink) => {
    queue.admit(decodeLink(link), link.low, link.high);
    purse?.waits(link.low, link.high);
    waiting++;
    if (queue.eventBytes >= PIECE_BYTES) flush();
  };
  enqueueWaiting(isWaiting, old?.queued() ?? [], tail(), (run) => eachLink(run, keep));
  flush();
  if (purse !== undefined) {
    for (const batch of old?.queued() ?? []) purse.apply(batch);
    for (const batch of tail()) purse.apply(batch);
    for (const piece of purse.events()) snapshot.events(piece);
  }
  snapshot.total(waiting);
  sections.finish();
  files.rename(path + TEMPORARY, path);
  removeReplaced(folder, shard, files);
}

/** Removes what the newest snapshot replaces, and what an interrupted compaction left. */
export function removeReplaced(
  folder: string,
  shard: number,
  files: JournalFiles = REAL_FILES,
): void {
  const snapshots = listSnapshots(folder, shard);
  const newest = snapshots.at(-1) ?? 0;
  const replaced: string[] = [];
  for (const segment of listSegments(folder, shard)) {
    if (segment <= newest) replaced.push(segmentName(shard, segment));
  }
  for (const segment of snapshots) {
    if (segment < newest) replaced.push(snapshotName(shard, segment));
  }
  for (const segment of listSnapshots(folder, shard, doneName)) {
    if (segment > newest) replaced.push(doneName(shard, segment));
  }
  const start = `shard-${String(shard).padStart(2, "0")}.`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(start) && name.endsWith(TEMPORARY)) replaced.push(name);
  }
  // Usually nothing: a thread that takes over many shards should not wait for the disk that often.
  if (replaced.length === 0) return;
  // A process that was killed may have left the newest names in memory only; what they replace must not go first.
  files.syncFolder(folder);
  for (const name of replaced) files.remove(join(folder, name));
  files.syncFolder(folder);
}

function* closedBatches(
  { folder, shard, upTo }: CompactOptions,
  after: { segment: number; sequence: number; epoch: number } | undefined,
): Generator<JournalBatch> {
  const reader = readJournal({ folder, shard, upTo, ...(after === undefined ? {} : { after }) });
  for (let step = reader.next(); !step.done; step = reader.next()) yield step.value;
}

/** Copies the ends of URLs in a batch. */
export function copyDone(batch: EventBytes, into: SectionWriter): void {
  const cursor = new EventCursor();
  const pieces: Buffer[] = [];
  cursor.open(batch);
  let start = batch.from;
  while (cursor.next()) {
    if (cursor.kind === EVENT.done) pieces.push(batch.bytes.subarray(start, cursor.to));
    start = cursor.to;
  }
  if (pieces.length > 0) into.add(EVENT_SECTION, Buffer.concat(pieces));
}

function copyPrints(batches: Iterable<JournalBatch>, into: SnapshotWriter): void {
  const cursor = new EventCursor();
  let pieces: Buffer[] = [];
  let size = 0;
  const flush = () => {
    into.prints(Buffer.concat(pieces));
    pieces = [];
    size = 0;
  };
  for (const batch of batches) {
    cursor.open(batch);
    while (cursor.next()) {
      if (cursor.kind !== EVENT.admit) continue;
      const prints = Buffer.from(cursor.bytes.subarray(cursor.linksTo(), cursor.to));
      pieces.push(prints);
      size += prints.length;
      if (size >= PIECE_BYTES) flush();
    }
  }
  flush();
}

/** Removes what an interrupted run of the same work left. */
export function removeIfThere(files: JournalFiles, path: string): void {
  if (existsSync(path)) files.remove(path);
}
