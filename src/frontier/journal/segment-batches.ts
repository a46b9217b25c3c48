import {
  BATCH_HEADER_BYTES,
  BATCH_MAGIC,
  BATCH_TRAILER_BYTES,
  type BatchHeader,
  claimedLength,
  decodeBatchHeader,
  isIntact,
  type SegmentHeader,
} from "./journal-format.ts";
import type { SegmentWindow } from "./segment-window.ts";

/** An intact batch; its bytes are valid until the next one is asked for. */
export interface JournalBatch extends BatchHeader {
  readonly file: string;
  readonly segment: number;
  /** Where the batch begins in the file. */
  readonly offset: number;
  /** Where its events begin in the file; undefined when they were changed after reading. */
  readonly eventsAt: number | undefined;
  /** Memory that holds the events, from `from` to `to`. */
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  readonly seedLow: number;
  readonly seedHigh: number;
}

/** Length of the intact batch at `offset`, 0 when there is none. */
export function intactLength(
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
export function findIntact(window: SegmentWindow, from: number, salt: number): number {
  for (let offset = from; ; offset++) {
    const at = window.at(offset, BATCH_HEADER_BYTES + BATCH_TRAILER_BYTES);
    if (at < 0) return window.size;
    if (window.bytes.readUInt32LE(at) === BATCH_MAGIC && intactLength(window, offset, salt) > 0)
      return offset;
  }
}

/** How many intact batches follow a break; -1 when one of them shows that the broken one had been synced. */
export function countBehind(
  window: SegmentWindow,
  from: number,
  salt: number,
  reached: number,
): number {
  let count = 0;
  for (let offset = from; offset < window.size; offset = findIntact(window, offset + 1, salt)) {
    const at = window.at(offset, BATCH_HEADER_BYTES);
    if (decodeBatchHeader(window.bytes, at).synced > reached) return -1;
    count++;
  }
  return count;
}

export function viewBatch(
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
