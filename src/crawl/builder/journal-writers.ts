import type { PageLocation } from "../../frontier/finish.ts";
import { DONE_FIXED_BYTES, EVENT, EventBatch } from "../../frontier/journal/event-batch.ts";
import { EventCursor } from "../../frontier/journal/event-cursor.ts";
import { type JournalOptions, JournalWriter } from "../../frontier/journal/journal-writer.ts";
import { word } from "../../frontier/link/words.ts";
import type { DoFileWork } from "../../runtime/file-work.ts";
import { type Done, doAtOnce, inOrder, raise, type Step, together } from "../../store/writer.ts";
import type { OpenJournal } from "../hand-off/hand-off-port.ts";

/** A batch of this size is written without waiting for more. */
const FULL_BYTES = 8 * 1024 * 1024;
/** Where a done event has the number of its record, until the builder knows its place. */
const RECORD_OFFSET = 9;

/** Settings of all journals of a crawl. */
export type JournalSettings = Pick<
  JournalOptions,
  "folder" | "seedLow" | "seedHigh" | "segmentBytes" | "files"
>;

/** The journal of one shard. */
export interface Journal {
  append(batch: EventBatch, done: Done): void;
  sync(done: Done): void;
  close(): void;
  /** Number of the segment being written; all before are closed and synced. */
  readonly segment: number;
}

/** Begins the journal of a shard behind where it ended. */
export type BeginJournal = (open: OpenJournal) => Journal;

/** Journals as files of a folder. They answer at once unless the work is done otherwise. */
export function journalFiles(settings: JournalSettings, doWork?: DoFileWork): BeginJournal {
  const run = doWork ?? doAtOnce;
  return (open) => {
    const writer = new JournalWriter({ ...settings, ...open, isLazy: doWork !== undefined });
    return {
      append: (batch, done) => run(writer.appending(batch), done),
      sync: (done) => run(writer.syncing(), done),
      close: () => writer.close(),
      get segment() {
        return writer.segment;
      },
    };
  };
}

interface OpenShard {
  readonly journal: Journal;
  readonly batch: EventBatch;
  readonly thread: number;
}

/**
 * The journals a builder writes. Events wait here until the archive is synced: a page is never done before its record
 * is durable.
 */
export class JournalWriters {
  readonly #begin: BeginJournal;
  readonly #shards = new Map<number, OpenShard>();

  constructor(begin: BeginJournal) {
    this.#begin = begin;
  }

  /** Begins a journal for a crawler thread. */
  open(thread: number, open: OpenJournal): void {
    const journal = this.#begin(open);
    this.#shards.set(open.shard, { journal, batch: new EventBatch(), thread });
  }

  /** Takes events of a shard; `placeOf` answers where the record of a number is. True when it is time to commit. */
  take(shard: number, events: Buffer, placeOf: (record: number) => PageLocation): boolean {
    const { batch } = this.#shards.get(shard)!;
    placeRecords(batch, events, placeOf);
    return batch.eventBytes >= FULL_BYTES;
  }

  /** Appends what waits. The archive must be synced. May be repeated after a DiskFullError. */
  append(done: Done = raise): void {
    const append = ({ journal, batch }: OpenShard): Step => {
      return (next) =>
        journal.append(batch, (fault) => {
          if (fault === undefined) batch.clear();
          next(fault);
        });
    };
    const waiting = [...this.#shards.values()].filter(({ batch }) => batch.events > 0);
    inOrder(waiting.map(append), done);
  }

  /** Makes everything that was appended survive a power loss. */
  sync(done: Done = raise): void {
    together(
      [...this.#shards.values()].map(
        ({ journal }) =>
          (next) =>
            journal.sync(next),
      ),
      done,
    );
  }

  /** Closes the journals of a thread; without one those of all. */
  close(thread?: number): void {
    for (const [shard, open] of this.#shards) {
      if (thread !== undefined && open.thread !== thread) continue;
      open.journal.close();
      this.#shards.delete(shard);
    }
  }

  /** Segments of each journal that are closed, for the compactor. */
  closedSegments(): [shard: number, segment: number][] {
    return [...this.#shards].map(([shard, { journal }]) => [shard, journal.segment - 1]);
  }
}

/** One batch is read at a time. */
const cursor = new EventCursor();

/** Copies events into a batch; a done event that names a record by its number gets the place of the record. */
export function placeRecords(
  batch: EventBatch,
  events: Buffer,
  placeOf: (record: number) => PageLocation,
): void {
  cursor.open({ bytes: events, from: 0, to: events.length, file: "memory", offset: 0 });
  // Most events name no record: those between two that do are copied together.
  let start = 0;
  let end = 0;
  let count = 0;
  while (cursor.next()) {
    const unplaced = cursor.kind === EVENT.done && cursor.to - cursor.from === DONE_FIXED_BYTES;
    const record = unplaced ? word(events, cursor.from + RECORD_OFFSET) : 0;
    if (record === 0) {
      count++;
    } else {
      if (count > 0) batch.copy(events, start, end, count);
      const low = word(events, cursor.from);
      const high = word(events, cursor.from + 4);
      batch.done(low, high, events[cursor.from + 8]!, placeOf(record - 1));
      start = cursor.to;
      count = 0;
    }
    end = cursor.to;
  }
  if (count > 0) batch.copy(events, start, end, count);
}
