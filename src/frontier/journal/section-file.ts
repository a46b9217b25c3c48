import { crc32 } from "node:zlib";
import { StoreCorruptError } from "../../errors.ts";
import type { JournalFiles } from "./journal-files.ts";
import { SegmentWindow } from "./segment-window.ts";

/*
 * A file of sections, each with its own checksum, so that damage is located and the file can be of any size:
 *
 *   kind 8 | length 32 | body | CRC-32 of all before, begun with the offset of the section 32
 *
 * The last section has kind 255 and an empty body: a file without it is not finished.
 */

const HEAD_BYTES = 5;
const SUM_BYTES = 4;
const END = 255;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const WRITE_BYTES = 256 * 1024;

/** A section where it lies in memory; valid until the next one is asked for. */
export interface Section {
  readonly kind: number;
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  /** Where it begins in the file, and where its body does. */
  readonly offset: number;
  readonly bodyAt: number;
}

/** Writes sections one after the other in bounded memory. */
export class SectionWriter {
  readonly #files: JournalFiles;
  readonly #file: number;
  #buffer = Buffer.allocUnsafe(2 * WRITE_BYTES);
  #used = 0;
  #offset = 0;

  constructor(files: JournalFiles, path: string) {
    this.#files = files;
    this.#file = files.create(path);
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#offset;
  }

  add(kind: number, body: Uint8Array): void {
    const total = HEAD_BYTES + body.length + SUM_BYTES;
    if (this.#used + total > this.#buffer.length) {
      this.#flush();
      if (total > this.#buffer.length) this.#buffer = Buffer.allocUnsafe(2 * total);
    }
    const at = this.#used;
    this.#buffer[at] = kind;
    this.#buffer.writeUInt32LE(body.length, at + 1);
    this.#buffer.set(body, at + HEAD_BYTES);
    const end = at + HEAD_BYTES + body.length;
    this.#buffer.writeUInt32LE(sumOf(this.#buffer, at, end, this.#offset), end);
    this.#used += total;
    this.#offset += total;
    if (this.#used >= WRITE_BYTES) this.#flush();
  }

  /** Ends the file and makes its content durable. */
  finish(): void {
    this.add(END, new Uint8Array(0));
    this.#flush();
    this.#files.sync(this.#file);
    this.#files.close(this.#file);
  }

  #flush(): void {
    const bytes = this.#buffer.subarray(0, this.#used);
    for (let done = 0; done < bytes.length; ) done += this.#files.write(this.#file, bytes, done);
    this.#used = 0;
  }
}

/**
 * All sections of a file in order; throws StoreCorruptError with the place when something is not what was written.
 * `checked`: the file was read to its end before and has not changed, so checksums are not computed again.
 */
export function* readSections(path: string, checked = false): Generator<Section> {
  const window = new SegmentWindow(path);
  try {
    for (let offset = 0; ; ) {
      const head = window.at(offset, HEAD_BYTES);
      if (head < 0) throw new StoreCorruptError(`${path}:${offset}: the file is cut off`);
      const length = window.bytes.readUInt32LE(head + 1);
      const total = HEAD_BYTES + length + SUM_BYTES;
      const at = length > MAX_BODY_BYTES ? -1 : window.at(offset, total);
      const end = at + HEAD_BYTES + length;
      const isWhole =
        at >= 0 &&
        (checked || window.bytes.readUInt32LE(end) === sumOf(window.bytes, at, end, offset));
      if (!isWhole) {
        throw new StoreCorruptError(`${path}:${offset}: the checksum of the section does not hold`);
      }
      const kind = window.bytes[at]!;
      if (kind === END) {
        if (offset + total === window.size) return;
        throw new StoreCorruptError(`${path}:${offset + total}: bytes behind the end`);
      }
      const bodyAt = offset + HEAD_BYTES;
      yield { kind, bytes: window.bytes, from: at + HEAD_BYTES, to: end, offset, bodyAt };
      offset += total;
    }
  } finally {
    window.close();
  }
}

/** Whether a file of sections has its last one: one that was cut off has not. */
export function hasEnd(path: string): boolean {
  const window = new SegmentWindow(path);
  try {
    const offset = window.size - HEAD_BYTES - SUM_BYTES;
    const at = offset < 0 ? -1 : window.at(offset, HEAD_BYTES + SUM_BYTES);
    if (at < 0 || window.bytes[at] !== END) return false;
    const end = at + HEAD_BYTES;
    return window.bytes.readUInt32LE(end) === sumOf(window.bytes, at, end, offset);
  } finally {
    window.close();
  }
}

function sumOf(bytes: Buffer, from: number, to: number, offset: number): number {
  return crc32(bytes.subarray(from, to), offset >>> 0);
}
