import { randomBytes } from "node:crypto";
import { join } from "node:path";
import {
  CapacityError,
  DiskFullError,
  diskFault,
  OrbweaverError,
  StoreCorruptError,
} from "../../errors.ts";
import {
  doNow,
  type FileWork,
  syncOf,
  syncOfFolder,
  type WriteBytes,
  writeSome,
} from "../../runtime/file-work.ts";
import { EventBatch } from "./event-batch.ts";
import { type JournalFiles, REAL_FILES, segmentName } from "./journal-files.ts";
import {
  BATCH_HEADER_BYTES,
  BATCH_TRAILER_BYTES,
  encodeSegmentHeader,
  SEGMENT_HEADER_BYTES,
  sealBatch,
} from "./journal-format.ts";
import type { JournalEnd } from "./journal-reader.ts";

/** No file of this run is there yet. */
const NOT_BEGUN = -1;
const DEFAULT_SEGMENT_BYTES = 64 * 1024 * 1024;

/** Where and how a shard's journal is written. */
export interface JournalOptions {
  readonly folder: string;
  readonly shard: number;
  /** Number of this run, above that of every run before. */
  readonly epoch: number;
  /** Seeds of the crawl's fingerprints. */
  readonly seedLow: number;
  readonly seedHigh: number;
  /** What the reader found; undefined for a new journal. */
  readonly after?: JournalEnd | undefined;
  /** A segment that has reached this size is not continued. */
  readonly segmentBytes?: number;
  readonly files?: JournalFiles;
  /** Its first file is made with its first batch; otherwise at once. */
  readonly isLazy?: boolean | undefined;
  /** A random 32-bit number for a new file. */
  readonly salt?: () => number;
}

/**
 * Writes the journal of one shard: one writer, whose calls return when they are done, or are work for later. A run never continues a
 * file of the run before, and a segment is begun only after the one before is synced: so anything broken that is not at
 * the end of the last segment is damage, not a torn write.
 */
export class JournalWriter {
  readonly #options: JournalOptions;
  readonly #files: JournalFiles;
  readonly #write: WriteBytes;
  readonly #sync: (file: number) => void;
  readonly #segmentBytes: number;
  #segment: number;
  #file = NOT_BEGUN;
  #salt = 0;
  #size = 0;
  /** Bytes of the segment that are known to be on the disk. */
  #syncedSize = 0;
  #sequence: number;
  #synced: number;
  /** The file of the next segment is there, and its name durable. */
  #isFollowed: boolean;
  #state: "open" | "broken" | "closed" = "open";

