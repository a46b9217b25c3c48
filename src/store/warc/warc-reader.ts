import { FileWindow } from "../files/file-window.ts";
import type { Repair } from "../files/system-calls.ts";
import { findMember, type Member, readMember } from "./gzip-reader.ts";
import { readOwnMember } from "./own-member.ts";
import { checkRecord } from "./warc-check.ts";
import { parseWarcHeader } from "./warc-header.ts";

const HEADER_LOOK_BYTES = 64 * 1024;
const MAX_RECORD_BYTES = 256 * 1024 * 1024;
const RECORD_END = "\r\n\r\n";
const NOTHING = Buffer.alloc(0);

/** One record of a WARC file, or (type "") a stretch of the file that holds none. */
export interface WarcRecord {
  type: string;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
  block: Buffer;
  /** In the file: of the record, or of the gzip member that holds it. */
  offset: number;
  length: number;
  /** Why the record is not valid; empty for a good one. */
  problems: string[];
  /**
   * True behind something unreadable. What is found by searching may lie inside the body of a damaged record; a record
   * that we wrote names its file's warcinfo, whose id cannot be guessed.
   */
  afterDamage: boolean;
}

/** Limits of reading. */
export interface ReadOptions {
  /** A record or gzip member larger than this is reported, not read. */
  maxRecordBytes?: number;
  /** Where to begin: at the beginning of a record. */
  from?: number;
  /** Given for files that we wrote, compressed: called for bytes around records that were flipped. */
  own?: (repair: Repair) => void;
}

/** Iterates the records of a .warc or .warc.gz file, strictly checked, in bounded memory. */
export function* readWarc(path: string, options: ReadOptions = {}): Generator<WarcRecord, void> {
  const { maxRecordBytes: maxBytes = MAX_RECORD_BYTES, from = 0, own } = options;
  const file = new FileWindow(path);
  try {
    if (file.size === 0) yield unreadable(0, 0, "the file is empty");
    else if (own !== undefined || isGzip(file)) yield* readMembers(file, maxBytes, from, own);
    else yield* readPlain(file, maxBytes, from);
  } finally {
    file.close();
  }
}

/** The record in the gzip member at this place; undefined when there is no intact one. */
export function readRecordAt(file: FileWindow, offset: number): WarcRecord | undefined {
  if (offset >= file.size) return undefined;
  const member = readMember(file, offset, MAX_RECORD_BYTES);
  if ("problem" in member) return undefined;
  const { record } = takeRecord(member.bytes, true);
  if (record.problems.length > 0) return undefined;
  return { ...record, offset, length: member.length };
}

/** Decided by content, not by name, and not by the first bytes alone, which may be damaged. */
function isGzip(file: FileWindow): boolean {
  const start = file.at(0, 5);
  if (start[0] === 0x1f) return true;
  return start.toString("latin1", 0, 5) !== "WARC/" && findMember(file, 0) < file.size;
}

function unreadable(offset: number, length: number, ...problems: string[]): WarcRecord {
  return {
    type: "",
    headers: new Map(),
    block: NOTHING,
    offset,
    length,
    problems,
    afterDamage: true,
  };
}

function* readMembers(
  file: FileWindow,
  maxBytes: number,
  from: number,
  own: ReadOptions["own"],
): Generator<WarcRecord, void> {
  let damaged = false;
  for (let offset = from; offset < file.size; ) {
    const read = own === undefined ? readMember : readOwnMember;
    const member: Member & { repairs?: Repair[] } = read(file, offset, maxBytes);
    for (const repair of member.repairs ?? []) own?.(repair);
    if ("problem" in member) {
      const next = findMember(file, offset + 1);
      yield unreadable(offset, next - offset, member.problem);
      damaged = true;
      offset = next;
      continue;
    }
    const records: WarcRecord[] = [];
    for (let at = 0; at < member.bytes.length || at === 0; ) {
      const { record, next } = takeRecord(member.bytes.subarray(at), true);
      records.push({ ...record, offset, length: member.length, afterDamage: damaged });
      if (next === undefined) break;
      at += next;
    }
    if (records.length > 1)
      for (const record of records)
        record.problems.push(`${records.length} records in one gzip member`);
    yield* records;
    offset += member.length;
  }
}

function* readPlain(file: FileWindow, maxBytes: number, from: number): Generator<WarcRecord, void> {
  let damaged = false;
  for (let offset = from; offset < file.size; ) {
    let bytes = file.at(offset, HEADER_LOOK_BYTES);
    const header = parseWarcHeader(bytes, offset + bytes.length >= file.size);
    if (typeof header !== "string") {
      const wanted = header.blockStart + header.contentLength + RECORD_END.length;
      if (header.contentLength > maxBytes) {
        const length = Math.min(wanted, file.size - offset);
        yield unreadable(offset, length, `the record is longer than ${maxBytes} bytes`);
        offset += length;
        continue;
      }
      bytes = file.at(offset, wanted);
    }
    const { record, next } = takeRecord(bytes, offset + bytes.length >= file.size);
    // A length that does not lead to the end of a record cannot be trusted: search for the next record.
    const resume = next === undefined ? findRecord(file, offset + record.length) : offset + next;
    const length = record.type === "" ? resume - offset : record.length;
    yield { ...record, offset, length, afterDamage: damaged };
    damaged ||= next === undefined;
    offset = resume;
  }
}

/** Where the next line "WARC/1." begins; the file's size if nowhere. */
function findRecord(file: FileWindow, from: number): number {
  const sign = "WARC/1.";
  for (let offset = Math.max(1, from); offset < file.size; ) {
    const bytes = file.at(offset, HEADER_LOOK_BYTES);
    const found = bytes.indexOf(sign, 0, "latin1");
    if (found >= 0) return offset + found;
    offset += Math.max(1, bytes.length - (sign.length - 1));
  }
  return file.size;
}

/** The record at the start of the bytes; `next` is where another may begin, if its end is certain. */
function takeRecord(
  bytes: Buffer,
  atEnd: boolean,
): { record: WarcRecord; next: number | undefined } {
  const header = parseWarcHeader(bytes, atEnd);
  if (typeof header === "string") return { record: unreadable(0, 1, header), next: undefined };
  const { headers, blockStart, contentLength, problems } = header;
  const blockEnd = blockStart + contentLength;
  const block = bytes.subarray(blockStart, blockEnd);
  let length = Math.min(blockEnd, bytes.length);
  let next: number | undefined;
  if (block.length < contentLength) {
    problems.push(`torn: the block has ${block.length} of ${contentLength} bytes`);
  } else {
    problems.push(...checkRecord(header, block));
    const end = bytes.toString("latin1", blockEnd, blockEnd + RECORD_END.length);
    if (end === RECORD_END) next = length = blockEnd + RECORD_END.length;
    else problems.push(`the record ends with ${JSON.stringify(end)} instead of two line ends`);
  }
  const type = headers.get("warc-type") ?? "";
  const record = { type, headers, block, offset: 0, length, problems, afterDamage: false };
  return { record, next };
}
