import { DiskFullError } from "../../errors.ts";
import type { ScratchFile } from "../../runtime/scratch-file.ts";
import { MAX_RECORD_BYTES, RECORD_HEAD_BYTES, recordLength, writeNext } from "./queue-record.ts";
import { READ_BYTES, ReadAhead } from "./read-ahead.ts";

const CHUNK_BYTES = 1 << 20;
/** What is kept together of a chunk on disk. */
const PAGE_BYTES = 1 << 12;
/** What is kept of pages on disk, in units of the memory for chunks. */
const READ_AHEAD_SHARE = 4;

interface Chunk {
  /** Undefined while the chunk is on disk only. */
  bytes: Buffer | undefined;
  /** Its place in the file; -1 while it never left memory. */
  slot: number;
  /** Records in it that still wait. */
  live: number;
  used: number;
}

/** A record where it lies: valid until the next call. */
export interface RecordView {
  bytes: Buffer;
  at: number;
}

/**
 * The queued URLs of a thread as records in one log. Hosts link their records to chains, so a chain costs no memory
 * beyond its two ends, and a queue of any length costs `memoryBytes`, and with many hosts four times as much beside: the
 * chunks that come first and the one being filled are kept, those between lie in a scratch file and return a few
 * records at a time. A chunk without a waiting record is given back, its place in the file too.
 */
export class QueueLog {
  readonly #openFile: () => ScratchFile;
  readonly #maxChunks: number;
  readonly #chunks = new Map<number, Chunk>();
  readonly #freeSlots: number[] = [];
  readonly #readAhead: ReadAhead;
  /** A record that is longer than what is read at once. */
  #long: Buffer | undefined;
  readonly #view: RecordView = { bytes: Buffer.alloc(0), at: 0 };
  #file: ScratchFile | undefined;
  #slots = 0;
  #inMemory = 0;
  /** Chunks are numbered from 1, so that no record is at 0. */
  #last = 0;
  #tail: Chunk | undefined;
  /** Memory of the chunk that was spilled last, for the next one. */
  #reusable: Buffer | undefined;

  /** The file is opened when memory no longer suffices. */
  constructor(openFile: () => ScratchFile, memoryBytes: number) {
    this.#openFile = openFile;
    this.#maxChunks = Math.max(2, Math.floor(memoryBytes / CHUNK_BYTES));
    this.#readAhead = new ReadAhead(READ_AHEAD_SHARE * memoryBytes);
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

  /** Keeps the record just written, behind the one at `before` in its chain if that is not 0; returns its reference. */
  commit(length: number, before = 0): number {
    const tail = this.#tail!;
    const reference = this.#last * CHUNK_BYTES + tail.used;
    tail.used += length;
    tail.live++;
    if (before === 0) return reference;
    const number = Math.floor(before / CHUNK_BYTES);
    const offset = before % CHUNK_BYTES;
    const chunk = number === this.#last ? tail : this.#chunks.get(number)!;
    if (chunk.bytes !== undefined) writeNext(chunk.bytes, offset, reference);
    else this.#linkInFile(number, chunk, offset, reference);
    return reference;
  }

  /** Takes the record at a reference, which waits no longer. */
  take(reference: number): RecordView {
    const number = Math.floor(reference / CHUNK_BYTES);
    const offset = reference % CHUNK_BYTES;
    const chunk = this.#chunks.get(number)!;
    if (chunk.bytes !== undefined) {
      this.#view.bytes = chunk.bytes;
      this.#view.at = offset;
    } else this.#readFile(number, chunk, offset);
    if (--chunk.live === 0) this.#giveBack(number, chunk);
    return this.#view;
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #linkInFile(number: number, chunk: Chunk, offset: number, next: number): void {
    this.#readFile(number, chunk, offset);
    const { bytes, at } = this.#view;
    writeNext(bytes, at, next);
    // What is kept of the page has it already; what is kept of the page before is never read for its beginning.
    this.#file!.write(bytes.subarray(at, at + 6), chunk.slot * CHUNK_BYTES + offset);
  }

  /** Nothing of the chunk waits: what was taken from it is valid until the next record is written. */
  #giveBack(number: number, chunk: Chunk): void {
    this.#chunks.delete(number);
    if (chunk === this.#tail) {
      // It begins anew under the next number.
      this.#chunks.set(++this.#last, chunk);
      chunk.used = 0;
      return;
    }
    if (chunk.bytes !== undefined) this.#inMemory--;
    if (chunk.slot < 0) return;
    this.#freeSlots.push(chunk.slot);
    for (let page = 0; page * PAGE_BYTES < CHUNK_BYTES; page++) {
      this.#readAhead.forget(pageKey(number, page));
    }
  }

  #startChunk(): void {
    const full = this.#tail;
    // The chunk just filled is read last, so it is the one to leave.
    if (full !== undefined && this.#inMemory >= this.#maxChunks) this.#spill(full);
    const bytes = this.#reusable ?? Buffer.allocUnsafe(CHUNK_BYTES);
    this.#reusable = undefined;
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
    this.#reusable = chunk.bytes;
    chunk.bytes = undefined;
    this.#inMemory--;
  }

  /** Lets the view show a record of a chunk that is on disk. */
  #readFile(number: number, chunk: Chunk, offset: number): void {
    const view = this.#view;
    const key = pageKey(number, Math.floor(offset / PAGE_BYTES));
    const at = offset % PAGE_BYTES;
    if (isWhole(view, this.#readAhead.find(key, at, view))) return;
    const file = this.#file!;
    const from = chunk.slot * CHUNK_BYTES + offset;
    const length = Math.min(READ_BYTES, CHUNK_BYTES - offset);
    const known = this.#readAhead.fill(key, at, length, view, (into, start, end) =>
      file.read(into, from, start, end),
    );
    if (isWhole(view, known)) return;
    // Nothing of it may be kept that a link would not reach.
    this.#readAhead.forget(key);
    this.#long ??= Buffer.allocUnsafe(MAX_RECORD_BYTES);
    file.read(this.#long, from, 0, Math.min(MAX_RECORD_BYTES, CHUNK_BYTES - offset));
    view.bytes = this.#long;
    view.at = 0;
  }
}

/** True when all of the record is among so many bytes. */
function isWhole({ bytes, at }: RecordView, known: number): boolean {
  return known >= RECORD_HEAD_BYTES && recordLength(bytes, at) <= known;
}

function pageKey(chunk: number, page: number): number {
  return chunk * (CHUNK_BYTES / PAGE_BYTES) + page;
}
