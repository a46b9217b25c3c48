import { join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import type { ShardCash } from "../cash/shard-cash.ts";
import { EVENT } from "../journal/event-batch.ts";
import { type EventBytes, EventCursor } from "../journal/event-cursor.ts";
import { HOST_BYTES, readHostNote } from "../journal/host-note.ts";
import { snapshotName } from "../journal/journal-files.ts";
import { listJournals } from "../journal/journal-listing.ts";
import { type Damage, damageOf, type JournalEnd } from "../journal/journal-reader.ts";
import { readSections, type Section, type SectionWriter } from "../journal/section-file.ts";
import type { OutboxBlock } from "../journal-port.ts";
import { readWide, word, writeWide } from "../link/words.ts";
import { COUNTERS, type ShardState } from "./shard-state.ts";

/*
 * shard-03.000017.snapshot: the state of a shard up to and including segment 17, as sections:
 *
 *   1 head      "OWSNAP03", shard 16, segment 32, epoch 32, sequence 64, seeds 2 x 32
 *   2 fingerprints    fingerprints of all known URLs, 2 x 32 each; repeated
 *   3 numbers   outcomes (256 doubles), counters (256 doubles)
 *   4 block     an outbox block that is not confirmed: target 16, epoch 32, number 32, links 32, bytes; repeated
 *   5 reached   map 8 (0 sent, 1 received), shard 16, epoch 32, number 32, of many; repeated
 *   6 events    admissions that are not done, as in the journal; repeated. Ordered by cash: what these pages have and
 *               the sites that minted, as credited and minted events
 *   7 total     URLs that wait 64
 *   8 hosts     hosts that asked for more than the crawl's delay, each as in a host event; repeated
 *
 *   9 archives  files of the archive with committed records: where the last one ends 64, length 16, name; repeated
 *
 * "OWSNAP02" has a section 5 for each of them: every death adds some, so that there may be thousands.
 * "OWSNAP01" is the same without 9, and without the promise that the file of the next segment is there.
 */

const SECTION = {
  head: 1,
  fingerprints: 2,
  numbers: 3,
  block: 4,
  reached: 5,
  events: 6,
  total: 7,
  hosts: 8,
  archives: 9,
} as const;
const MAGICS = ["OWSNAP01", "OWSNAP02", "OWSNAP03"];
const HEAD_BYTES = 38;
const REACHED_BYTES = 11;
/** So many in a section: a section is never large. */
const REACHED_MOST = 4096;

/** Where the journal goes on behind a snapshot. */
export type SnapshotEnd = Pick<JournalEnd, "segment" | "sequence" | "epoch" | "followed">;

/** What a snapshot keeps beside fingerprints and what waits. */
export type SmallState = Pick<
  ShardState,
  "outcomes" | "counters" | "sent" | "received" | "unconfirmed" | "hosts" | "archives"
>;

/** Writes the parts of a snapshot in their order. */
export class SnapshotWriter {
  readonly #sections: SectionWriter;

  constructor(
    sections: SectionWriter,
    shard: number,
    end: Omit<SnapshotEnd, "followed">,
    seeds: readonly [number, number],
  ) {
    this.#sections = sections;
    const head = Buffer.alloc(HEAD_BYTES);
    head.write(MAGICS.at(-1)!, "latin1");
    head.writeUInt16LE(shard, 8);
    head.writeUInt32LE(end.segment, 10);
    head.writeUInt32LE(end.epoch, 14);
    writeWide(head, 18, end.sequence);
    head.writeInt32LE(seeds[0] | 0, 26);
    head.writeInt32LE(seeds[1] | 0, 30);
    sections.add(SECTION.head, head);
  }

  /** Some fingerprints, 8 bytes each. */
  fingerprints(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#sections.add(SECTION.fingerprints, bytes);
  }

  /** Everything of the state that is small. */
  small(state: SmallState): void {
    for (const [name, end] of state.archives.ends) {
      const bytes = Buffer.alloc(10 + name.length);
      writeWide(bytes, 0, end);
      bytes.writeUInt16LE(name.length, 8);
      bytes.write(name, 10, "latin1");
      this.#sections.add(SECTION.archives, bytes);
    }
    for (const piece of state.hosts?.pieces() ?? []) this.#sections.add(SECTION.hosts, piece);
    const numbers = Buffer.alloc(16 * COUNTERS);
    for (let i = 0; i < COUNTERS; i++) {
      numbers.writeDoubleLE(state.outcomes[i]!, 8 * i);
      numbers.writeDoubleLE(state.counters[i]!, 8 * (COUNTERS + i));
    }
    this.#sections.add(SECTION.numbers, numbers);
    for (const block of state.unconfirmed()) {
      const bytes = Buffer.alloc(14 + block.bytes.length);
      bytes.writeUInt16LE(block.target, 0);
      bytes.writeUInt32LE(block.epoch, 2);
      bytes.writeUInt32LE(block.number, 6);
      bytes.writeUInt32LE(block.links, 10);
      bytes.set(block.bytes, 14);
      this.#sections.add(SECTION.block, bytes);
    }
    for (const [index, map] of [state.sent, state.received].entries()) this.#reached(index, map);
  }

  #reached(index: number, map: ReadonlyMap<string, number>): void {
    const bytes = Buffer.alloc(REACHED_BYTES * Math.min(REACHED_MOST, map.size));
    let at = 0;
    for (const [name, number] of map) {
      const [shard, epoch] = name.split(" ").map(Number) as [number, number];
      bytes[at] = index;
      bytes.writeUInt16LE(shard, at + 1);
      bytes.writeUInt32LE(epoch, at + 3);
      bytes.writeUInt32LE(number, at + 7);
      at += REACHED_BYTES;
      if (at < bytes.length) continue;
      this.#sections.add(SECTION.reached, bytes);
      at = 0;
    }
    if (at > 0) this.#sections.add(SECTION.reached, bytes.subarray(0, at));
  }

  /** Events as they stand in a journal. */
  events(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#sections.add(SECTION.events, bytes);
  }

  /** How many URLs wait; comes last. */
  total(waiting: number): void {
    const bytes = Buffer.alloc(8);
    writeWide(bytes, 0, waiting);
    this.#sections.add(SECTION.total, bytes);
  }
}

