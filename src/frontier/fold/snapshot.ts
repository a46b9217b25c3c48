import { join } from "node:path";
import { StoreCorruptError } from "../../errors.ts";
import { eachHistory } from "../cash/done-history.ts";
import type { ShardCash } from "../cash/shard-cash.ts";
import {
  EVENT,
  EVENT_HEADER_BYTES,
  EventBatch,
  SITE_BYTES,
  writeSite,
} from "../journal/event-batch.ts";
import { decodeFact, decodeOutbox, type EventBytes, EventCursor } from "../journal/event-cursor.ts";
import { HOST_BYTES, readHostNote } from "../journal/host-note.ts";
import { snapshotName } from "../journal/journal-files.ts";
import { listJournals } from "../journal/journal-listing.ts";
import {
  type CrawlSeeds,
  type Damage,
  damageOf,
  isSameCrawl,
  OTHER_VERSION,
  type SnapshotEnd,
} from "../journal/journal-reader.ts";
import { upgradeBlock } from "../journal/old-version.ts";
import { readSections, type Section, type SectionWriter } from "../journal/section-file.ts";
import { readWide, short, word, writeShort, writeWide, writeWord } from "../link/words.ts";
import { COUNTERS, type ShardState } from "./shard-state.ts";

/*
 * shard-03.000017.snapshot: the state of a shard up to and including segment 17, as sections:
 *
 *   1 head          "OWSNAP04", shard 16, segment 32, epoch 32, sequence 64, seeds 2 x 32
 *   2 fingerprints  fingerprints of all known URLs, 2 x 32 each; repeated
 *   3 numbers       outcomes (256 doubles), counters (256 doubles)
 *   4 block         an outbox block that is not confirmed, as in an outbox event; repeated
 *   5 reached       map 8 (0 sent, 1 received), shard 16, epoch 32, number 32, of many; repeated
 *   6 events        admissions that are not done, and extensions, as in the journal and in that order; repeated.
 *                   Ordered by cash: what these pages have and the sites that minted, as credited and minted events
 *   7 total         URLs that wait 64
 *   8 hosts         hosts that asked for more than the crawl's delay, each as in a host event; repeated
 *   10 sites        pages of each site, each as in a site event; repeated. Only where sites have a budget
 *   11 history      ordered by cash: what each page that is done has ever got, fingerprint 2 x 32, amount 64; repeated
 *   9 archives      files of the archive with committed records: where the last one ends 64, length 16, name; repeated
 *
 * "OWSNAP03" of the version before has blocks of that version.
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
  sites: 10,
  history: 11,
} as const;
const MAGIC = "OWSNAP04";
const MAGIC_BEFORE = "OWSNAP03";
const ANY_MAGIC = /^OWSNAP\d\d$/;
const HEAD_BYTES = 38;
const REACHED_BYTES = 11;
/** Entries per section, so that no section is large. */
const MAX_REACHED = 4096;
const MAX_SITES = 4096;
const ARCHIVE_BYTES = 10;

/** What a snapshot keeps beside fingerprints and what waits. */
export type SmallState = Pick<
  ShardState,
  "outcomes" | "counters" | "sent" | "received" | "unconfirmed" | "hosts" | "archives" | "sites"
>;

/** Writes the parts of a snapshot in their order. */
export class SnapshotWriter {
  readonly #sections: SectionWriter;

  constructor(
    sections: SectionWriter,
    shard: number,
    end: SnapshotEnd,
    seeds: readonly [number, number],
  ) {
    this.#sections = sections;
    const head = Buffer.alloc(HEAD_BYTES);
    head.write(MAGIC, "latin1");
    writeShort(head, 8, shard);
    writeWord(head, 10, end.segment);
    writeWord(head, 14, end.epoch);
    writeWide(head, 18, end.sequence);
    writeWord(head, 26, seeds[0]);
    writeWord(head, 30, seeds[1]);
    sections.add(SECTION.head, head);
  }

  /** Adds fingerprints, 8 bytes each. */
  fingerprints(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#sections.add(SECTION.fingerprints, bytes);
  }

  /** Adds everything of the state that is small. */
  small(state: SmallState): void {
    for (const [name, end] of state.archives.ends) {
      const bytes = Buffer.alloc(ARCHIVE_BYTES + name.length);
      writeWide(bytes, 0, end);
      writeShort(bytes, 8, name.length);
      bytes.write(name, ARCHIVE_BYTES, "latin1");
      this.#sections.add(SECTION.archives, bytes);
    }
    for (const piece of state.hosts?.pieces() ?? []) this.#sections.add(SECTION.hosts, piece);
    this.#sites(state.sites);
    const numbers = Buffer.alloc(16 * COUNTERS);
    for (let i = 0; i < COUNTERS; i++) {
      numbers.writeDoubleLE(state.outcomes[i]!, 8 * i);
      numbers.writeDoubleLE(state.counters[i]!, 8 * (COUNTERS + i));
    }
    this.#sections.add(SECTION.numbers, numbers);
    const event = new EventBatch();
    for (const block of state.unconfirmed()) {
      event.outbox(block);
      this.#sections.add(SECTION.block, event.take().subarray(EVENT_HEADER_BYTES));
    }
    for (const [index, map] of [state.sent, state.received].entries()) this.#reached(index, map);
  }

