import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { FolderTakenError } from "../errors.ts";
import { EVENT, EventBatch } from "../frontier/journal/event-batch.ts";
import { EventCursor } from "../frontier/journal/event-cursor.ts";
import {
  type JournalFiles,
  REAL_FILES,
  reserveSegment,
  segmentName,
  snapshotName,
} from "../frontier/journal/journal-files.ts";
import { listJournals } from "../frontier/journal/journal-listing.ts";
import {
  type JournalEnd,
  readJournal,
  repairTail,
  type SnapshotEnd,
} from "../frontier/journal/journal-reader.ts";
import { JournalWriter } from "../frontier/journal/journal-writer.ts";
import { readSections, SectionWriter } from "../frontier/journal/section-file.ts";
import { makeFolders } from "../store/files/system-calls.ts";
import { crawlPaths } from "../store/folder/crawl-folder.ts";
import { type FolderLock, lockFolder } from "../store/folder/folder-lock.ts";
import { type Change, decodeChange, encodeChange } from "./change.ts";
import type { UrlFrontier } from "./url-frontier.ts";

/** All changes are in one journal, that of shard 0. */
const SHARD = 0;
/** In the place of a crawl's random seeds: a journal of anything else is refused. */
const SEEDS = { seedLow: 0x75726c66, seedHigh: 0x726f6e74 };
/** The kind of extension that a change is; facts of crawls have small numbers. */
const CHANGE = 100;
const END_SECTION = 1;
const CHANGE_SECTION = 2;
/** A batch is written when it has grown to this, or is so old: gRPC delivers one message per turn of the event loop. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const MAX_BATCH_AGE_MS = 5;
/** A start that reads more batches than this behind the snapshot writes a new one. */
const MAX_TAIL_BYTES = 64 * 1024 * 1024;

/** Where a log is kept, and what its tests change. */
export interface ChangeLogOptions {
  readonly dir: string;
  readonly files?: JournalFiles;
  readonly maxTailBytes?: number;
}

/**
 * The changes of a URL frontier on disk: a journal and a snapshot, in the formats of the embedded frontier. Changes
 * that arrive together share one sync; `afterCommit` calls back when all before it are durable.
 */
export class ChangeLog {
  readonly #lock: FolderLock;
  readonly #writer: JournalWriter;
  readonly #batch = new EventBatch();
  #waiting: ((fault: unknown) => void)[] = [];
  #isScheduled = false;
  #fault: unknown;

  /** Folds what is in the folder into the frontier, and continues the log. */
  constructor(options: ChangeLogOptions, frontier: UrlFrontier) {
    const { dir, files = REAL_FILES } = options;
    const { state, journals: folder } = crawlPaths(dir);
    if (existsSync(state))
      throw new FolderTakenError(`${dir} holds a crawl; a URL frontier needs a folder of its own`);
    makeFolders(folder);
    makeFolders(dirname(state));
    this.#lock = lockFolder(dir);
    try {
      let end = fold(folder, frontier, files);
      if (end.tailBytes > (options.maxTailBytes ?? MAX_TAIL_BYTES)) {
        writeSnapshot(folder, frontier, end, files);
        end = { ...end, bytes: 0 };
      }
      const epoch = end.epoch + 1;
      this.#writer = new JournalWriter({
        folder,
        shard: SHARD,
        epoch,
        ...SEEDS,
        after: end,
        files,
      });
    } catch (fault) {
      this.#lock.release();
      throw fault;
    }
  }

  /** Adds a change to what is written next. */
  add(change: Change): void {
    if (this.#fault !== undefined) return;
    this.#batch.extension(CHANGE, encodeChange(change));
    if (this.#batch.eventBytes >= MAX_BATCH_BYTES) this.#commit();
    else this.#schedule();
  }

  /** Calls back when everything added so far is durable, or with the fault that keeps it from being so. */
  afterCommit(done: (fault: unknown) => void): void {
    if (this.#batch.events === 0) done(this.#fault);
    else this.#waiting.push(done);
  }

  close(): void {
    this.#commit();
    this.#writer.close();
    this.#lock.release();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => this.#commit(), MAX_BATCH_AGE_MS);
  }

  #commit(): void {
    this.#isScheduled = false;
    if (this.#fault === undefined && this.#batch.events > 0) {
      try {
        this.#lock.check();
        this.#writer.append(this.#batch);
        this.#writer.sync();
      } catch (fault) {
        // Memory is ahead of the disk now: nothing may be acknowledged any more, and the server ends.
        this.#fault = fault;
      }
      this.#batch.clear();
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done(this.#fault);
  }
}

type FoldEnd = JournalEnd & { readonly tailBytes: number };

function fold(folder: string, frontier: UrlFrontier, files: JournalFiles): FoldEnd {
  const snapshot = listJournals(folder)(SHARD).snapshots.at(-1);
  let after: SnapshotEnd | undefined;
  if (snapshot !== undefined) {
    const path = join(folder, snapshotName(SHARD, snapshot));
    for (const { kind, bytes, from, to, offset } of readSections(path)) {
      const body = bytes.subarray(from, to);
      if (kind === END_SECTION) after = JSON.parse(body.toString("utf8")) as SnapshotEnd;
      else frontier.apply(decodeChange(body, () => `${path}:${offset}`));
    }
  }
  const batches = readJournal({ folder, shard: SHARD, after, seeds: SEEDS });
  const cursor = new EventCursor();
  let tailBytes = 0;
  for (;;) {
    const next = batches.next();
    if (next.done) return { ...repairTail(next.value, folder, files), tailBytes };
    cursor.open(next.value);
    tailBytes += next.value.to - next.value.from;
    while (cursor.next()) {
      const at = () => `${next.value.file}:${next.value.offset}`;
      if (cursor.kind !== EVENT.extension) continue;
      frontier.apply(decodeChange(cursor.bytes.subarray(cursor.from + 2, cursor.to), at));
    }
  }
}

/** A snapshot of everything up to the end takes the place of the files before; killed anywhere, one of both is whole. */
function writeSnapshot(
  folder: string,
  frontier: UrlFrontier,
  { segment, sequence, epoch }: JournalEnd,
  files: JournalFiles,
): void {
  const path = join(folder, snapshotName(SHARD, segment));
  const temporary = `${path}.new`;
  reserveSegment(folder, SHARD, segment + 1, files);
  if (existsSync(temporary)) files.remove(temporary);
  const sections = new SectionWriter(files, temporary);
  sections.add(END_SECTION, Buffer.from(JSON.stringify({ segment, sequence, epoch })));
  for (const change of frontier.changes()) sections.add(CHANGE_SECTION, encodeChange(change));
  sections.finish();
  files.rename(temporary, path);
  files.syncFolder(folder);
  const { segments, snapshots } = listJournals(folder)(SHARD);
  for (const old of segments)
    if (old <= segment) files.remove(join(folder, segmentName(SHARD, old)));
  for (const old of snapshots)
    if (old < segment) files.remove(join(folder, snapshotName(SHARD, old)));
}