/** Reads one snapshot; the file may be read several times. */
export class SnapshotReader {
  readonly path: string;
  readonly end: SnapshotEnd;

  constructor(path: string, shard: number) {
    this.path = path;
    for (const { kind, bytes, from, to } of readSections(path)) {
      const isHead = kind === SECTION.head && to - from === HEAD_BYTES;
      const version = isHead ? MAGICS.indexOf(bytes.toString("latin1", from, from + 8)) : -1;
      if (version < 0 || bytes.readUInt16LE(from + 8) !== shard) {
        throw new StoreCorruptError(`${path}:0: not a snapshot of shard ${shard}`);
      }
      this.end = {
        segment: bytes.readUInt32LE(from + 10),
        epoch: bytes.readUInt32LE(from + 14),
        sequence: readWide(bytes, from + 18),
        followed: version > 0,
      };
      return;
    }
    throw new StoreCorruptError(`${path}:0: an empty snapshot`);
  }

  /** Fills an empty state; with `fingerprints` false without the fingerprints. */
  restore(state: ShardState, fingerprints = true): void {
    for (const section of readSections(this.path)) {
      const { kind, bytes, from, to } = section;
      if (kind === SECTION.fingerprints && fingerprints) state.knowAll(bytes, from, to);
      else if (kind === SECTION.numbers) restoreNumbers(state, section);
      else if (kind === SECTION.block) state.outbox.set(...restoredBlock(state, section));
      else if (kind === SECTION.reached) restoreReached(state, section);
      else if (kind === SECTION.archives)
        state.archives.reaches(bytes.toString("latin1", from + 10, to), readWide(bytes, from));
      else if (kind === SECTION.total) state.waiting = readWide(bytes, from);
      else if (kind === SECTION.hosts) {
        for (let at = from; at < to; at += HOST_BYTES) state.note(readHostNote(bytes, at));
      } else if (kind === SECTION.events && state.cash !== undefined)
        restoreCash(state.cash, { ...section, file: this.path });
    }
    state.sequence = this.end.sequence;
  }