  #sites(sites: ReadonlyMap<string, number>): void {
    const bytes = Buffer.alloc(SITE_BYTES * Math.min(MAX_SITES, sites.size));
    let at = 0;
    for (const [key, pages] of sites) {
      const [low, high] = key.split(" ").map(Number) as [number, number];
      writeSite(bytes, at, low, high, pages);
      at += SITE_BYTES;
      if (at < bytes.length) continue;
      this.#sections.add(SECTION.sites, bytes);
      at = 0;
    }
    if (at > 0) this.#sections.add(SECTION.sites, bytes.subarray(0, at));
  }

  #reached(index: number, map: ReadonlyMap<string, number>): void {
    const bytes = Buffer.alloc(REACHED_BYTES * Math.min(MAX_REACHED, map.size));
    let at = 0;
    for (const [name, number] of map) {
      const [shard, epoch] = name.split(" ").map(Number) as [number, number];
      bytes[at] = index;
      writeShort(bytes, at + 1, shard);
      writeWord(bytes, at + 3, epoch);
      writeWord(bytes, at + 7, number);
      at += REACHED_BYTES;
      if (at < bytes.length) continue;
      this.#sections.add(SECTION.reached, bytes);
      at = 0;
    }
    if (at > 0) this.#sections.add(SECTION.reached, bytes.subarray(0, at));
  }

  /** Adds events as a journal has them. */
  events(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#sections.add(SECTION.events, bytes);
  }

  /** Adds what pages that are done have got; comes behind the fingerprints and events. */
  history(bytes: Uint8Array): void {
    this.#sections.add(SECTION.history, bytes);
  }

  /** Adds how many URLs wait; comes last. */
  total(waiting: number): void {
    const bytes = Buffer.alloc(8);
    writeWide(bytes, 0, waiting);
    this.#sections.add(SECTION.total, bytes);
  }
}

/** What the beginning of a snapshot says. */
export interface SnapshotHead extends SnapshotEnd, CrawlSeeds {
  readonly shard: number;
  /** The version before wrote it. */
  readonly isOld: boolean;
}

/** Reads the beginning of a snapshot. */
export function readSnapshotHead(path: string): SnapshotHead {
  for (const { kind, bytes, from } of readSections(path)) {
    const magic = kind === SECTION.head ? bytes.toString("latin1", from, from + 8) : "";
    if (!ANY_MAGIC.test(magic)) throw new StoreCorruptError(`${path}:0: not a snapshot`);
    if (magic !== MAGIC && magic !== MAGIC_BEFORE)
      throw new StoreCorruptError(`${path}:0: ${OTHER_VERSION}`);
    return {
      isOld: magic === MAGIC_BEFORE,
      shard: short(bytes, from + 8),
      segment: word(bytes, from + 10),
      epoch: word(bytes, from + 14),
      sequence: readWide(bytes, from + 18),
      seedLow: word(bytes, from + 26),
      seedHigh: word(bytes, from + 30),
    };
  }
  throw new StoreCorruptError(`${path}:0: an empty snapshot`);
}

/** Reads one snapshot; the file may be read several times. */
export class SnapshotReader {
  readonly path: string;
  readonly end: SnapshotEnd;
  /** The version before wrote it. */
  readonly #isOld: boolean;

  /** Refuses a file that does not say of itself what its name says. */
  constructor(path: string, shard: number, segment: number, seeds?: CrawlSeeds) {
    this.path = path;
    const head = readSnapshotHead(path);
    const is = (what: string) => new StoreCorruptError(`${path}:0: ${what}`);
    if (head.shard !== shard) throw is(`not a snapshot of shard ${shard}`);
    if (head.segment !== segment) throw is("a snapshot of another moment under this name");
    if (seeds !== undefined && !isSameCrawl(head, seeds)) throw is("a snapshot of another crawl");
    this.#isOld = head.isOld;
    this.end = { segment, epoch: head.epoch, sequence: head.sequence };
  }

