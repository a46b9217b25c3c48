import type { PageLocation } from "../../frontier/finish.ts";
import { DONE_FIXED_BYTES, EVENT, EventBatch } from "../../frontier/journal/event-batch.ts";
import { EventCursor } from "../../frontier/journal/event-cursor.ts";
import type { JournalEnd } from "../../frontier/journal/journal-reader.ts";
import { type JournalOptions, JournalWriter } from "../../frontier/journal/journal-writer.ts";

/** A batch of this size is written without waiting for more. */
const FULL_BYTES = 8 * 1024 * 1024;
/** A done event names its record here, before the builder knows the place. */
const RECORD_OFFSET = 9;

/** What the crawler says of a journal before its first batch. */
export interface OpenJournal {
  readonly shard: number;
  readonly epoch: number;
  readonly after: JournalEnd | undefined;
}

/** Settings of all journals of a crawl. */
export type OwnedShardOptions = Pick<
  JournalOptions,
  "folder" | "seedLow" | "seedHigh" | "segmentBytes" | "files"
>;

interface OpenShard {
  readonly writer: JournalWriter;
  readonly batch: EventBatch;
  readonly thread: number;
}

/**
 * The journals a builder writes. Events wait here until the archive is synced: a page is never done before its record
 * is durable.
 */
export class JournalWriters {
  readonly #options: OwnedShardOptions;
  readonly #shards = new Map<number, OpenShard>();

  constructor(options: OwnedShardOptions) {
    this.#options = options;
  }

  /** Begins the journal of a shard behind where it ended. */
  open(thread: number, { shard, epoch, after }: OpenJournal): void {
    const writer = new JournalWriter({ ...this.#options, shard, epoch, after });
    this.#shards.set(shard, { writer, batch: new EventBatch(), thread });
  }

  /** Takes events of a shard; `placeOf` tells where the record of a number is. True when it is time to commit. */
  take(shard: number, events: Buffer, placeOf: (record: number) => PageLocation): boolean {
    const { batch } = this.#shards.get(shard)!;
    placeRecords(batch, events, placeOf);
    return batch.eventBytes >= FULL_BYTES;
  }

  /** Appends what waits. The archive must be synced. May be repeated after a DiskFullError. */
  append(): void {
    for (const { writer, batch } of this.#shards.values()) {
      if (batch.events === 0) continue;
      writer.append(batch);
      batch.clear();
    }
  }

  /** Returns when everything appended survives a power loss. */
  sync(): void {
    for (const { writer } of this.#shards.values()) writer.sync();
  }

  /** Closes the journals of a thread; without one those of all. */
  close(thread?: number): void {
    for (const [shard, open] of this.#shards) {
      if (thread !== undefined && open.thread !== thread) continue;
      open.writer.close();
      this.#shards.delete(shard);
    }
  }

  /** Segments of each journal that are closed, for the compactor. */
  closedSegments(): [shard: number, segment: number][] {
    return [...this.#shards].map(([shard, { writer }]) => [shard, writer.segment - 1]);
  }
}

/** Copies events into a batch; a done event that names a record by its number gets the place of the record. */
export function placeRecords(
  batch: EventBatch,
  events: Buffer,
  placeOf: (record: number) => PageLocation,
): void {
  const cursor = new EventCursor();
  cursor.open({ bytes: events, from: 0, to: events.length, file: "memory", offset: 0 });
  // Most events name no record: those between two that do are copied together.
  let start = 0;
  let end = 0;
  let count = 0;
  while (cursor.next()) {
    const unplaced = cursor.kind === EVENT.done && cursor.to - cursor.from === DONE_FIXED_BYTES;
    const record = unplaced ? events.readUInt32LE(cursor.from + RECORD_OFFSET) : 0;
    if (record === 0) {
      count++;
    } else {
      if (count > 0) batch.copy(events, start, end, count);
      const low = events.readUInt32LE(cursor.from);
      const high = events.readUInt32LE(cursor.from + 4);
      batch.done(low, high, events[cursor.from + 8]!, placeOf(record - 1));
      start = cursor.to;
      count = 0;
    }
    end = cursor.to;
  }
  if (count > 0) batch.copy(events, start, end, count);
}
