import { join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import { EVENT, EVENT_HEADER_BYTES, EventBatch } from "../journal/event-batch.ts";
import { type EventBytes, EventCursor } from "../journal/event-cursor.ts";
import { doneName } from "../journal/journal-files.ts";
import { listJournals } from "../journal/journal-listing.ts";
import { type Damage, damageOf, refuse } from "../journal/journal-reader.ts";
import { readSections, type SectionWriter } from "../journal/section-file.ts";
import { unlessDamaged } from "./snapshot.ts";

/*
 * shard-03.000017.done: the done events of the segments that the snapshot of this number replaced, as sections:
 *
 *   10 before   numbers of all lists before this one, 32 each: so that a lost one is noticed
 *   6 events    as in the journal; repeated
 */

const EVENTS = 6;
const BEFORE = 10;

/** Begins a list of done events with the numbers of all lists before it. */
export function beginDone(into: SectionWriter, before: readonly number[]): void {
  const bytes = Buffer.alloc(4 * before.length);
  for (const [i, list] of before.entries()) bytes.writeUInt32LE(list, 4 * i);
  into.add(BEFORE, bytes);
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

/** Reports lists of done events that are missing; only the first section of the newest is read. */
export function checkDone(
  folder: string,
  shard: number,
  report: (damage: Damage) => void = refuse,
  listed = listJournals(folder)(shard),
): void {
  const newest = listed.snapshots.at(-1);
  if (newest === undefined) return;
  const path = (list: number) => join(folder, doneName(shard, list));
  const what = "the list of done URLs is missing";
  const there = new Set(listed.lists);
  if (!there.has(newest)) report({ file: path(newest), offset: 0, what });
  else {
    for (const list of unlessDamaged(report, () => listsBefore(path(newest))) ?? [])
      if (!there.has(list)) report({ file: path(list), offset: 0, what });
  }
}

/** The done events of segments that a snapshot has replaced. A damaged list is reported to `salvage` and left there. */
export function* readDone(
  folder: string,
  shard: number,
  salvage?: (damage: Damage) => void,
  // A list is written before its snapshot. Without the snapshot the segments themselves are still there.
  upTo = listJournals(folder)(shard).snapshots.at(-1) ?? 0,
): Generator<EventBytes> {
  for (const list of listJournals(folder)(shard).lists) {
    if (list > upTo) break;
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

/** The numbers of the lists before a list; none if it was made before lists had them. */
function listsBefore(path: string): number[] {
  for (const { kind, bytes, from, to } of readSections(path)) {
    const lists: number[] = [];
    for (let at = from; kind === BEFORE && at < to; at += 4) lists.push(bytes.readUInt32LE(at));
    return lists;
  }
  return [];
}
