import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import {
  doneName,
  type JournalFiles,
  REAL_FILES,
  segmentName,
  snapshotName,
  syncFile,
} from "./journal-files.ts";
import {
  decodeSegmentHeader,
  type FoundHeader,
  repairSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
} from "./journal-format.ts";
import { listJournals, type ShardFiles } from "./journal-listing.ts";
import { upgradeBatch } from "./old-version.ts";
import {
  countBehind,
  findIntact,
  intactLength,
  type JournalBatch,
  viewBatch,
} from "./segment-batches.ts";
import { SegmentWindow } from "./segment-window.ts";

/** The message for a file that this program neither writes nor upgrades. */
export const OTHER_VERSION = "written by another version of this program";

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
  /** The file of the next segment was made before anything that counts here. */
  readonly followed: boolean;
  readonly torn: TornTail | undefined;
}

/** Where the journal continues behind a snapshot. */
export type SnapshotEnd = Pick<JournalEnd, "segment" | "sequence" | "epoch">;

type ReachedEnd = Omit<JournalEnd, "followed">;

/** Bytes or batches that are lost; salvaging goes on behind them. */
export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly what: string;
  /** What the byte at the offset was, where that is known: then nothing is lost. */
  readonly repair?: number;
}

/** What an error of a reader says; its message begins with file and offset. */
export function damageOf(fault: StoreCorruptError): Damage {
  const [, file, offset, what] = /^(.*?):(\d+): (.*)$/s.exec(fault.message) ?? [];
  return { file: file ?? "", offset: Number(offset ?? 0), what: what ?? fault.message };
}

/** What tells the files of a crawl from those of all others. */
export type CrawlSeeds = Pick<SegmentHeader, "seedLow" | "seedHigh">;

/** Whether two files are of one crawl. */
export function isSameCrawl(one: CrawlSeeds, other: CrawlSeeds): boolean {
  return (one.seedLow ^ other.seedLow) === 0 && (one.seedHigh ^ other.seedHigh) === 0;
}

/** What to read. */
export interface ReadOptions {
  readonly folder: string;
  readonly shard: number;
  /** A snapshot holds everything up to here; its segments are not read. */
  readonly after?: SnapshotEnd | undefined;
  /** The journal was begun with the crawl: without a snapshot, its first segment must be there. */
  readonly begun?: boolean | undefined;
  /** The last segment to read, which is closed; without it all. */
  readonly upTo?: number;
  /** An earlier reading found everything whole up to here: no more is read, and checksums are not computed again. */
  readonly checked?: Pick<JournalEnd, "segment" | "bytes">;
  /** Seeds of the crawl's fingerprints: a segment with others belongs to another crawl. */
  readonly seeds?: CrawlSeeds | undefined;
  /** The files of the shard, if the caller has listed them; they must not change meanwhile. */
  readonly listed?: ShardFiles | undefined;
  /** Called for every damage instead of throwing: keeps all intact batches, whatever lies between. */
  readonly salvage?: ((damage: Damage) => void) | undefined;
}

/** Reads all batches of a shard in order, in bounded memory; returns where the journal ends. */
export function* readJournal(options: ReadOptions): Generator<JournalBatch, JournalEnd> {
  const { folder, shard } = options;
  const start = options.after ?? { segment: 0, sequence: 0, epoch: 0 };
  const report = options.salvage ?? refuse;
  const newest = options.upTo ?? options.checked?.segment ?? Number.POSITIVE_INFINITY;
  const { segments: all } = options.listed ?? listJournals(folder)(shard);
  const segments = all.filter((segment) => segment > start.segment && segment <= newest);
  const pathOf = (segment: number) => join(folder, segmentName(shard, segment));
  // The files behind the last one with content are empty, made for what comes next.
  const last = segments.findLast((segment) => statSync(pathOf(segment)).size > 0) ?? start.segment;
  let end: ReachedEnd = { ...start, bytes: 0, torn: undefined };
  for (const [index, segment] of segments.entries()) {
    const before = segments[index - 1] ?? start.segment;
    if (segment !== before + 1) reportMissing(options, segment, before, report);
    if (segment > last) break;
    const window = new SegmentWindow(pathOf(segment));
    try {
      const isLast = options.upTo === undefined && segment === last;
      end = yield* readSegment(window, { ...options, segment, last: isLast, end, report });
    } finally {
      window.close();
    }
  }
  const isWhole = options.upTo === undefined && options.checked === undefined;
  const followed = options.begun === true || end.segment > 0;
  if (isWhole && followed && (segments.at(-1) ?? start.segment) <= end.segment)
    reportMissing(options, end.segment + 2, end.segment, report);
  return { ...end, followed };
}

