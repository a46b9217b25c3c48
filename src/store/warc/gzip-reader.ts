import { constants, crc32, inflateRawSync } from "node:zlib";
import type { FileWindow } from "../files/file-window.ts";

const FIRST_LOOK_BYTES = 64 * 1024;
const TRAILER_BYTES = 8;
const MAX_HEADER_BYTES = 66 * 1024;
const PROBE_BYTES = 4096;
const MAGIC = Buffer.of(0x1f, 0x8b, 8);
const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16 } as const;

/** One gzip member of a file, or the reason why it cannot be read. */
export type Member = { bytes: Buffer; length: number } | { problem: string };

interface Inflated {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

/** Length of the member's header (RFC 1952, 2.3); 0 when it is not one, NaN when it goes on. */
function headerLength(bytes: Buffer): number {
  if (bytes.length < 10) return Number.NaN;
  const flags = bytes[3]!;
  if (!bytes.subarray(0, 3).equals(MAGIC) || (flags & 0xe0) !== 0) return 0;
  let at = 10;
  if (flags & FLAG.extra) at += 2 + (bytes.length >= 12 ? bytes.readUInt16LE(10) : 0);
  for (const flag of [FLAG.name, FLAG.comment]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end < 0) return Number.NaN;
    at = end + 1;
  }
  if (flags & FLAG.headerCrc) at += 2;
  return at > bytes.length ? Number.NaN : at;
}

/** Reads the member at the offset, as much of the file as it takes; with `header`, as if it began with that. */
export function readMember(
  file: FileWindow,
  offset: number,
  maxBytes: number,
  header?: Uint8Array,
): Member {
  for (let look = FIRST_LOOK_BYTES; ; look *= 4) {
    const found = file.at(offset, look);
    const bytes = header === undefined ? found : Buffer.from(found);
    if (header !== undefined) bytes.set(header.subarray(0, bytes.length));
    const atEnd = offset + bytes.length >= file.size;
    const member = inflateMember(bytes, maxBytes);
    if (member !== "more") return member;
    if (atEnd) return { problem: `torn: the file ends inside the gzip member at ${offset}` };
    if (look > 2 * maxBytes + MAX_HEADER_BYTES)
      return { problem: `the gzip member at ${offset} is longer than ${maxBytes} bytes` };
  }
}

function inflateMember(bytes: Buffer, maxBytes: number): Member | "more" {
  const start = headerLength(bytes);
  if (start === 0) return { problem: "this is not the beginning of a gzip member" };
  if (Number.isNaN(start) && bytes.length > MAX_HEADER_BYTES)
    return { problem: "the header of the gzip member does not end" };
  if (Number.isNaN(start)) return "more";
  let inflated: Inflated;
  try {
    // With `info` the types promise a Buffer, but the engine comes too: it knows where input ended.
    const options = { info: true, maxOutputLength: maxBytes };
    inflated = inflateRawSync(bytes.subarray(start), options) as unknown as Inflated;
  } catch (fault) {
    const { code, message } = fault as NodeJS.ErrnoException;
    if (code === "Z_BUF_ERROR") return "more";
    if (code === "ERR_BUFFER_TOO_LARGE")
      return { problem: `the gzip member inflates to more than ${maxBytes} bytes` };
    return { problem: `the gzip member is damaged: ${message}` };
  }
  const end = start + inflated.engine.bytesWritten;
  if (end + TRAILER_BYTES > bytes.length) return "more";
  const { buffer } = inflated;
  if (bytes.readUInt32LE(end) !== crc32(buffer))
    return { problem: "the gzip member is damaged: its checksum differs" };
  if (bytes.readUInt32LE(end + 4) !== buffer.length % 2 ** 32)
    return { problem: "the gzip member is damaged: its length differs" };
  return { bytes: buffer, length: end + TRAILER_BYTES };
}

/** The next offset from which a member begins that inflates to a WARC record; the file's size if none. */
export function findMember(file: FileWindow, from: number): number {
  for (let offset = from; offset < file.size; ) {
    const bytes = file.at(offset, FIRST_LOOK_BYTES);
    const found = bytes.indexOf(MAGIC);
    if (found < 0) {
      offset += Math.max(1, bytes.length - (MAGIC.length - 1));
      continue;
    }
    if (beginsRecord(file.at(offset + found, PROBE_BYTES))) return offset + found;
    offset += found + 1;
  }
  return file.size;
}

function beginsRecord(bytes: Buffer): boolean {
  const start = headerLength(bytes);
  if (!(start > 0)) return false;
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH };
    const text = inflateRawSync(bytes.subarray(start, start + PROBE_BYTES), options);
    return text.subarray(0, 5).toString("latin1") === "WARC/";
  } catch {
    return false; // not a deflate stream: the three bytes were chance
  }
}
