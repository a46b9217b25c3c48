import { gzipSync } from "node:zlib";
import { crc32 } from "./crc32.ts";

// A call into zlib costs 5 us stored and 15-20 us deflated before the first byte (the handle and its
// 256 KB of tables); our own checksum costs 1.1 us per KB and zlib's 0.4. Hence the two borders.
const DEFLATE_FROM_BYTES = 2048;
const OWN_CHECKSUM_BELOW_BYTES = 6144;
const MAX_STORED_BLOCK = 0xffff;
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
const TRAILER_BYTES = 8;

/** The bytes as one gzip member made of stored blocks: for what is compressed already. */
export function storedMember(bytes: Uint8Array): Buffer {
  const blocks = Math.max(1, Math.ceil(bytes.length / MAX_STORED_BLOCK));
  const size = HEADER.length + 5 * blocks + bytes.length + TRAILER_BYTES;
  // Room for zlib's own block borders, so that it answers in one piece.
  if (bytes.length >= OWN_CHECKSUM_BELOW_BYTES)
    return gzipSync(bytes, { level: 0, chunkSize: size + (bytes.length >> 8) + 64 });
  const member = Buffer.allocUnsafe(size);
  member.set(HEADER);
  let at = HEADER.length;
  for (let block = 1; block <= blocks; block++) {
    const from = (block - 1) * MAX_STORED_BLOCK;
    const piece = bytes.subarray(from, from + MAX_STORED_BLOCK);
    member[at] = block === blocks ? 1 : 0;
    member.writeUInt16LE(piece.length, at + 1);
    member.writeUInt16LE(~piece.length & 0xffff, at + 3);
    member.set(piece, at + 5);
    at += 5 + piece.length;
  }
  member.writeUInt32LE(crc32(bytes), at);
  member.writeUInt32LE(bytes.length, at + 4);
  return member;
}

/** The bytes as one gzip member at this level; level 0 and small ones are stored. */
export function gzipMember(bytes: Uint8Array, level: number): Buffer {
  if (level === 0 || bytes.length < DEFLATE_FROM_BYTES) return storedMember(bytes);
  return gzipSync(bytes, { level, chunkSize: Math.max(4096, bytes.length >> 1) });
}