/** Reports what is missing between two files of a journal; a snapshot that is there was reported as damaged. */
function reportMissing(
  { folder, shard }: ReadOptions,
  segment: number,
  before: number,
  report: (damage: Damage) => void,
): void {
  const snapshot = join(folder, snapshotName(shard, segment - 1));
  if (before === 0 && existsSync(snapshot)) return;
  // The list of what was done is made before its snapshot, and stays.
  if (before === 0 && existsSync(join(folder, doneName(shard, segment - 1))))
    report({ file: snapshot, offset: 0, what: "the snapshot is missing" });
  else {
    const file = join(folder, segmentName(shard, before + 1));
    report({ file, offset: 0, what: "the segment is missing" });
  }
}

/** Cuts off a torn tail and makes that durable; returns the end without it. */
export function repairTail(
  end: JournalEnd,
  folder: string,
  files: JournalFiles = REAL_FILES,
): JournalEnd {
  const torn = end.torn;
  if (torn === undefined) return end;
  // One whose header is torn stays as an empty file, as it was made.
  syncFile(files, torn.file, (file) => files.truncate(file, torn.offset));
  files.syncFolder(folder);
  return { ...end, torn: undefined };
}

/**
 * Makes durable what was read. After a kill, or the death of a thread, some of it may be in the page cache alone, and
 * nothing may build on that: a block that is sent again would be confirmed by a shard that outlives its sender.
 */
export function syncRead(
  end: JournalEnd,
  folder: string,
  shard: number,
  files: JournalFiles = REAL_FILES,
): void {
  if (end.bytes === 0) return;
  syncFile(files, join(folder, segmentName(shard, end.segment)));
  files.syncFolder(folder);
}

interface SegmentRead {
  readonly shard: number;
  readonly segment: number;
  readonly last: boolean;
  /** What came before. */
  readonly end: ReachedEnd;
  readonly report: (damage: Damage) => void;
  readonly salvage?: ReadOptions["salvage"];
  readonly checked?: ReadOptions["checked"];
  readonly seeds?: ReadOptions["seeds"];
}

function* readSegment(
  window: SegmentWindow,
  read: SegmentRead,
): Generator<JournalBatch, ReachedEnd> {
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
  const stray = strayOf(header, read);
  if (stray !== undefined) {
    // None of it is about this shard.
    report({ file, offset: 0, what: stray });
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
    // While salvaging, a batch with an older number is a copy of one that was returned before.
    if (batch.sequence <= sequence) continue;
    sequence = batch.sequence;
    yield header.isOld ? upgradeBatch(batch) : batch;
  }
  return { segment, bytes: offset, sequence, epoch, torn: undefined };
}

function readHeader(window: SegmentWindow, read: SegmentRead): FoundHeader | undefined {
  const at = window.at(0, SEGMENT_HEADER_BYTES);
  if (at < 0) return undefined;
  const bytes = window.bytes.subarray(at, at + SEGMENT_HEADER_BYTES);
  let header = decodeSegmentHeader(bytes);
  if (header === "damaged") {
    // A file that holds no batch may be torn, and nothing is lost with it.
    const repaired = window.size > SEGMENT_HEADER_BYTES ? repairSegmentHeader(bytes) : undefined;
    if (repaired === undefined) return undefined;
    const what = "a byte of the segment's header is not what was written";
    read.report({ file: window.path, offset: repaired.offset, what, repair: repaired.value });
    header = repaired.header;
  }
  if (header === "version") throw new StoreCorruptError(`${window.path}:0: ${OTHER_VERSION}`);
  return header;
}

/** Why a segment does not belong where it is; undefined when it does. */
function strayOf(header: FoundHeader, { shard, segment, seeds }: SegmentRead): string | undefined {
  if (seeds !== undefined && !isSameCrawl(header, seeds))
    return "the segment is one of another crawl";
  if (header.shard === shard && header.segment === segment) return undefined;
  return `the file is segment ${header.segment} of shard ${header.shard} under another name`;
}

/** Throws for damage: what a reader does unless it salvages. */
export function refuse({ file, offset, what }: Damage): never {
  throw new StoreCorruptError(`${file}:${offset}: ${what}`);
}