  /** The sections of fingerprints. */
  *fingerprints(): Generator<Section> {
    for (const section of readSections(this.path))
      if (section.kind === SECTION.fingerprints) yield section;
  }

  /** The admissions that were not done; `checked` when `restore` has just gone over the whole file. */
  *queued(checked = false): Generator<EventBytes> {
    for (const section of readSections(this.path, checked)) {
      if (section.kind !== SECTION.events) continue;
      yield { ...section, file: this.path, eventsAt: section.bodyAt };
    }
  }
}

/** The newest snapshot of a shard; undefined when there is none. A damaged one is reported to `salvage` and passed over. */
export function openSnapshot(
  folder: string,
  shard: number,
  salvage?: (damage: Damage) => void,
  listed = listJournals(folder)(shard),
): SnapshotReader | undefined {
  for (const segment of listed.snapshots.toReversed()) {
    const path = join(folder, snapshotName(shard, segment));
    if (salvage === undefined) return new SnapshotReader(path, shard);
    const reader = unlessDamaged(salvage, () => {
      const found = new SnapshotReader(path, shard);
      for (const _ of readSections(path));
      return found;
    });
    if (reader !== undefined) return reader;
  }
  return undefined;
}

/** What a reading answers; undefined when it met damage, which is reported. */
export function unlessDamaged<T>(report: (damage: Damage) => void, read: () => T): T | undefined {
  try {
    return read();
  } catch (fault) {
    if (!(fault instanceof StoreCorruptError)) throw fault;
    report(damageOf(fault));
    return undefined;
  }
}

function restoreCash(cash: ShardCash, events: EventBytes): void {
  const cursor = new EventCursor();
  cursor.open(events);
  while (cursor.next()) {
    const { kind, bytes, from, to } = cursor;
    if (kind === EVENT.credited) cash.applyCredited(cursor);
    else if (kind === EVENT.minted)
      cash.homes.addFingerprint(word(bytes, from), word(bytes, from + 4));
    else if (kind === EVENT.admit) {
      for (let at = cursor.linksTo(); at < to; at += 8)
        cash.waits(word(bytes, at), word(bytes, at + 4));
    }
  }
}

function restoreNumbers(state: ShardState, { bytes, from }: Section): void {
  for (let i = 0; i < COUNTERS; i++) {
    state.outcomes[i] = bytes.readDoubleLE(from + 8 * i);
    state.counters[i] = bytes.readDoubleLE(from + 8 * (COUNTERS + i));
    state.cash?.counted(i, state.counters[i]!);
  }
}

function restoreReached(state: ShardState, { bytes, from, to }: Section): void {
  for (let at = from; at < to; at += REACHED_BYTES) {
    const map = bytes[at] === 0 ? state.sent : state.received;
    const name = `${bytes.readUInt16LE(at + 1)} ${bytes.readUInt32LE(at + 3)}`;
    map.set(name, bytes.readUInt32LE(at + 7));
  }
}

function restoredBlock(state: ShardState, { bytes, from, to }: Section): [string, OutboxBlock[]] {
  const target = bytes.readUInt16LE(from);
  const epoch = bytes.readUInt32LE(from + 2);
  const block: OutboxBlock = {
    target,
    epoch,
    number: bytes.readUInt32LE(from + 6),
    links: bytes.readUInt32LE(from + 10),
    bytes: new Uint8Array(bytes.subarray(from + 14, to)),
  };
  const name = `${target} ${epoch}`;
  return [name, [...(state.outbox.get(name) ?? []), block]];
}
