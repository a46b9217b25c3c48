import { crc32 } from "node:zlib";
import { copyShared } from "../../runtime/copy-shared.ts";
import { Compressor } from "./compressor.ts";
import { sha1 } from "./digest.ts";

/** Stored blocks are framed here: starting zlib costs 10 us and a copy. */
const MAX_STORED_BLOCK_BYTES = 0xffff;
/** Every member begins with these bytes, whatever zlib would write: so a flipped one can be recognised. */
export const MEMBER_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** Kind, length, and length once more. */
export const STORED_BLOCK_HEADER_BYTES = 5;
/** Checksum and length of the content. */
export const TRAILER_BYTES = 8;
const FIRST_BYTES = 64 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;
const RECORD_END = "\r\n\r\n";
const VERSION = "WARC/1.1\r\n";
/** The line of the block's digest, without its end: name, algorithm, base 32. */
const DIGEST_BYTES = "WARC-Block-Digest: sha1:".length + 32;
// Two large captures are not far apart; beyond this, memory is given back.
const KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Collects records as gzip members in one piece of memory until they are written with one call, and is then used again:
 * a small record is framed in place, without a buffer of its own.
 */
export class MemberBuffer {
  #bytes = newBytes(FIRST_BYTES);
  #length = 0;
  readonly #compressor = new Compressor();
  #deflateLinks: ((record: Uint8Array) => Uint8Array | undefined) | undefined;

  /** Records that are lists of links are compressed by this, where it answers a member. */
  deflateBy(deflate: (record: Uint8Array) => Uint8Array | undefined): void {
    this.#deflateLinks = deflate;
  }

  /** Bytes of all members so far. */
  get length(): number {
    return this.#length;
  }

  /** The members, one after the other; valid until the next change. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Forgets what was added since it had that length. */
  cut(length: number): void {
    this.#length = length;
  }

  /** Forgets the members, and memory that only a large capture needed. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = newBytes(FIRST_BYTES);
  }

  /**
   * Adds a WARC 1.1 record as one gzip member and answers the member's length. The fields are lines
   * "Name: value\r\n" of ASCII whose values went through safe-text; the digest of the block and
   * Content-Length, which frames it, are added here. Texts become UTF-8. Level 0 stores.
   */
  add(
    fields: string,
    block: readonly (Uint8Array | string)[],
    level: number,
    isLinks = false,
  ): number {
    let blockBytes = 0;
    for (const part of block)
      blockBytes += typeof part === "string" ? Buffer.byteLength(part) : part.length;
    const length = `\r\nContent-Length: ${blockBytes}\r\n\r\n`;
    const blockAt = VERSION.length + fields.length + DIGEST_BYTES + length.length;
    const size = blockAt + blockBytes + RECORD_END.length;
    const blocks = Math.ceil(size / MAX_STORED_BLOCK_BYTES);
    this.#reserve(size + MEMBER_HEADER.length + blocks * STORED_BLOCK_HEADER_BYTES + TRAILER_BYTES);
    const start = this.#length;
    const from = start + MEMBER_HEADER.length + blocks * STORED_BLOCK_HEADER_BYTES;
    this.#writeBlock(from + blockAt, block);
    // Where it stands the block is one piece, so its digest takes one call.
    const digest = sha1(this.#bytes.subarray(from + blockAt, from + blockAt + blockBytes));
    const header = `${VERSION}${fields}WARC-Block-Digest: ${digest}${length}`;
    this.#bytes.latin1Write(header, from, header.length);
    this.#length =
      level === 0
        ? this.#store(start, from, size)
        : this.#deflate(start, from, size, level, isLinks);
    return this.#length - start;
  }

  /** Adds whole members. */
  put(members: Uint8Array): void {
    this.#reserve(members.length);
    this.#bytes.set(members, this.#length);
    this.#length += members.length;
  }

  /** Compresses a record; the member is valid until the next call. */
  compress(record: Uint8Array, level: number): Uint8Array {
    const member = this.#compressor.member(record, level);
    member.set(MEMBER_HEADER);
    return member;
  }

  #writeBlock(from: number, block: readonly (Uint8Array | string)[]): void {
    let at = from;
    for (const part of block) {
      if (typeof part === "string") at += this.#bytes.utf8Write(part, at);
      else {
        copyShared(part, this.#bytes, at);
        at += part.length;
      }
    }
    this.#bytes.latin1Write(RECORD_END, at, RECORD_END.length);
  }

  /** Compresses the record at `from` to `start`; answers where the member ends. */
  #deflate(start: number, from: number, size: number, level: number, isLinks: boolean): number {
    const record = this.#bytes.subarray(from, from + size);
    const member =
      (isLinks ? this.#deflateLinks?.(record) : undefined) ?? this.compress(record, level);
    this.#reserve(member.length);
    this.#bytes.set(member, start);
    return start + member.length;
  }

  /** Frames the record at `from` where it stands, as stored blocks of a member; answers where that ends. */
  #store(start: number, from: number, size: number): number {
    const bytes = this.#bytes;
    const sum = crc32(bytes.subarray(from, from + size));
    for (let i = 0; i < MEMBER_HEADER.length; i++) bytes[start + i] = MEMBER_HEADER[i]!;
    let at = start + MEMBER_HEADER.length;
    for (let read = from; ; ) {
      const left = from + size - read;
      const count = Math.min(left, MAX_STORED_BLOCK_BYTES);
      const isLast = count === left;
      const to = at + STORED_BLOCK_HEADER_BYTES;
      // The room before the record is that of all block headers: each piece moves up behind its own.
      if (to !== read) bytes.copyWithin(to, read, read + count);
      bytes[at] = isLast ? 1 : 0;
      bytes[at + 1] = count;
      bytes[at + 2] = count >> 8;
      bytes[at + 3] = ~count;
      bytes[at + 4] = ~count >> 8;
      at = to + count;
      read += count;
      if (isLast) break;
    }
    putWord(bytes, at, sum);
    putWord(bytes, at + 4, size);
    return at + TRAILER_BYTES;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    // Beyond a megabyte all at once: untouched memory costs nothing, large pieces that come and go do.
    const grown = needed > MAX_CHUNK_BYTES ? KEPT_BYTES : 2 * this.#bytes.length;
    const larger = newBytes(Math.max(needed, grown));
    larger.set(this.bytes);
    this.#bytes = larger;
  }
}

/** By hand: the checks of `writeUInt32LE` cost more than it does. */
function putWord(bytes: Buffer, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

/** What `write` calls after checks that cost a short text as much again. */
type WritableBuffer = Buffer & {
  latin1Write(text: string, at: number, length: number): number;
  utf8Write(text: string, at: number): number;
};

function newBytes(count: number): WritableBuffer {
  return Buffer.allocUnsafeSlow(count) as WritableBuffer;
}
