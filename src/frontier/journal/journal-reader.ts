import { join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import { type JournalFiles, listSegments, REAL_FILES, segmentName } from "./journal-files.ts";
import {
  BATCH_HEADER_BYTES,
  BATCH_MAGIC,
  BATCH_TRAILER_BYTES,
  type BatchHeader,
  claimedLength,
  decodeBatchHeader,
  decodeSegmentHeader,
  isIntact,
  mendSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
} from "./journal-format.ts";
import { SegmentWindow } from "./segment-window.ts";

/** An intact batch; its bytes are valid until the next one is asked for. */
export interface JournalBatch extends BatchHeader {
  readonly file: string;
  readonly segment: number;
  /** Where the batch begins in the file. */
  readonly offset: number;
  /** Where its events begin in the file. */
  readonly eventsAt: number;
  /** Memory that holds the events, from `from` to `to`. */
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  readonly seedLow: number;
  readonly seedHigh: number;
}

/** What an interrupted write left at the end of the last segment; nothing of it was ever acknowledged. */
export interface TornTail {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  /** Whole batches behind the break, cut off with it: the disk wrote them before what they follow. */
  readonly batchesBehind: number;
}

/** Where a journal ends. */
export interface JournalEnd {
  /** Last segment that stays; 0 when there is none. */
  readonly segment: number;
  /** Bytes of it that hold whole batches; 0 when it was left out or there is none. */
  readonly bytes: number;
  /** Last whole batch. */
  readonly sequence: number;
  readonly epoch: number;
  readonly torn: TornTail | undefined;
}

/** Bytes or batches that are lost; salvaging goes on behind them. */
export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly what: string;
  /** What the byte at the offset was, where that is known: then nothing is lost. */
  readonly mend?: number;
}

/** What an error of a reader says; its message begins with file and offset. */
export function damageOf(fault: StoreCorruptError): Damage {
  const [, file, offset, what] = /^(.*?):(\d+): (.*)$/s.exec(fault.message) ?? [];
  return { file: file ?? "", offset: Number(offset ?? 0), what: what ?? fault.message };
}

/** What to read. */
export interface ReadOptions {
  readonly folder: string;
  readonly shard: number;
  /** A snapshot holds everything up to here; its segments are not read. */
  readonly after?: Pick<JournalEnd, "segment" | "sequence" | "epoch">;
  /** The last segment to read, which is closed; without it all. */
  readonly upTo?: number;
  /** A batch known to exist, so that a missing last segment is noticed. */
  readonly atLeast?: number;
  /** What an earlier reading found whole ends here: no more is read, and checksums are not computed again. */
  readonly checked?: Pick<JournalEnd, "segment" | "bytes">;
  /** Called for every damage instead of throwing: keeps all intact batches, whatever lies between. */
  readonly salvage?: (damage: Damage) => void;
}

/** Reads all batches of a shard in order, in bounded memory; returns where the journal ends. */
export function* readJournal(options: ReadOptions): Generator<JournalBatch, JournalEnd> {
  const start = options.after ?? { segment: 0, sequence: 0, epoch: 0 };
  const report = options.salvage ?? refuse;
  const newest = options.upTo ?? options.checked?.segment ?? Number.POSITIVE_INFINITY;
  const segments = listSegments(options.folder, options.shard).filter(
    (segment) => segment > start.segment && segment <= newest,
  );
  let end: JournalEnd = { ...start, bytes: 0, torn: undefined };
  for (const [index, segment] of segments.entries()) {
    const path = join(options.folder, segmentName(options.shard, segment));
    if (segment !== end.segment + 1) {
      const file = join(options.folder, segmentName(options.shard, end.segment + 1));
      report({ file, offset: 0, what: "the segment is missing" });
    }
    const window = new SegmentWindow(path);
    try {
      const last = options.upTo === undefined && index === segments.length - 1;
      end = yield* readSegment(window, { ...options, segment, last, end, report });
    } finally {
      window.close();
    }
  }
  if (end.sequence < (options.atLeast ?? 0)) {
    const file = join(options.folder, segmentName(options.shard, end.segment));
    const what = `the journal ends with batch ${end.sequence}, but batch ${options.atLeast} was written`;
    report({ file, offset: end.bytes, what });
  }
  return end;
}

/** Cuts off a torn tail and makes that durable; answers the end without it. */
export function repairTail(
  end: JournalEnd,
  folder: string,
  files: JournalFiles = REAL_FILES,
): JournalEnd {
  const torn = end.torn;
  if (torn === undefined) return end;
  if (torn.offset === 0) {
    files.remove(torn.file);
  } else {
    const file = files.open(torn.file);
    try {
      files.truncate(file, torn.offset);
      files.sync(file);
    } finally {
      files.close(file);
    }
  }
  files.syncFolder(folder);
  return { ...end, torn: undefined };
}

interface SegmentRead {
  readonly shard: number;
  readonly segment: number;
  readonly last: boolean;
  /** What came before. */
  readonly end: JournalEnd;
  readonly report: (damage: Damage) => void;
  readonly salvage?: ReadOptions["salvage"];
  readonly checked?: ReadOptions["checked"];
}

