import { crc32, inflateRawSync } from "node:zlib";
import { DeflateAgain } from "./deflate-again.ts";
import type { FileWindow } from "./file-window.ts";
import { findMember, type Member, readMember } from "./gzip-reader.ts";
import {
  FRAME_BYTES,
  MAX_STORED_BLOCK_BYTES,
  MEMBER_HEADER,
  STORED_BLOCK_HEADER_BYTES,
  TRAILER_BYTES,
} from "./member-buffer.ts";
import type { Repair } from "./repair.ts";

const MAX_FRAMED_BYTES = MAX_STORED_BLOCK_BYTES + FRAME_BYTES;
/** Beginnings of members inside a damaged one that are looked behind. */
const MAX_LOOKS = 8;
/** Flipped bytes of one compressed member that are put right; more is another matter. */
const MAX_FLIPPED = 8;

const again = new DeflateAgain();

/** A member as our own writer makes it: whole, and the bytes around its content that are not what was written. */
export type OwnMember = { bytes: Buffer; length: number; repairs: Repair[] };

/**
 * Reads a member of a file that our own writer wrote. Its checksum covers the content alone; what stands around that is
 * always the same, or follows from the content, so a byte that is not is found here and can be put right.
 */
export function readOwnMember(
  file: FileWindow,
  offset: number,
  maxBytes: number,
): OwnMember | Extract<Member, { problem: string }> {
  const member = readMember(file, offset, maxBytes);
  if (!("problem" in member)) return { ...member, repairs: faultsAround(file, offset, member) };
  return withOurHeader(file, offset, maxBytes) ?? asStored(file, offset) ?? member;
}

/** The member as if its header were intact. */
function withOurHeader(file: FileWindow, offset: number, maxBytes: number): OwnMember | undefined {
  const member = readMember(file, offset, maxBytes, MEMBER_HEADER);
  if ("problem" in member) return undefined;
  return { ...member, repairs: faultsAround(file, offset, member) };
}

/** The member as one stored block that reaches to where the next member begins. */
function asStored(file: FileWindow, offset: number): OwnMember | undefined {
  let next = offset;
  for (let looks = 0; looks < MAX_LOOKS && next < file.size; looks++) {
    next = findMember(file, next + 1);
    const length = next - offset;
    const size = length - FRAME_BYTES;
    if (size > MAX_STORED_BLOCK_BYTES) return undefined;
    if (size <= 0) continue;
    const bytes = file.at(offset, MAX_FRAMED_BYTES).subarray(0, length);
    const from = MEMBER_HEADER.length + STORED_BLOCK_HEADER_BYTES;
    const content = bytes.subarray(from, from + size);
    if (bytes.readUInt32LE(from + size) !== crc32(content)) continue;
    const whole = Buffer.from(bytes);
    whole.set(MEMBER_HEADER);
    whole[MEMBER_HEADER.length] = 1;
    whole.writeUInt16LE(size, MEMBER_HEADER.length + 1);
    whole.writeUInt16LE(~size & 0xffff, MEMBER_HEADER.length + 3);
    whole.writeUInt32LE(size, length - 4);
    return { bytes: content, length, repairs: differences(bytes, whole, offset) };
  }
  return undefined;
}

function faultsAround(
  file: FileWindow,
  offset: number,
  member: { bytes: Buffer; length: number },
): Repair[] {
  const raw = file.at(offset, member.length).subarray(0, member.length);
  const header = differences(raw.subarray(0, MEMBER_HEADER.length), MEMBER_HEADER, offset);
  return [...header, ...faultsWithin(raw, offset, member.bytes)];
}

/** Bits around and between blocks that mean nothing and that no checksum covers. */
function faultsWithin(raw: Buffer, offset: number, content: Buffer): Repair[] {
  const repairs: Repair[] = [];
  // What fills up the first byte of a stored block is 0.
  for (let at = MEMBER_HEADER.length; (raw[at]! & 6) === 0; ) {
    const block = raw[at]!;
    if (block > 1) repairs.push({ offset: offset + at, value: block & 1 });
    if ((block & 1) === 1) return repairs;
    at += STORED_BLOCK_HEADER_BYTES + raw.readUInt16LE(at + 1);
  }
  const found = raw.subarray(MEMBER_HEADER.length, raw.length - TRAILER_BYTES);
  const written = again.written(found, content, MAX_FLIPPED);
  if (written !== undefined) return differences(found, written, offset + MEMBER_HEADER.length);
  return faultyFill(found, offset + MEMBER_HEADER.length, content);
}

/** Bits behind the last block: 0, and above all others. As long as the highest one set means nothing, it is one of them. */
function faultyFill(found: Buffer, offset: number, content: Buffer): Repair[] {
  const changed = Buffer.from(found);
  const last = found.length - 1;
  let value = found[last]!;
  while (value !== 0) {
    changed[last] = value & ~(1 << (31 - Math.clz32(value)));
    if (!inflatesTo(changed, content)) break;
    value = changed[last]!;
  }
  return value === found[last] ? [] : [{ offset: offset + last, value }];
}

function inflatesTo(deflated: Buffer, content: Buffer): boolean {
  try {
    return inflateRawSync(deflated, { maxOutputLength: content.length + 1 }).equals(content);
  } catch {
    return false;
  }
}

function differences(found: Uint8Array, written: Uint8Array, offset: number): Repair[] {
  const repairs: Repair[] = [];
  for (let i = 0; i < written.length; i++)
    if (found[i] !== written[i]) repairs.push({ offset: offset + i, value: written[i]! });
  return repairs;
}