  constructor(options: JournalOptions) {
    const { after, epoch } = options;
    if (after?.torn !== undefined) {
      throw new StoreCorruptError(
        `${after.torn.file} must be repaired at ${after.torn.offset} first`,
      );
    }
    if (after !== undefined && epoch <= after.epoch) {
      throw new CapacityError(`run ${epoch} cannot follow run ${after.epoch}`);
    }
    this.#options = options;
    const files = options.files ?? REAL_FILES;
    this.#files = files;
    // Those of the real disk can also be done later.
    this.#write =
      files === REAL_FILES ? files.write : (file, bytes, from) => files.write(file, bytes, from);
    this.#sync = files === REAL_FILES ? files.sync : (file) => files.sync(file);
    this.#segmentBytes = options.segmentBytes ?? DEFAULT_SEGMENT_BYTES;
    this.#segment = after?.segment ?? 0;
    this.#sequence = after?.sequence ?? 0;
    this.#synced = this.#sequence;
    this.#isFollowed = after?.followed ?? false;
    doNow(this.#syncingBefore());
    if (options.isLazy !== true) doNow(this.#startingSegment());
  }

  /**
   * After a kill, or the death of a thread, the reader saw what the page cache kept. Nothing may build on that before it
   * is on the disk, whether this run has anything to add or not.
   */
  *#syncingBefore(): FileWork {
    const { after, folder } = this.#options;
    if (after === undefined || after.bytes === 0) return;
    const file = this.#files.open(this.#path(after.segment));
    try {
      yield* syncOf(file, this.#sync);
    } finally {
      this.#files.close(file);
    }
    yield* this.#syncingFolder(folder);
  }

  /** Number of the batch appended last. */
  get sequence(): number {
    return this.#sequence;
  }

  /** All batches up to this number survive a power loss. */
  get synced(): number {
    return this.#synced;
  }

  /** Number of the segment being written; all before are closed and synced. */
  get segment(): number {
    return this.#segment;
  }

  /** Appends the events as one batch, all or nothing; returns its number. The batch may be cleared afterwards. */
  append(batch: EventBatch): number {
    return doNow(this.appending(batch));
  }

  /** The same as work; the batch must stay as it is until it is done. */
  *appending(batch: EventBatch): FileWork<number> {
    this.#mustBeOpen();
    if (this.#file === NOT_BEGUN) yield* this.#startingSegment();
    const bytes = batch.finish();
    const total = BATCH_HEADER_BYTES + batch.eventBytes + BATCH_TRAILER_BYTES;
    if (this.#size > SEGMENT_HEADER_BYTES && this.#size + total > this.#segmentBytes)
      yield* this.#rotating();
    const header = {
      eventBytes: batch.eventBytes,
      events: batch.events,
      sequence: this.#sequence + 1,
      synced: this.#synced,
      epoch: this.#options.epoch,
    };
    yield* this.#writing(bytes.subarray(0, sealBatch(bytes, header, this.#salt)));
    return ++this.#sequence;
  }

  /** Returns when everything appended survives a power loss; returns the number reached. */
  sync(): number {
    return doNow(this.syncing());
  }

  *syncing(): FileWork<number> {
    this.#mustBeOpen();
    if (this.#synced === this.#sequence) return this.#synced;
    try {
      yield* syncOf(this.#file, this.#sync);
    } catch (cause) {
      // After a failed sync the system may drop the pages and call the next sync a success: there is no second try.
      this.#state = "broken";
      this.#forgetUnsynced();
      throw cause;
    }
    this.#synced = this.#sequence;
    this.#syncedSize = this.#size;
    return this.#synced;
  }

  /** Syncs and closes. A last, empty batch records that all before it was synced, so that no damage to it looks like a torn write. */
  close(): void {
    if (this.#state === "closed") return;
    if (this.#file === NOT_BEGUN) {
      this.#state = "closed";
      return;
    }
    try {
      if (this.#state === "broken") return;
      this.sync();
      this.append(new EventBatch(BATCH_HEADER_BYTES + BATCH_TRAILER_BYTES));
      this.sync();
    } catch (error) {
      // Everything that counts is synced already; a full disk only costs the empty batch.
      if (!(error instanceof DiskFullError && this.#synced === this.#sequence)) throw error;
    } finally {
      this.#state = "closed";
      this.#files.close(this.#file);
    }
  }

  *#rotating(): FileWork {
    yield* this.syncing();
    const old = this.#file;
    yield* this.#startingSegment();
    this.#files.close(old);
  }

  /**
   * Begins the next segment. The file behind it is created first, and its name is durable before there is a header:
   * so a segment that holds anything always has a file behind it, and its loss is noticed.
   */
  *#startingSegment(): FileWork {
    const { folder, salt: random = randomSalt } = this.#options;
    const segment = this.#segment + 1;
    const salt = random();
    const path = this.#path(segment);
    const firstSequence = this.#sequence + 1;
    const bytes = encodeSegmentHeader({ ...this.#options, segment, salt, firstSequence });
    const behind = this.#path(segment + 1);
    let file = -1;
    let isReserved = false;
    try {
      file = this.#files.create(path);
      // Otherwise a disk could keep the later name alone, and this segment would seem lost.
      if (!this.#isFollowed) yield* this.#syncingFolder(folder);
      this.#isFollowed = true;
      this.#files.close(this.#files.create(behind));
      isReserved = true;
      yield* this.#syncingFolder(folder);
      for (let done = 0; done < bytes.length; )
        done += yield* writeSome(file, bytes, done, this.#write);
      yield* syncOf(file, this.#sync);
    } catch (cause) {
      // The old segment stays the current one, and the caller may try again when there is space.
      if (file !== -1) {
        this.#orBreak(() => {
          this.#files.truncate(file, 0);
          this.#files.close(file);
          // The next try must change the folder again: a sync that failed may have dropped the name.
          if (isReserved) this.#files.remove(behind);
        });
      }
      throw diskFault(cause, `a new segment ${path}`);
    }
    this.#file = file;
    this.#segment = segment;
    this.#salt = salt;
    this.#size = bytes.length;
    this.#syncedSize = bytes.length;
  }

  *#writing(bytes: Uint8Array): FileWork {
    let done = 0;
    try {
      while (done < bytes.length) done += yield* writeSome(this.#file, bytes, done, this.#write);
    } catch (cause) {
      // One writer per file, so everything behind #size is the torn beginning of this batch.
      if (done > 0) this.#orBreak(() => this.#files.truncate(this.#file, this.#size));
      throw diskFault(cause, `${bytes.length} more bytes in ${this.#path(this.#segment)}`);
    }
    this.#size += done;
  }

  *#syncingFolder(folder: string): FileWork {
    // A disk of a test has no folders that could be opened.
    if (this.#files === REAL_FILES) yield* syncOfFolder(folder);
    else this.#files.syncFolder(folder);
  }

  #orBreak(step: () => void): void {
    try {
      step();
    } catch (cause) {
      this.#state = "broken";
      throw cause;
    }
  }

  /** Cuts off what was never acknowledged: the next reader must not build on what may be in memory only. */
  #forgetUnsynced(): void {
    try {
      this.#files.truncate(this.#file, this.#syncedSize);
    } catch {
      // The disk refuses this, too: then the next reader finds the batch, or finds it torn.
    }
  }

  #mustBeOpen(): void {
    if (this.#state === "open") return;
    const path = this.#path(this.#segment);
    throw new OrbweaverError(
      "OW_JOURNAL",
      `the journal ${path} is ${this.#state}: nothing can be added`,
    );
  }

  #path(segment: number): string {
    return join(this.#options.folder, segmentName(this.#options.shard, segment));
  }
}

function randomSalt(): number {
  return randomBytes(4).readUInt32LE();
}
