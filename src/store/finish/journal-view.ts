import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { lateIn, lateKey } from "../../frontier/engine/ends/late-ends.ts";
import { checkDone, readDone } from "../../frontier/fold/done-list.ts";
import { enqueueWaiting, waitingTest } from "../../frontier/fold/recover-shard.ts";
import { openSnapshot } from "../../frontier/fold/snapshot.ts";
import { EVENT } from "../../frontier/journal/event-batch.ts";
import {
  DoneReader,
  decodeFact,
  type EventBytes,
  EventCursor,
} from "../../frontier/journal/event-cursor.ts";
import { segmentName } from "../../frontier/journal/journal-files.ts";
import {
  decodeSegmentHeader,
  SEGMENT_HEADER_BYTES,
} from "../../frontier/journal/journal-format.ts";
import { listJournals, type ShardFiles } from "../../frontier/journal/journal-listing.ts";
import {
  type Damage,
  type JournalEnd,
  type ReadOptions,
  readJournal,
  repairTail,
} from "../../frontier/journal/journal-reader.ts";
import { eachLink, type WaitingLink } from "../../frontier/link/waiting-run.ts";
import { word } from "../../frontier/link/words.ts";
import type { AdmissionRules } from "../../frontier/seen/admission-key.ts";
import { SeenSet } from "../../frontier/seen/seen-set.ts";
import { FileWindow } from "../files/file-window.ts";
import { repairFile } from "../files/system-calls.ts";
import type { CrawlState } from "../folder/crawl-folder.ts";
import type { JournalView } from "./committed.ts";
import type { EndedUrl } from "./ended-records.ts";

const FINGERPRINT_BYTES = 8;

/** Journals that were opened, and what was wrong with them. */
export interface OpenedJournals {
  /** Undefined when the crawl keeps no journal. */
  readonly view: JournalView | undefined;
  /** Each URL that `onEnd` was called for has ended, and once: nothing is damaged, came late, or stands in two files. */
  readonly areEndsSure: boolean;
  readonly damages: readonly Damage[];
  /** Bytes that were repaired. */
  readonly repaired: readonly Damage[];
  /** Torn tails that were cut off; nothing of them was ever acknowledged. */
  readonly cut: readonly {
    readonly file: string;
    readonly offset: number;
    readonly bytes: number;
  }[];
}

/** What makes the fingerprints of a crawl, and how many journals it was begun with, as far as that is known. */
export type Seeds = Pick<AdmissionRules, "seedLow" | "seedHigh"> & {
  readonly journals?: number;
  /** The crawl's configuration, which says what counts as one page. */
  readonly config?: object;
  readonly frontier?: CrawlState["frontier"];
};

/** How many ends of a URL did not count, by its fingerprint. */
type LateEnds = ReadonlyMap<string, number>;

/**
 * Opens the journals of a folder: cuts torn tails, reports damage, keeps everything that is intact. That reads all of
 * them once; `onEnd` is called for each ended URL, so that a caller who needs no more does not have to read again, unless
 * `areEndsSure` is false.
 */
