import { join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import { SeenSet } from "../seen.ts";
import { copyDone, removeIfThere, removeReplaced, TEMPORARY } from "./compact.ts";
import { EVENT, EventBatch } from "./event-batch.ts";
import { type EventBytes, EventCursor } from "./event-cursor.ts";
import { type OutboxBlock, ShardState } from "./fold.ts";
import { type JournalFiles, listSegments, REAL_FILES } from "./journal-files.ts";
import { BATCH_HEADER_BYTES } from "./journal-format.ts";
import { type JournalBatch, readJournal } from "./journal-reader.ts";
import { enqueueWaiting } from "./recover-shard.ts";
import { SectionWriter } from "./section-file.ts";
import {
  doneName,
  listSnapshots,
  openSnapshot,
  readDone,
  SnapshotWriter,
  snapshotName,
} from "./snapshot.ts";
import { decodeLink, eachLink, type WaitingLink } from "./waiting-run.ts";

/** No run has this number: the first one is 1. */
const SALVAGED_EPOCH = 0;
const PIECE_BYTES = 256 * 1024;
const silent = () => {};

/** Which shard of a damaged crawl. */
export interface SalvageOptions {
  readonly folder: string;
  readonly shard: number;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly files?: JournalFiles;
}

/**
 * Puts a snapshot of everything intact in the place of a shard's damaged files, so that the crawl can go on. Numbers of
 * blocks begin anew, because nobody knows which were lost; so **every** shard of the crawl must be salvaged, and the
 * damaged ones last: until then the crawl refuses to go on. What a shard has not confirmed is sent to it again.
 */
export function salvageShard(options: SalvageOptions): void {
  const { folder, shard, seedLow, seedHigh, files = REAL_FILES } = options;
  const old = openSnapshot(folder, shard, silent);
  const upTo = 1 + Math.max(0, ...listSegments(folder, shard), ...listSnapshots(folder, shard));
  const tail = (): Generator<JournalBatch> =>
    readJournal({
      ...{ folder, shard, upTo, salvage: silent },
      ...(old === undefined ? {} : { after: old.end }),
    });
  const finished = new SeenSet(seedLow, seedHigh);
  const state = new ShardState(seedLow, seedHigh, finished);
  old?.restore(state, false);
  // A snapshot that is there knows what ended before it.
  const ends = () => (old === undefined ? endsKept(folder, shard) : []);
  for (const batch of ends()) state.apply({ ...batch, sequence: 0 }, false);
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
  files.syncFolder(folder);

  const path = join(folder, snapshotName(shard, upTo));
  removeIfThere(files, path + TEMPORARY);
  const sections = new SectionWriter(files, path + TEMPORARY);
  const snapshot = new SnapshotWriter(sections, shard, end, [seedLow, seedHigh]);
  if (old !== undefined) {
    for (const { bytes, from, to } of old.prints()) snapshot.prints(bytes.subarray(from, to));
  }
  // Also of what is done: its admission may be lost, and it must not be fetched again.
  for (const batch of ends()) snapshot.prints(printsIn(batch));
  for (const batch of tail()) snapshot.prints(printsIn(batch));
  snapshot.small(withNewNumbers(state));
  const queue = new EventBatch(2 * PIECE_BYTES);
  const flush = () => {
    const bytes = queue.finish();
    snapshot.events(bytes.subarray(BATCH_HEADER_BYTES, BATCH_HEADER_BYTES + queue.eventBytes));
    queue.clear();
  };
  let waiting = 0;
  // An admission may be found twice: what waits once counts as finished from then on.
  const isWaiting = (low: number, high: number) => finished.addPrint(low, high);
  const keep = (link: WaitingLink) => {
    queue.admit(decodeLink(link), link.low, link.high);
    waiting++;
    if (queue.eventBytes >= PIECE_BYTES) flush();
  };
  enqueueWaiting(isWaiting, old?.queued() ?? [], tail(), (run) => eachLink(run, keep));
  flush();
  snapshot.total(waiting);
  sections.finish();
  files.rename(path + TEMPORARY, path);
  removeReplaced(folder, shard, files);
}

/** The ends of URLs that older snapshots have left, as far as they can be read. */
function* endsKept(folder: string, shard: number): Generator<EventBytes> {
  try {
    yield* readDone(folder, shard);
  } catch (fault) {
    if (!(fault instanceof StoreCorruptError)) throw fault;
  }
}

/** Fingerprints of all URLs that a batch admits or ends. */
function printsIn(batch: EventBytes): Buffer {
  const cursor = new EventCursor();
  const pieces: Buffer[] = [];
  cursor.open(batch);
  while (cursor.next()) {
    const { kind, bytes, from, to } = cursor;
    if (kind === EVENT.admit) pieces.push(bytes.subarray(cursor.linksTo(), to));
    else if (kind === EVENT.done) pieces.push(bytes.subarray(from, from + 8));
  }
  return Buffer.concat(pieces);
}

function withNewNumbers(state: ShardState): Parameters<SnapshotWriter["small"]>[0] {
  const sent = new Map<string, number>();
  const blocks: OutboxBlock[] = [];
  for (const block of state.unconfirmed()) {
    const name = `${block.target} ${SALVAGED_EPOCH}`;
    const number = (sent.get(name) ?? 0) + 1;
    sent.set(name, number);
    blocks.push({ ...block, epoch: SALVAGED_EPOCH, number });
  }
  const { outcomes, counters, hosts } = state;
  return { outcomes, counters, hosts, sent, received: new Map(), unconfirmed: () => blocks };
}
