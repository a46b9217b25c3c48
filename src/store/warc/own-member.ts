import { inflateRawSync } from "node:zlib";
import type { FileWindow } from "../files/file-window.ts";
import type { Repair } from "../files/system-calls.ts";
import { type Member, readMember } from "./gzip-reader.ts";
import { MEMBER_HEADER, STORED_BLOCK_HEADER_BYTES, TRAILER_BYTES } from "./member-buffer.ts";

/** A member as our own writer makes it, and the bytes that are not what was written. */
export type OwnMember = { bytes: Buffer; length: number; repairs: Repair[] };

/**
 * Reads a member of a file that our own writer wrote. Its checksum covers the content alone, but its header is always
 * the same and the bits that pad a byte are 0: where they are not, they were flipped and can be repaired.
 */
export function readOwnMember(
  file: FileWindow,
  offset: number,
  maxBytes: number,
): OwnMember | Extract<Member, { problem: string }> {
  let member = readMember(file, offset, maxBytes);
  if ("problem" in member) {
    const { problem } = member;
    member = readMember(file, offset, maxBytes, MEMBER_HEADER);
    if ("problem" in member) return { problem };
  }
  const raw = file.at(offset, member.length).subarray(0, member.length);
  const repairs: Repair[] = [];
  for (const [i, value] of MEMBER_HEADER.entries())
    if (raw[i] !== value) repairs.push({ offset: offset + i, value });
  let at = MEMBER_HEADER.length;
  // The first byte of a stored block has three bits, the rest is padding.
  for (; (raw[at]! & 6) === 0; at += STORED_BLOCK_HEADER_BYTES + raw.readUInt16LE(at + 1)) {
    const isLast = raw[at]! & 1;
    if (raw[at]! > 1) repairs.push({ offset: offset + at, value: isLast });
    if (isLast === 1) return { ...member, repairs };
  }
  const last = raw.length - TRAILER_BYTES - 1;
  const deflated = Buffer.from(raw.subarray(MEMBER_HEADER.length, last + 1));
  const value = withoutPadding(deflated, member.bytes);
  if (value !== raw[last]) repairs.push({ offset: offset + last, value });
  return { ...member, repairs };
}

/** The last byte of compressed content without padding: its highest bit is cleared as long as that changes nothing. */
function withoutPadding(deflated: Buffer, content: Buffer): number {
  for (let value = deflated.at(-1)!; ; value = deflated.at(-1)!) {
    deflated[deflated.length - 1] = value & ~(1 << (31 - Math.clz32(value)));
    if (value === 0 || !inflatesTo(deflated, content)) return value;
  }
}

function inflatesTo(deflated: Buffer, content: Buffer): boolean {
  try {
    return inflateRawSync(deflated, { maxOutputLength: content.length + 1 }).equals(content);
  } catch {
    return false;
  }
}
