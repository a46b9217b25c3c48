import { existsSync } from "node:fs";
import { join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import { EVENT, EVENT_HEADER_BYTES, EventBatch } from "../journal/event-batch.ts";
import { type EventBytes, EventCursor } from "../journal/event-cursor.ts";
import { doneName, REAL_FILES } from "../journal/journal-files.ts";
import { listJournals } from "../journal/journal-listing.ts";
import {
  type CrawlSeeds,
  type Damage,
  damageOf,
  isSameCrawl,
  refuse,
} from "../journal/journal-reader.ts";
import { hasEnd, readSections, SectionWriter } from "../journal/section-file.ts";
import { unlessDamaged } from "./snapshot.ts";

/*
 * shard-03.000017.done: the done events of the segments that the snapshot of this number replaced, as sections:
 *
 *   11 head     shard 32, number of the list 32, seeds 2 x 32, numbers of all lists before this one, 32 each: so that a
 *               lost one is noticed. Earlier: 10 before, these numbers alone
 *   6 events    as in the journal; repeated
 */

const EVENTS = 6;
const BEFORE = 10;
const HEAD = 11;
const HEAD_WORDS = 4;

/** Whose list it is. */
export interface DoneHead extends CrawlSeeds {
  readonly shard: number;
  /** Its number: that of the snapshot it belongs to. */
  readonly list: number;
}

/** Begins a list of done events with the numbers of all lists before it. */
export function beginDone(into: SectionWriter, head: DoneHead, before: readonly number[]): void {
  const { shard, list, seedLow, seedHigh } = head;
  const words = [shard, list, seedLow >>> 0, seedHigh >>> 0, ...before];
  const bytes = Buffer.alloc(4 * words.length);
  for (const [i, word] of words.entries()) bytes.writeUInt32LE(word, 4 * i);
  into.add(HEAD, bytes);
}

/** What the beginning of a list says; without `head` where it was made before lists had one. */
export function readDoneHead(path: string): { head?: DoneHead; before: number[] } {
  for (const { kind, bytes, from, to } of readSections(path)) {
    if (kind !== HEAD && kind !== BEFORE) break;
    const words: number[] = [];
    for (let at = from; at < to; at += 4) words.push(bytes.readUInt32LE(at));
    if (kind === BEFORE) return { before: words };
    const [shard, list, seedLow, seedHigh] = words as [number, number, number, number];
    return { head: { shard, list, seedLow, seedHigh }, before: words.slice(HEAD_WORDS) };
  }
  return { before: [] };
}

/** Copies the ends of URLs in a batch to a list. */
export function copyDone(batch: EventBytes, into: SectionWriter): void {
  const cursor = new EventCursor();
  const ends = new EventBatch(batch.to - batch.from);
  cursor.open(batch);
  while (cursor.next())
    if (cursor.kind === EVENT.done)
      ends.copy(batch.bytes, cursor.from - EVENT_HEADER_BYTES, cursor.to);
  if (ends.events > 0) into.add(EVENTS, ends.body());
}

/** Reports lists of done events that are missing or not what their name says; only their first sections are read. */
export function checkDone(
  folder: string,
  shard: number,
  report: (damage: Damage) => void = refuse,
  listed = listJournals(folder)(shard),
  seeds?: CrawlSeeds,
): void {
  const newest = listed.snapshots.at(-1);
  if (newest === undefined) return;
  const path = (list: number) => join(folder, doneName(shard, list));
  const what = "the list of done URLs is missing";
  const there = new Set(listed.lists);
  if (!there.has(newest)) report({ file: path(newest), offset: 0, what });
  else {
    const first = unlessDamaged(report, () => readDoneHead(path(newest)));
    for (const list of first?.before ?? [])
      if (!there.has(list)) report({ file: path(list), offset: 0, what });
  }
  for (const list of listed.lists) {
    if (!hasEnd(path(list))) report({ file: path(list), offset: 0, what: "the list is cut off" });
    // Other damage is reported where the list is read.
    const head = unlessDamaged(
      () => {},
      () => readDoneHead(path(list)),
    )?.head;
    if (head === undefined) continue;
    const isOwn = head.shard === shard && head.list === list;
    if (!isOwn || (seeds !== undefined && !isSameCrawl(head, seeds)))
      report({
        file: path(list),
        offset: 0,
        what: "a list of done URLs of another shard, moment or crawl",
      });
  }
}

/** Puts what is intact of a damaged list in its place, so that the next run finds it whole. */
export function mendDone(path: string): void {
  const mended = `${path}.new`;
  if (existsSync(mended)) REAL_FILES.remove(mended);
  const into = new SectionWriter(REAL_FILES, mended);
  unlessDamaged(
    () => {},
    () => {
      for (const { kind, bytes, from, to } of readSections(path))
        into.add(kind, bytes.subarray(from, to));
    },
  );
  into.finish();
  REAL_FILES.rename(mended, path);
}

/** The done events of segments that a snapshot has replaced. A damaged list is reported to `salvage` and left there. */
export function* readDone(
  folder: string,
  shard: number,
  salvage?: (damage: Damage) => void,
  // A list is written before its snapshot. Without the snapshot the segments themselves are still there.
  upTo?: number,
  listed = listJournals(folder)(shard),
): Generator<EventBytes> {
  const newest = upTo ?? listed.snapshots.at(-1) ?? 0;
  for (const list of listed.lists) {
    if (list > newest) break;
    const file = join(folder, doneName(shard, list));
    try {
      for (const section of readSections(file))
        if (section.kind === EVENTS) yield { ...section, file };
    } catch (fault) {
      if (salvage === undefined || !(fault instanceof StoreCorruptError)) throw fault;
      salvage(damageOf(fault));
    }
  }
}