  /** Fills an empty state; with `fingerprints` false without the fingerprints. */
  restore(state: ShardState, fingerprints = true): void {
    for (const section of readSections(this.path)) {
      const { kind, bytes, from, to } = section;
      if (kind === SECTION.fingerprints && fingerprints) state.knowAll(bytes, from, to);
      else if (kind === SECTION.numbers) restoreNumbers(state, section);
      else if (kind === SECTION.block) {
        const block = decodeOutbox(section);
        const name = `${block.target} ${block.epoch}`;
        const whole = this.#isOld ? { ...block, bytes: upgradeBlock(block.bytes) } : block;
        state.outbox.set(name, [...(state.outbox.get(name) ?? []), whole]);
      } else if (kind === SECTION.reached) {
        for (let at = from; at < to; at += REACHED_BYTES) {
          const map = bytes[at] === 0 ? state.sent : state.received;
          map.set(`${short(bytes, at + 1)} ${word(bytes, at + 3)}`, word(bytes, at + 7));
        }
      } else if (kind === SECTION.archives) {
        const name = bytes.toString("latin1", from + ARCHIVE_BYTES, to);
        state.archives.reaches(name, readWide(bytes, from));
      } else if (kind === SECTION.total) state.waiting = readWide(bytes, from);
      else if (kind === SECTION.hosts) {
        for (let at = from; at < to; at += HOST_BYTES) state.note(readHostNote(bytes, at));
      } else if (kind === SECTION.sites) {
        for (let at = from; at < to; at += SITE_BYTES)
          state.countSite(word(bytes, at), word(bytes, at + 4), word(bytes, at + 8));
      } else if (kind === SECTION.history) {
        const { cash } = state;
        eachHistory(bytes, from, to, (low, high, amount) => cash?.remember(low, high, amount));
      } else if (kind === SECTION.events) restoreEvents(state, { ...section, file: this.path });
    }
    state.sequence = this.end.sequence;
  }

  /** Calls `use` for each page that is done, where there is cash. */
  eachHistory(use: (low: number, high: number, amount: number) => void): void {
    for (const { kind, bytes, from, to } of readSections(this.path))
      if (kind === SECTION.history) eachHistory(bytes, from, to, use);
  }

  /** The sections of fingerprints. */
  *fingerprints(): Generator<Section> {
    for (const section of readSections(this.path))
      if (section.kind === SECTION.fingerprints) yield section;
  }

  /** The admissions that were not done, and what else is kept as events; `checked` when `restore` has just gone over the whole file. */
  *queued(checked = false): Generator<EventBytes> {
    for (const section of readSections(this.path, checked))
      if (section.kind === SECTION.events)
        yield { ...section, file: this.path, eventsAt: section.bodyAt };
  }
}

/** The newest snapshot of a shard; undefined when there is none. A damaged one is reported to `salvage` and passed over. */
export function openSnapshot(
  folder: string,
  shard: number,
  salvage?: (damage: Damage) => void,
  listed = listJournals(folder)(shard),
  seeds?: CrawlSeeds,
): SnapshotReader | undefined {
  for (const segment of listed.snapshots.toReversed()) {
    const path = join(folder, snapshotName(shard, segment));
    if (salvage === undefined) return new SnapshotReader(path, shard, segment, seeds);
    const reader = unlessDamaged(salvage, () => {
      const found = new SnapshotReader(path, shard, segment, seeds);
      for (const _ of readSections(path));
      return found;
    });
    if (reader !== undefined) return reader;
  }
  return undefined;
}

/** The result of `read`; undefined when it finds damage, which is reported. */
export function unlessDamaged<T>(report: (damage: Damage) => void, read: () => T): T | undefined {
  try {
    return read();
  } catch (fault) {
    if (!(fault instanceof StoreCorruptError)) throw fault;
    report(damageOf(fault));
    return undefined;
  }
}

function restoreNumbers(state: ShardState, { bytes, from }: Section): void {
  for (let i = 0; i < COUNTERS; i++) {
    state.outcomes[i] = bytes.readDoubleLE(from + 8 * i);
    state.counters[i] = bytes.readDoubleLE(from + 8 * (COUNTERS + i));
    state.cash?.counted(i, state.counters[i]!);
  }
}

function restoreEvents(state: ShardState, events: EventBytes): void {
  const cursor = new EventCursor();
  cursor.open(events);
  while (cursor.next()) {
    if (cursor.kind === EVENT.extension) state.learn(decodeFact(cursor));
    else if (state.cash !== undefined) restoreCash(state.cash, cursor);
  }
}

function restoreCash(cash: ShardCash, cursor: EventCursor): void {
  const { kind, bytes, from, to } = cursor;
  if (kind === EVENT.credited) cash.applyCredited(cursor);
  else if (kind === EVENT.minted)
    cash.homes.addFingerprint(word(bytes, from), word(bytes, from + 4));
  else if (kind === EVENT.admit) {
    for (let at = cursor.linksTo(); at < to; at += 8)
      cash.waits(word(bytes, at), word(bytes, at + 4));
  }
}
