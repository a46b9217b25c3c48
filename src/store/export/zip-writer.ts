import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { AppendFile } from "../files/append-file.ts";
import { chunksOf } from "../files/read-file.ts";

/** What each part begins with. */
const SIGNATURE = {
  local: 0x04034b50,
  central: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
};
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const VERSION_64 = 45;
const VERSION = 20;
/** Names are UTF-8. */
const UTF8_FLAG = 0x0800;
const STORED = 0;

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
    return this.#add(path, () => chunksOf(source));
  }

  /** Adds a file from memory. */
  addBytes(path: string, content: Uint8Array): Resource {
    return this.#add(path, () => [content]);
  }

  /** Writes the directory; nothing can be added afterwards. */
  finish(): void {
    const start = this.#out.size;
    for (const entry of this.#entries) this.#writeCentral(entry);
    const size = this.#out.size - start;
    const count = this.#entries.length;
    if (start > this.#limit || size > this.#limit || count > MAX_16)
      this.#writeEnd64(start, size, count);
    const count16 = Math.min(count, MAX_16);
    this.#write(
      [4, SIGNATURE.end],
      [2, 0],
      [2, 0],
      [2, count16],
      [2, count16],
      [4, this.#or32(size)],
      [4, this.#or32(start)],
      [2, 0],
    );
  }

  #add(path: string, read: () => Iterable<Uint8Array>): Resource {
    const hash = createHash("sha256");
    let [crc, bytes] = [0, 0];
    for (const chunk of read()) {
      hash.update(chunk);
      crc = crc32(chunk, crc);
      bytes += chunk.length;
    }
    const resource = { path, hash: `sha256:${hash.digest("hex")}`, bytes };
    this.#entries.push({ ...resource, crc, offset: this.#out.size });
    const name = Buffer.from(path);
    const wide = bytes > this.#limit ? wideExtra(bytes, bytes) : [];
    this.#write([4, SIGNATURE.local], ...this.#common(crc, bytes, name, wide), name, ...wide);
    const from = this.#out.size;
    for (const chunk of read()) this.#out.write(chunk);
    if (this.#out.size - from !== bytes) throw new Error(`${path} changed while it was packed`);
    return resource;
  }

  #writeCentral({ path, crc, bytes, offset }: Entry): void {
    const name = Buffer.from(path);
    const large = bytes > this.#limit ? [bytes, bytes] : [];
    if (offset > this.#limit) large.push(offset);
    const wide = large.length > 0 ? wideExtra(...large) : [];
    this.#write(
      [4, SIGNATURE.central],
      [2, wide.length > 0 ? VERSION_64 : VERSION],
      ...this.#common(crc, bytes, name, wide),
      // Comment, disk, attributes inside and outside.
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, this.#or32(offset)],
      name,
      ...wide,
    );
  }

  /** What the header of a file and its entry in the directory have in common. */
  #common(crc: number, bytes: number, name: Buffer, wide: readonly Field[]): Field[] {
    return [
      [2, wide.length > 0 ? VERSION_64 : VERSION],
      [2, UTF8_FLAG],
      [2, STORED],
      [4, this.#time],
      [4, crc],
      [4, this.#or32(bytes)],
      [4, this.#or32(bytes)],
      [2, name.length],
      [2, lengthOf(wide)],
    ];
  }

  #writeEnd64(start: number, size: number, count: number): void {
    const at = this.#out.size;
    this.#write([4, SIGNATURE.end64], [8, 44], [2, VERSION_64], [2, VERSION_64], [4, 0], [4, 0]);
    this.#write([8, count], [8, count], [8, size], [8, start]);
    this.#write([4, SIGNATURE.locator64], [4, 0], [8, at], [4, 1]);
  }

  #write(...fields: readonly Field[]): void {
    const bytes = Buffer.alloc(lengthOf(fields));
    let at = 0;
    for (const field of fields) {
      if (field instanceof Uint8Array) bytes.set(field, at);
      else if (field[0] === 8) bytes.writeBigUInt64LE(BigInt(field[1]), at);
      else bytes.writeUIntLE(field[1], at, field[0]);
      at += lengthOf([field]);
    }
    this.#out.write(bytes);
  }

  /** A number, or the mark that the extra field has it. */
  #or32(value: number): number {
    return value > this.#limit ? MAX_32 : value;
  }
}

/** Bytes, or a number with its width. */
type Field = Uint8Array | readonly [bytes: 2 | 4 | 8, value: number];

function lengthOf(fields: readonly Field[]): number {
  return fields.reduce(
    (sum, each) => sum + (each instanceof Uint8Array ? each.length : each[0]),
    0,
  );
}

/** The extra field for numbers that do not fit 32 bits. */
function wideExtra(...values: readonly number[]): Field[] {
  return [[2, 1], [2, 8 * values.length], ...values.map((value): Field => [8, value])];
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