function* readSegment(
  window: SegmentWindow,
  read: SegmentRead,
): Generator<JournalBatch, JournalEnd> {
  const { end, last, segment, report } = read;
  const file = window.path;
  const header = readHeader(window, read);
  if (header === undefined) {
    // Batches are written only after the header is synced: a file that holds none was being made.
    if (last && window.size <= SEGMENT_HEADER_BYTES) {
      return { ...end, torn: { file, offset: 0, bytes: window.size, batchesBehind: 0 } };
    }
    report({ file, offset: 0, what: "the header of the segment is damaged" });
    return { ...end, segment };
  }
  let { sequence, epoch } = end;
  if (header.firstSequence !== sequence + 1 || header.epoch < epoch) {
    report({
      file,
      offset: 0,
      what: `the segment does not follow batch ${sequence} of run ${epoch}`,
    });
    sequence = Math.max(sequence, header.firstSequence - 1);
  }
  epoch = Math.max(epoch, header.epoch);
  const size = read.checked?.segment === segment ? read.checked.bytes : window.size;
  const isChecked = read.checked !== undefined;
  let offset = SEGMENT_HEADER_BYTES;
  while (offset < size) {
    const length = intactLength(window, offset, header.salt, isChecked);
    if (length === 0) {
      const next = findIntact(window, offset + 1, header.salt);
      const behind = countBehind(window, next, header.salt, sequence);
      if (last && behind >= 0 && !(read.salvage && behind > 0)) {
        const torn = { file, offset, bytes: window.size - offset, batchesBehind: behind };
        return { segment, bytes: offset, sequence, epoch, torn };
      }
      report({ file, offset, what: `${next - offset} bytes are not what was written` });
      offset = next;
      continue;
    }
    const batch = viewBatch(window, offset, length, header);
    if (batch.sequence !== sequence + 1 || batch.epoch !== header.epoch) {
      report({
        file,
        offset,
        what: `batch ${batch.sequence} stands where ${sequence + 1} belongs`,
      });
    }
    offset += length;
    // While salvaging, an older number is a copy of what was handed out before.
    if (batch.sequence <= sequence) continue;
    sequence = batch.sequence;
    yield batch;
  }
  return { segment, bytes: offset, sequence, epoch, torn: undefined };
}

function readHeader(window: SegmentWindow, read: SegmentRead): SegmentHeader | undefined {
  const at = window.at(0, SEGMENT_HEADER_BYTES);
  if (at < 0) return undefined;
  const bytes = window.bytes.subarray(at, at + SEGMENT_HEADER_BYTES);
  let header = decodeSegmentHeader(bytes);
  if (header === "damaged") {
    // A file that holds no batch may be torn, and nothing is lost with it.
    const mended = window.size > SEGMENT_HEADER_BYTES ? mendSegmentHeader(bytes) : undefined;
    if (mended === undefined) return undefined;
    const what = "a byte of the segment's header is not what was written";
    read.report({ file: window.path, offset: mended.offset, what, mend: mended.value });
    header = mended.header;
  }
  if (header === "version")
    throw new StoreCorruptError(`${window.path}:0: written by a newer version`);
  if (header.shard !== read.shard || header.segment !== read.segment) {
    const what = `the file is segment ${header.segment} of shard ${header.shard} under another name`;
    read.report({ file: window.path, offset: 0, what });
  }
  return header;
}

/** Length of the intact batch at `offset`, 0 when there is none. */
function intactLength(
  window: SegmentWindow,
  offset: number,
  salt: number,
  isChecked = false,
): number {
  let at = window.at(offset, BATCH_HEADER_BYTES + BATCH_TRAILER_BYTES);
  if (at < 0) return 0;
  const length = claimedLength(window.bytes, at);
  if (length === 0) return 0;
  at = window.at(offset, length);
  return at >= 0 && (isChecked || isIntact(window.bytes, at, length, salt)) ? length : 0;
}

/** Offset of the next intact batch; the size of the file when there is none. */
function findIntact(window: SegmentWindow, from: number, salt: number): number {
  for (let offset = from; ; offset++) {
    const at = window.at(offset, BATCH_HEADER_BYTES + BATCH_TRAILER_BYTES);
    if (at < 0) return window.size;
    if (window.bytes.readUInt32LE(at) === BATCH_MAGIC && intactLength(window, offset, salt) > 0)
      return offset;
  }
}

/** How many intact batches follow a break; -1 when one of them says that what is broken had been synced. */
function countBehind(window: SegmentWindow, from: number, salt: number, reached: number): number {
  let count = 0;
  for (let offset = from; offset < window.size; offset = findIntact(window, offset + 1, salt)) {
    const at = window.at(offset, BATCH_HEADER_BYTES);
    if (decodeBatchHeader(window.bytes, at).synced > reached) return -1;
    count++;
  }
  return count;
}

function viewBatch(
  window: SegmentWindow,
  offset: number,
  length: number,
  header: SegmentHeader,
): JournalBatch {
  const at = window.at(offset, length);
  const { eventBytes, events, sequence, synced, epoch } = decodeBatchHeader(window.bytes, at);
  // Field by field: a spread costs more than the checksum of a batch.
  return {
    eventBytes,
    events,
    sequence,
    synced,
    epoch,
    file: window.path,
    segment: header.segment,
    offset,
    eventsAt: offset + BATCH_HEADER_BYTES,
    bytes: window.bytes,
    from: at + BATCH_HEADER_BYTES,
    to: at + length - BATCH_TRAILER_BYTES,
    seedLow: header.seedLow,
    seedHigh: header.seedHigh,
  };
}

function refuse({ file, offset, what }: Damage): never {
  throw new StoreCorruptError(`${file}:${offset}: ${what}`);
}
