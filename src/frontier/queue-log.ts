import { DiskFullError } from "../errors.ts";
import { MAX_RECORD_BYTES, RECORD_HEAD_BYTES, recordLength, writeNext } from "./queue-record.ts";
import type { ScratchFile } from "./scratch-file.ts";

const CHUNK_BYTES = 1 << 20;
/** What is kept together. With many hosts the next record lies elsewhere, with few in the same page. */
const PAGE_BYTES = 1 << 12;
const CACHED_PAGES = 256;
/** The first time only this much is read from a record on: with many hosts the rest of the page is seldom used. */
const NEAR_BYTES = 512;
/** A page of the cache has room for a record that begins in it; most end within what is read of the page behind. */
const PAGE_SPAN = PAGE_BYTES + MAX_RECORD_BYTES;
const FIRST_SPAN = PAGE_BYTES + 256;

interface Chunk {
  /** Undefined while the chunk is on disk only. */
  bytes: Buffer | undefined;
  /** Its place in the file; -1 while it never left memory. */
  slot: number;
  /** Records in it that still wait. */
  live: number;
  used: number;
}

/** A piece of a chunk on disk. */
interface Page {
  readonly bytes: Buffer;
  /** Bytes that were read: from here up to there. */
  from: number;
  to: number;
}

/** A record where it lies: valid until the next call. */
export interface RecordView {
  bytes: Buffer;
  at: number;
}

/**
 * The queued URLs of a thread as records in one log. Hosts link their records to chains, so a chain costs no memory
 * beyond its two ends, and a queue of any length costs `memoryBytes`: the chunks that come first and the one being
 * filled are kept, those between lie in a scratch file and return page by page. A chunk without a waiting record is
 * given back, its place in the file too.
 */
export class QueueLog {
  readonly #openFile: () => ScratchFile;
  readonly #maxChunks: number;
  readonly #chunks = new Map<number, Chunk>();
  readonly #freeSlots: number[] = [];
  readonly #pages = new Map<number, Page>();
  readonly #view: RecordView = { bytes: Buffer.alloc(0), at: 0 };
  #file: ScratchFile | undefined;
  #slots = 0;
  #inMemory = 0;
  /** Chunks are numbered from 1, so that no record is at 0. */
  #last = 0;
  #tail: Chunk | undefined;
  /** Memory of the chunk that left last, for the next one. */
  #spare: Buffer | undefined;

  /** The file is opened when memory no longer suffices. */
  constructor(openFile: () => ScratchFile, memoryBytes: number) {
    this.#openFile = openFile;
    this.#maxChunks = Math.max(2, Math.floor(memoryBytes / CHUNK_BYTES));
  }

  /** Bytes of records held in memory. */
  get memoryBytes(): number {
    return this.#inMemory * CHUNK_BYTES;
  }

  /** Bytes in the scratch file. */
  get fileBytes(): number {
    return this.#slots * CHUNK_BYTES;
  }

  /** Room for the next record: write it to the view, then call `commit` with its length. */
  room(): RecordView {
    if (this.#tail === undefined || this.#tail.used + MAX_RECORD_BYTES > CHUNK_BYTES) {
      this.#startChunk();
    }
    this.#view.bytes = this.#tail!.bytes!;
    this.#view.at = this.#tail!.used;
    return this.#view;
  }

  /** Keeps the record just written; answers its reference. */
  commit(length: number): number {
    const tail = this.#tail!;
    const reference = this.#last * CHUNK_BYTES + tail.used;
    tail.used += length;
    tail.live++;
    return reference;
  }

  /** The record at a reference. */
  read(reference: number): RecordView {
    const number = Math.floor(reference / CHUNK_BYTES);
    const offset = reference % CHUNK_BYTES;
    const chunk = this.#chunks.get(number)!;
    if (chunk.bytes !== undefined) {
      this.#view.bytes = chunk.bytes;
      this.#view.at = offset;
    } else {
      const at = offset % PAGE_BYTES;
      const page = this.#page(pageKey(number, Math.floor(offset / PAGE_BYTES)));
      if (page.to === 0) this.#fill(page, chunk, offset - at, at, at + NEAR_BYTES);
      if (!isWhole(page, at)) this.#fill(page, chunk, offset - at, 0, FIRST_SPAN);
      if (!isWhole(page, at)) this.#fill(page, chunk, offset - at, 0, PAGE_SPAN);
      this.#view.bytes = page.bytes;
      this.#view.at = at;
    }
    return this.#view;
  }

