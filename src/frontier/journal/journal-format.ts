import { crc32 } from "node:zlib";
import { readWide, writeWide, writeWord } from "../link/words.ts";

/*
 * The bytes of a journal; README.md has the picture. Everything is little-endian. A sequence number is written as
 * 64 bits and used as a double: 2^53 batches are enough.
 */

/** Bytes before the first batch of a segment. */
export const SEGMENT_HEADER_BYTES = 48;
/** Bytes before the events of a batch. */
export const BATCH_HEADER_BYTES = 32;
/** Checksum and commit marker. */
export const BATCH_TRAILER_BYTES = 8;
/** A longer batch is refused by the writer and taken for damage by the reader. */
export const MAX_EVENT_BYTES = 16 * 1024 * 1024;
/** Begins every batch: "OWB" and a byte no URL contains. */
export const BATCH_MAGIC = 0x0142574f;

const SEGMENT_MAGIC = Buffer.from("OWJOURNL", "latin1");
/** Links may have notes. */
const VERSION = 4;
/** The same without notes. */
const VERSION_WITHOUT_NOTES = 3;
/** Only its blocks for other shards have another layout (old-version.ts). */
const VERSION_BEFORE = 2;
const READABLE: readonly number[] = [VERSION, VERSION_WITHOUT_NOTES, VERSION_BEFORE];
const COMMIT_MARKER = 0x54494d43;

/** What the first bytes of a segment say. */
export interface SegmentHeader {
  readonly shard: number;
  readonly segment: number;
  /** Random per file: a batch that strayed here from another file does not pass the checksum. */
  readonly salt: number;
  /** Seeds of the fingerprints of this crawl. */
  readonly seedLow: number;
  readonly seedHigh: number;
  /** Number of the first batch; one more than the last of the segment before. */
  readonly firstSequence: number;
  readonly epoch: number;
}

/** A header as it was read. */
export interface FoundHeader extends SegmentHeader {
  /** The segment was written by the version before. */
  readonly isOld: boolean;
}

/** What the first bytes of a batch say. */
export interface BatchHeader {
  readonly eventBytes: number;
  readonly events: number;
  readonly sequence: number;
  /** The writer knew all batches up to this one to be synced: damage to those is never a torn tail. */
  readonly synced: number;
  readonly epoch: number;
}

/** The first bytes of a segment. */
export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
  SEGMENT_MAGIC.copy(bytes);
  bytes.writeUInt16LE(VERSION, 8);
  bytes.writeUInt16LE(header.shard, 10);
  bytes.writeUInt32LE(header.segment, 12);
  bytes.writeUInt32LE(header.salt, 16);
  bytes.writeUInt32LE(header.seedLow >>> 0, 20);
  bytes.writeUInt32LE(header.seedHigh >>> 0, 24);
  writeWide(bytes, 28, header.firstSequence);
  bytes.writeUInt32LE(header.epoch, 36);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 44)), 44);
  return bytes;
}

/** Reads the first bytes of a segment, or says what is wrong with them. */
export function decodeSegmentHeader(bytes: Buffer): FoundHeader | "damaged" | "version" {
  if (bytes.length < SEGMENT_HEADER_BYTES) return "damaged";
  if (SEGMENT_MAGIC.compare(bytes, 0, SEGMENT_MAGIC.length) !== 0) return "damaged";
  if (bytes.readUInt32LE(44) !== crc32(bytes.subarray(0, 44))) return "damaged";
  // After the checksum: a flipped byte is damage, not a program from the future.
  const version = bytes.readUInt16LE(8);
  if (!READABLE.includes(version)) return "version";
  return {
    shard: bytes.readUInt16LE(10),
    segment: bytes.readUInt32LE(12),
    salt: bytes.readUInt32LE(16),
    seedLow: bytes.readUInt32LE(20),
    seedHigh: bytes.readUInt32LE(24),
    firstSequence: readWide(bytes, 28),
    epoch: bytes.readUInt32LE(36),
    isOld: version === VERSION_BEFORE,
  };
}

/** Finds the byte that must be changed for the checksum to hold, by trying all; undefined when more than one is damaged. */
export function repairSegmentHeader(
  found: Buffer,
): { readonly header: FoundHeader; readonly offset: number; readonly value: number } | undefined {
  const bytes = Buffer.from(found);
  for (let offset = 0; offset < bytes.length; offset++) {
    const before = bytes[offset]!;
    for (let flip = 1; flip < 256; flip++) {
      const value = before ^ flip;
      bytes[offset] = value;
      const header = decodeSegmentHeader(bytes);
      if (typeof header !== "string") return { header, offset, value };
    }
    bytes[offset] = before;
  }
  return undefined;
}

/** Completes a batch whose events stand behind room for the header; returns its length. */
export function sealBatch(bytes: Buffer, header: BatchHeader, salt: number): number {
  const end = BATCH_HEADER_BYTES + header.eventBytes;
  writeWord(bytes, 0, BATCH_MAGIC);
  writeWord(bytes, 4, header.eventBytes);
  writeWide(bytes, 8, header.sequence);
  writeWide(bytes, 16, header.synced);
  writeWord(bytes, 24, header.epoch);
  writeWord(bytes, 28, header.events);
  writeWord(bytes, end, crc32(bytes.subarray(0, end), salt));
  writeWord(bytes, end + 4, COMMIT_MARKER);
  return end + BATCH_TRAILER_BYTES;
}

/** How long the batch at `at` claims to be, header and trailer included; 0 when no batch begins there. */
export function claimedLength(bytes: Buffer, at: number): number {
  if (bytes.readUInt32LE(at) !== BATCH_MAGIC) return 0;
  const eventBytes = bytes.readUInt32LE(at + 4);
  if (eventBytes > MAX_EVENT_BYTES) return 0;
  return BATCH_HEADER_BYTES + eventBytes + BATCH_TRAILER_BYTES;
}

/** True when the `length` bytes at `at` are a batch exactly as it was written to the file with this salt. */
export function isIntact(bytes: Buffer, at: number, length: number, salt: number): boolean {
  const end = at + length - BATCH_TRAILER_BYTES;
  if (bytes.readUInt32LE(end + 4) !== COMMIT_MARKER) return false;
  return bytes.readUInt32LE(end) === crc32(bytes.subarray(at, end), salt);
}

/** The header of an intact batch. */
export function decodeBatchHeader(bytes: Buffer, at: number): BatchHeader {
  return {
    eventBytes: bytes.readUInt32LE(at + 4),
    sequence: readWide(bytes, at + 8),
    synced: readWide(bytes, at + 16),
    epoch: bytes.readUInt32LE(at + 24),
    events: bytes.readUInt32LE(at + 28),
  };
}