export function openJournals(
  folder: string,
  seeds: Seeds | undefined,
  onEnd?: (ended: EndedUrl) => void,
): OpenedJournals {
  const shards = shardsIn(folder, seeds?.journals);
  const damages: Damage[] = [];
  const repaired: Damage[] = [];
  const cut: OpenedJournals["cut"][number][] = [];
  if (seeds === undefined || shards.length === 0)
    return { view: undefined, areEndsSure: true, damages, repaired, cut };
  const salvage = (damage: Damage) =>
    (damage.repair === undefined ? damages : repaired).push(damage);
  const begun = seeds.journals !== undefined;
  const ends = new Map<number, JournalEnd>();
  const late = shards.map(() => new Map<string, number>());
  const settled = new Set<number>();
  const listed = listJournals(folder);
  let isCutShort = false;
  for (const [i, shard] of shards.entries()) {
    const files = listed(shard);
    // A fold that was killed before its snapshot appeared: what its list holds is in the segments, too.
    if ((files.lists.at(-1) ?? 0) > (files.snapshots.at(-1) ?? 0)) isCutShort = true;
    checkDone(folder, shard, salvage, files, seeds);
    const journal = shardReader(folder, shard, { salvage, begun, seeds, listed: files });
    let waiting = 0;
    for (const batch of journal.done()) if (onEnd !== undefined) waiting += eachEnd(batch, onEnd);
    const snapshot = journal.snapshot();
    const reader = journal.tail(snapshot);
    let step = reader.next();
    for (; !step.done; step = reader.next()) {
      if (onEnd !== undefined) waiting += eachEnd(step.value, onEnd);
      if (seeds.frontier === "engine") countLate(step.value, late[i]!);
    }
    if (onEnd !== undefined && snapshot === undefined && waiting === 0) settled.add(i);
    ends.set(shard, step.value);
    const { torn } = step.value;
    if (torn === undefined) continue;
    cut.push({ file: torn.file, offset: torn.offset, bytes: torn.bytes });
    repairTail(step.value, folder);
  }
  for (const { file, offset, repair } of repaired) repairFile(file, [{ offset, value: repair! }]);
  const isWhole = damages.length === 0;
  // Damage was reported here, and is not reported again.
  const how = (shard: number): Omit<HowToRead, "listed"> =>
    isWhole ? { checked: ends.get(shard)! } : { salvage: () => {}, seeds };
  // Listed anew for each pass, because a snapshot may have taken the place of segments since the last one.
  const journals = (): ShardReader[] => {
    const listed = listJournals(folder);
    return shards.map((shard) =>
      shardReader(folder, shard, { ...how(shard), listed: listed(shard) }),
    );
  };
  const areOnce = !isCutShort && late.every(({ size }) => size === 0);
  const areEndsSure = isWhole && repaired.length === 0 && areOnce;
  if (!areEndsSure) settled.clear();
  const view = viewOf(journals, late, seeds, isWhole, settled);
  return { view, areEndsSure, damages, repaired, cut };
}

/** The seeds that are written in the journals themselves, for a crawl whose state is lost. */
export function seedsInJournals(folder: string): Seeds | undefined {
  for (const shard of shardsIn(folder)) {
    for (const segment of listJournals(folder)(shard).segments) {
      const file = new FileWindow(join(folder, segmentName(shard, segment)));
      const header = decodeSegmentHeader(file.slice(0, SEGMENT_HEADER_BYTES));
      file.close();
      if (typeof header === "object") return header;
    }
  }
  return undefined;
}

/** Numbers of the shards that have a journal in the folder, or had one from the start. */
export function shardsIn(folder: string, begun = 0): number[] {
  if (!existsSync(folder)) return [];
  const numbers = readdirSync(folder).map(
    (name) => /^shard-(\d+)\.\d+\.(?:journal|snapshot|done)$/.exec(name)?.[1],
  );
  const found = numbers.filter((number) => number !== undefined).map(Number);
  return [...new Set([...found, ...Array(begun).keys()])].sort((a, b) => a - b);
}

type HowToRead = Pick<ReadOptions, "salvage" | "begun" | "checked" | "seeds"> & {
  readonly listed: ShardFiles;
};

type Snapshot = ReturnType<typeof openSnapshot>;

/** The journal of one shard: lists of URLs that are done, a snapshot, and the batches behind it. */
interface ShardReader {
  /** Done events that are not in segments any more. In a salvage they count even when their snapshot is missing. */
  done(): Iterable<EventBytes>;
  snapshot(): Snapshot;
  /** The batches behind the snapshot. */
  tail(snapshot: Snapshot): ReturnType<typeof readJournal>;
}

function shardReader(folder: string, shard: number, how: HowToRead): ShardReader {
  const { salvage, listed } = how;
  const upTo = salvage === undefined ? undefined : Number.POSITIVE_INFINITY;
  return {
    done: () => readDone(folder, shard, salvage, upTo, listed),
    snapshot: () => openSnapshot(folder, shard, salvage, listed, how.seeds),
    tail: (snapshot) => {
      const after = snapshot === undefined ? {} : { after: snapshot.end };
      return readJournal({ folder, shard, ...how, ...after });
    },
  };
}

/**
 * The content of journals. In whole ones nothing occurs twice, and no checksum is computed twice. Damaged ones may have
 * to be read from an older snapshot, so what a salvage finds twice counts once.
 */
