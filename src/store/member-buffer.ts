import { crc32, gzipSync } from "node:zlib";

/** What fits one stored block is framed here: starting zlib costs 5 us and a copy. */
export const MAX_STORED_BLOCK_BYTES = 0xffff;
/** Every member begins with these bytes, whatever zlib and the system would write: so a flipped one is known. */
export const MEMBER_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** Kind, length, and length once more. */
export const STORED_BLOCK_HEADER_BYTES = 5;
/** Checksum and length of the content. */
export const TRAILER_BYTES = 8;
/** All that stands around content in one stored block. */
export const FRAME_BYTES = MEMBER_HEADER.length + STORED_BLOCK_HEADER_BYTES + TRAILER_BYTES;
const FIRST_BYTES = 64 * 1024;
const MAX_CHUNK_BYTES = 1024 * 1024;
// glibc maps large pieces one by one, but when it takes one of up to 32 MiB back it keeps pieces of that size from then
// on (mallopt, M_MMAP_THRESHOLD). A larger piece always goes back to the system, and what is not touched costs nothing.
const UNMAPPED_BYTES = 33 * 1024 * 1024;
const RECORD_END = "\r\n\r\n";
// Two large captures are not far apart; beyond this, memory is given back.
const KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Collects records as gzip members in one piece of memory until they are written with one call, and
 * is then used again: a small record is framed where it stands, without a buffer of its own.
 */
export class MemberBuffer {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

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
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }

  /**
   * Adds a WARC 1.1 record as one gzip member and answers the member's length. The fields are lines
   * "Name: value\r\n" of ASCII whose values went through safe-text; Content-Length, which frames
   * the block, is added here. Level 0 stores.
   */
  add(fields: string, block: readonly Uint8Array[], level: number): number {
    let blockBytes = 0;
    for (const part of block) blockBytes += part.length;
    const header = `WARC/1.1\r\n${fields}Content-Length: ${blockBytes}\r\n\r\n`;
    const size = header.length + blockBytes + RECORD_END.length;
    this.#reserve(size + FRAME_BYTES);
    const start = this.#length;
    const from = start + MEMBER_HEADER.length + STORED_BLOCK_HEADER_BYTES;
    this.#writeRecord(from, header, block);
    if (level === 0 && size <= MAX_STORED_BLOCK_BYTES) {
      this.#frame(start, from, size);
      this.#length = from + size + TRAILER_BYTES;
    } else {
      const record = this.#bytes.subarray(from, from + size);
      // Room for the whole answer, so that zlib gives it in one piece: stored blocks add 5 bytes each. Of a large
      // piece only what is written to costs memory.
      const whole = size + (size >> 8) + 64;
      const room =
        size > MAX_CHUNK_BYTES
          ? Math.max(whole, UNMAPPED_BYTES)
          : level === 0
            ? whole
            : Math.max(4096, size >> 1);
      const member = gzipSync(record, { level, chunkSize: room });
      this.#reserve(member.length);
      this.#bytes.set(member, start);
      this.#bytes.set(MEMBER_HEADER, start);
      this.#length = start + member.length;
    }
    return this.#length - start;
  }

  #writeRecord(from: number, header: string, block: readonly Uint8Array[]): void {
    let at = from + this.#bytes.write(header, from, "latin1");
    for (const part of block) {
      this.#bytes.set(part, at);
      at += part.length;
    }
    this.#bytes.write(RECORD_END, at, "latin1");
  }

  /** Makes the record at `from` the one stored block of a gzip member that begins at `start`. */
  #frame(start: number, from: number, size: number): void {
    const bytes = this.#bytes;
    bytes.set(MEMBER_HEADER, start);
    const at = start + MEMBER_HEADER.length;
    bytes[at] = 1; // last block, stored
    bytes.writeUInt16LE(size, at + 1);
    bytes.writeUInt16LE(~size & 0xffff, at + 3);
    bytes.writeUInt32LE(crc32(bytes.subarray(from, from + size)), from + size);
    bytes.writeUInt32LE(size, from + size + 4);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    // Beyond a megabyte all at once: untouched memory costs nothing, large pieces that come and go do.
    const grown = needed > MAX_CHUNK_BYTES ? KEPT_BYTES : 2 * this.#bytes.length;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, grown));
    larger.set(this.bytes);
    this.#bytes = larger;
  }
}
