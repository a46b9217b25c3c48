import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { AppendFile } from "../files/append-file.ts";

const COPY_BYTES = 1024 * 1024;
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const VERSION_64 = 45;
const VERSION = 20;
/** Names are UTF-8. */
const UTF8_FLAG = 0x0800;

/** What a file is made of, for lists of resources. */
export interface Resource {
  readonly path: string;
  /** "sha256:" and hexadecimal. */
  readonly hash: string;
  readonly bytes: number;
}

interface Entry extends Resource {
  readonly crc: number;
  readonly offset: number;
}

/**
 * Writes a zip whose entries are stored, not compressed: readers of web archives fetch single records out of it by
 * offset. The forms for large files (zip64) are used where a number does not fit 32 bits, and only there.
 */
export class ZipWriter {
  readonly #out: AppendFile;
  readonly #entries: Entry[] = [];
  readonly #time: number;
  readonly #limit: number;

  /** `limit` is what a 32-bit field may hold; tests lower it to see the large forms without large files. */
  constructor(out: AppendFile, wallMs: number, limit = MAX_32) {
    this.#out = out;
    this.#time = dosTime(new Date(wallMs));
    this.#limit = limit;
  }

  /** Adds a file from disk: read twice, once for its digest, once to copy it. */
  addFile(path: string, source: string): Resource {
    const hash = createHash("sha256");
    let [crc, bytes] = [0, 0];
    for (const chunk of chunksOf(source)) {
      hash.update(chunk);
      crc = crc32(chunk, crc);
      bytes += chunk.length;
    }
    const entry = this.#begin(path, crc, bytes, hash.digest("hex"));
    let copied = 0;
    for (const chunk of chunksOf(source)) {
      copied += chunk.length;
      this.#out.write(chunk);
    }
    if (copied !== bytes) throw new Error(`${source} changed while it was packed`);
    return entry;
  }

  /** Adds a file from memory. */
  addBytes(path: string, content: Uint8Array): Resource {
    const hash = createHash("sha256").update(content).digest("hex");
    const entry = this.#begin(path, crc32(content), content.length, hash);
    this.#out.write(content);
    return entry;
  }

  /** Writes the directory; nothing can be added afterwards. */
  finish(): void {
    const start = this.#out.size;
    for (const entry of this.#entries) this.#out.write(this.#central(entry));
    const size = this.#out.size - start;
    const count = this.#entries.length;
    if (start > this.#limit || size > this.#limit || count > MAX_16)
      this.#end64(start, size, count);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(END, 0);
    end.writeUInt16LE(Math.min(count, MAX_16), 8);
    end.writeUInt16LE(Math.min(count, MAX_16), 10);
    end.writeUInt32LE(this.#or32(size), 12);
    end.writeUInt32LE(this.#or32(start), 16);
    this.#out.write(end);
  }

  #begin(path: string, crc: number, bytes: number, hash: string): Resource {
    const entry = { path, crc, bytes, hash: `sha256:${hash}`, offset: this.#out.size };
    this.#entries.push(entry);
    const name = Buffer.from(path);
    const extra = bytes > this.#limit ? wideExtra(bytes, bytes) : Buffer.alloc(0);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(LOCAL, 0);
    head.writeUInt16LE(extra.length > 0 ? VERSION_64 : VERSION, 4);
    head.writeUInt16LE(UTF8_FLAG, 6);
    head.writeUInt32LE(this.#time, 10);
    head.writeUInt32LE(crc, 14);
    head.writeUInt32LE(this.#or32(bytes), 18);
    head.writeUInt32LE(this.#or32(bytes), 22);
    head.writeUInt16LE(name.length, 26);
    head.writeUInt16LE(extra.length, 28);
    this.#out.write(Buffer.concat([head, name, extra]));
    return { path, hash: entry.hash, bytes };
  }

  #central({ path, crc, bytes, offset }: Entry): Buffer {
    const name = Buffer.from(path);
    const wide = [
      ...(bytes > this.#limit ? [bytes, bytes] : []),
      ...(offset > this.#limit ? [offset] : []),
    ];
    const extra = wide.length > 0 ? wideExtra(...wide) : Buffer.alloc(0);
    const head = Buffer.alloc(46);
    head.writeUInt32LE(CENTRAL, 0);
    head.writeUInt16LE(extra.length > 0 ? VERSION_64 : VERSION, 4);
    head.writeUInt16LE(extra.length > 0 ? VERSION_64 : VERSION, 6);
    head.writeUInt16LE(UTF8_FLAG, 8);
    head.writeUInt32LE(this.#time, 12);
    head.writeUInt32LE(crc, 16);
    head.writeUInt32LE(this.#or32(bytes), 20);
    head.writeUInt32LE(this.#or32(bytes), 24);
    head.writeUInt16LE(name.length, 28);
    head.writeUInt16LE(extra.length, 30);
    head.writeUInt32LE(this.#or32(offset), 42);
    return Buffer.concat([head, name, extra]);
  }

  #end64(start: number, size: number, count: number): void {
    const at = this.#out.size;
    const bytes = Buffer.alloc(56 + 20);
    bytes.writeUInt32LE(END_64, 0);
    bytes.writeBigUInt64LE(44n, 4);
    bytes.writeUInt16LE(VERSION_64, 12);
    bytes.writeUInt16LE(VERSION_64, 14);
    bytes.writeBigUInt64LE(BigInt(count), 24);
    bytes.writeBigUInt64LE(BigInt(count), 32);
    bytes.writeBigUInt64LE(BigInt(size), 40);
    bytes.writeBigUInt64LE(BigInt(start), 48);
    bytes.writeUInt32LE(LOCATOR_64, 56);
    bytes.writeBigUInt64LE(BigInt(at), 64);
    bytes.writeUInt32LE(1, 72);
    this.#out.write(bytes);
  }

  /** A number, or the mark that the extra field has it. */
  #or32(value: number): number {
    return value > this.#limit ? MAX_32 : value;
  }
}

function wideExtra(...values: number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [i, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
  return extra;
}

/** Date and time as zip has them: two seconds are the smallest step, 1980 the first year. */
function dosTime(date: Date): number {
  const day =
    ((Math.max(1980, date.getUTCFullYear()) - 1980) << 9) |
    ((date.getUTCMonth() + 1) << 5) |
    date.getUTCDate();
  const time =
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}

function* chunksOf(path: string): Generator<Buffer, void> {
  const file = openSync(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(COPY_BYTES);
    for (;;) {
      const got = readSync(file, chunk, 0, COPY_BYTES, null);
      if (got === 0) return;
      yield chunk.subarray(0, got);
    }
  } finally {
    closeSync(file);
  }
}