function viewOf(
  open: () => readonly ShardReader[],
  late: readonly LateEnds[],
  { seedLow, seedHigh, config }: Seeds,
  isWhole: boolean,
  /** Journals in which nothing waits, as far as that has been seen: nothing is admitted any more. */
  settled: Set<number>,
): JournalView {
  return {
    rules: { ...config, seedLow, seedHigh },
    eachEnded(use: (ended: EndedUrl) => void): void {
      for (const [i, journal] of open().entries()) {
        const known = isWhole ? undefined : new SeenSet();
        const left = new Map(late[i]);
        const isPlain = known === undefined && left.size === 0;
        const first = (one: EndedUrl) => {
          if (!isLate(left, one) && known?.addFingerprint(one.low, one.high) !== false) use(one);
        };
        const snapshot = journal.snapshot();
        let waiting = 0;
        for (const batches of [journal.done(), journal.tail(snapshot)])
          for (const batch of batches) waiting += eachEnd(batch, isPlain ? use : first);
        // As after most crawls: as many ended as were admitted, and only what was admitted ends. One that came late ends twice.
        if (isPlain && snapshot === undefined && waiting === 0) settled.add(i);
      }
    },
    eachWaiting(use: (link: WaitingLink) => void): void {
      for (const [i, journal] of open().entries()) {
        if (settled.has(i)) continue;
        const snapshot = journal.snapshot();
        const finished = new SeenSet();
        let waiting = 0;
        // What ended before a snapshot does not wait in it, unless that is an older one.
        if (!isWhole) for (const batch of journal.done()) addEnds(batch, finished);
        for (const batch of journal.tail(snapshot)) waiting += addEnds(batch, finished);
        if (isWhole && snapshot === undefined && waiting === 0) continue;
        const repeated = isWhole ? 0 : 1;
        const isWaiting = waitingTest({ repeated, contradictions: [] }, finished);
        const queued = snapshot?.queued(isWhole) ?? [];
        enqueueWaiting(isWaiting, queued, journal.tail(snapshot), (run) => eachLink(run, use));
      }
    },
  };
}

/** Counts the ends that an engine did not accept. */
function countLate(batch: EventBytes, into: Map<string, number>): void {
  const cursor = new EventCursor();
  cursor.open(batch);
  while (cursor.next())
    if (cursor.kind === EVENT.extension)
      for (const key of lateIn(decodeFact(cursor))) into.set(key, (into.get(key) ?? 0) + 1);
}

/** A URL that came late was visited again afterwards, if at all: its first ends are those that do not count. */
function isLate(left: Map<string, number>, { low, high }: EndedUrl): boolean {
  if (left.size === 0) return false;
  const key = lateKey(low, high);
  const count = left.get(key) ?? 0;
  if (count > 0) left.set(key, count - 1);
  return count > 0;
}

const ended = new DoneReader();

/**
 * Calls `onEnd` for each URL that ends in a batch; answers how many more URLs it admits than it ends. Most of a batch is
 * links, which are skipped.
 */
function eachEnd(batch: EventBytes, onEnd: (ended: EndedUrl) => void): number {
  const cursor = new EventCursor();
  cursor.open(batch);
  let more = 0;
  while (cursor.next()) {
    if (cursor.kind === EVENT.admit) more += admittedBy(cursor);
    else if (cursor.kind === EVENT.done) {
      ended.read(cursor);
      onEnd(ended);
      more--;
    }
  }
  return more;
}

/** How many URLs the admission admits at which a cursor is. */
function admittedBy(cursor: EventCursor): number {
  return (cursor.to - cursor.linksTo()) / FINGERPRINT_BYTES;
}

/** Adds the fingerprints of the URLs that end in a batch; answers how many more URLs it admits than it ends. */
function addEnds(batch: EventBytes, into: SeenSet): number {
  const cursor = new EventCursor();
  cursor.open(batch);
  let more = 0;
  while (cursor.next()) {
    if (cursor.kind === EVENT.admit) more += admittedBy(cursor);
    else if (cursor.kind === EVENT.done) {
      const { bytes, from } = cursor;
      if (into.addFingerprint(word(bytes, from), word(bytes, from + 4))) more--;
    }
  }
  return more;
}