  /** Lets the record point to the one that follows it in its chain. */
  link(reference: number, next: number): void {
    const number = Math.floor(reference / CHUNK_BYTES);
    const offset = reference % CHUNK_BYTES;
    const chunk = number === this.#last ? this.#tail! : this.#chunks.get(number)!;
    if (chunk.bytes !== undefined) {
      writeNext(chunk.bytes, offset, next);
      return;
    }
    const { bytes, at } = this.read(reference);
    writeNext(bytes, at, next);
    // The page in the cache has it already; the margin of the page before is never read for its beginning.
    this.#file!.write(bytes.subarray(at, at + 6), chunk.slot * CHUNK_BYTES + offset);
  }

  /** The record waits no longer. */
  free(reference: number): void {
    const number = Math.floor(reference / CHUNK_BYTES);
    const chunk = this.#chunks.get(number)!;
    if (--chunk.live > 0) return;
    if (chunk === this.#tail) {
      // Nothing waits: the chunk begins anew under the next number.
      this.#chunks.delete(number);
      this.#chunks.set(++this.#last, chunk);
      chunk.used = 0;
      return;
    }
    this.#chunks.delete(number);
    if (chunk.bytes !== undefined) this.#inMemory--;
    if (chunk.slot < 0) return;
    this.#freeSlots.push(chunk.slot);
    for (let page = 0; page * PAGE_BYTES < CHUNK_BYTES; page++) {
      this.#pages.delete(pageKey(number, page));
    }
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #startChunk(): void {
    const full = this.#tail;
    // The chunk just filled is read last, so it is the one to leave.
    if (full !== undefined && this.#inMemory >= this.#maxChunks) this.#spill(full);
    const bytes = this.#spare ?? Buffer.allocUnsafe(CHUNK_BYTES);
    this.#spare = undefined;
    this.#tail = { bytes, slot: -1, live: 0, used: 0 };
    this.#chunks.set(++this.#last, this.#tail);
    this.#inMemory++;
  }

  #spill(chunk: Chunk): void {
    const slot = this.#freeSlots.pop() ?? this.#slots++;
    try {
      this.#file ??= this.#openFile();
      this.#file.write(chunk.bytes!, slot * CHUNK_BYTES);
    } catch (fault) {
      if (!(fault instanceof DiskFullError)) throw fault;
      // Nothing is lost: the queue costs memory until there is space again.
      this.#freeSlots.push(slot);
      return;
    }
    chunk.slot = slot;
    this.#spare = chunk.bytes;
    chunk.bytes = undefined;
    this.#inMemory--;
  }

  /** The page of the cache; when it was not there nothing is in it yet. */
  #page(key: number): Page {
    let page = this.#pages.get(key);
    if (page !== undefined) return page;
    if (this.#pages.size >= CACHED_PAGES) {
      const [oldest, room] = this.#pages.entries().next().value!;
      this.#pages.delete(oldest);
      page = room;
    }
    page ??= { bytes: Buffer.allocUnsafe(PAGE_SPAN), from: 0, to: 0 };
    page.to = 0;
    this.#pages.set(key, page);
    return page;
  }

  /** Reads a part of the page that begins at `start` of its chunk, as far as the chunk has it. */
  #fill(page: Page, chunk: Chunk, start: number, from: number, to: number): void {
    page.from = from;
    page.to = Math.min(to, PAGE_SPAN, CHUNK_BYTES - start);
    this.#file!.read(page.bytes, chunk.slot * CHUNK_BYTES + start + from, from, page.to);
  }
}

/** True when the record that begins here was read to its end. */
function isWhole({ bytes, from, to }: Page, at: number): boolean {
  return at >= from && at + RECORD_HEAD_BYTES <= to && at + recordLength(bytes, at) <= to;
}

function pageKey(chunk: number, page: number): number {
  return chunk * (CHUNK_BYTES / PAGE_BYTES) + page;
}
