import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { checkDone, readDone } from "../../frontier/fold/done-list.ts";
import { enqueueWaiting, waitingTest } from "../../frontier/fold/recover-shard.ts";
import { openSnapshot } from "../../frontier/fold/snapshot.ts";
import { EVENT } from "../../frontier/journal/event-batch.ts";
import { decodeDone, type EventBytes, EventCursor } from "../../frontier/journal/event-cursor.ts";
import { segmentName } from "../../frontier/journal/journal-files.ts";
import {
  decodeSegmentHeader,
  SEGMENT_HEADER_BYTES,
} from "../../frontier/journal/journal-format.ts";
import { listJournals } from "../../frontier/journal/journal-listing.ts";
import {
  type Damage,
  type JournalEnd,
  readJournal,
  repairTail,
} from "../../frontier/journal/journal-reader.ts";
import { eachLink, type WaitingLink } from "../../frontier/link/waiting-run.ts";
import { word } from "../../frontier/link/words.ts";
import { SeenSet } from "../../frontier/seen/seen-set.ts";
import { repairFile } from "../warc/repair.ts";
import type { EndedUrl, JournalView } from "./committed.ts";

const PRINT_BYTES = 8;

/** What opening the journals of a crawl found beside their content. */
export interface OpenedJournals {
  /** Undefined when the crawl keeps no journal. */
  readonly view: JournalView | undefined;
  readonly damages: readonly Damage[];
  /** Bytes that were put right. */
  readonly repaired: readonly Damage[];
  /** Torn tails that were cut off; nothing of them was ever acknowledged. */
  readonly cut: readonly {
    readonly file: string;
    readonly offset: number;
    readonly bytes: number;
  }[];
}

/** Seeds of the fingerprints of a crawl, and how many journals it was begun with, as far as that is known. */
export type Seeds = Pick<JournalView, "seedLow" | "seedHigh"> & { readonly journals?: number };

/**
 * Opens the journals of a folder: cuts torn tails, reports damage, keeps everything that is intact. Everything is read
 * once for that; `meet` gets the ends of URLs that come by, which spares who wants no more a second reading.
 */
export function openJournals(
  folder: string,
  seeds: Seeds | undefined,
  meet?: (ended: EndedUrl) => void,
): OpenedJournals {
  const shards = shardsIn(folder, seeds?.journals);
  const begun = seeds?.journals !== undefined;
  const damages: Damage[] = [];
  const repaired: Damage[] = [];
  const cut: OpenedJournals["cut"][number][] = [];
  if (seeds === undefined || shards.length === 0)
    return { view: undefined, damages, repaired, cut };
  const salvage = (damage: Damage) =>
    (damage.repair === undefined ? damages : repaired).push(damage);
  const ends = new Map<number, JournalEnd>();
  for (const shard of shards) {
    checkDone(folder, shard, salvage);
    for (const batch of allDone(folder, shard, salvage)) meetEnds(batch, meet);
    const reader = tail(folder, shard, salvage, begun);
    let step = reader.next();
    for (; !step.done; step = reader.next()) meetEnds(step.value, meet);
    ends.set(shard, step.value);
    const { torn } = step.value;
    if (torn === undefined) continue;
    cut.push({ file: torn.file, offset: torn.offset, bytes: torn.bytes });
    repairTail(step.value, folder);
  }
  for (const { file, offset, repair } of repaired) repairFile(file, [{ offset, value: repair! }]);
  const view =
    damages.length > 0 ? salvagedView(folder, shards, seeds) : wholeView(folder, ends, seeds);
  return { view, damages, repaired, cut };
}

/** The seeds that the journals themselves name, for a crawl whose state is lost. */
export function seedsInJournals(folder: string): Seeds | undefined {
  for (const shard of shardsIn(folder)) {
    for (const segment of listJournals(folder)(shard).segments) {
      const header = readSegmentHeader(join(folder, segmentName(shard, segment)));
      if (typeof header === "object") return header;
    }
  }
  return undefined;
}

function readSegmentHeader(path: string): ReturnType<typeof decodeSegmentHeader> {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
  const file = openSync(path, "r");
  try {
    return decodeSegmentHeader(bytes.subarray(0, readSync(file, bytes)));
  } finally {
    closeSync(file);
  }
}

/** Numbers of the shards that have a journal in the folder, or were begun with one. */
export function shardsIn(folder: string, begun = 0): number[] {
  if (!existsSync(folder)) return [];
  const numbers = readdirSync(folder).map(
    (name) => /^shard-(\d+)\.\d+\.(?:journal|snapshot|done)$/.exec(name)?.[1],
  );
  const found = numbers.filter((number) => number !== undefined).map(Number);
  return [...new Set([...found, ...Array(begun).keys()])].sort((a, b) => a - b);
}

/** The batches behind the newest snapshot. */
function tail(folder: string, shard: number, salvage: (damage: Damage) => void, begun = false) {
  const snapshot = openSnapshot(folder, shard, salvage);
  const after = snapshot === undefined ? {} : { after: snapshot.end };
  return readJournal({ folder, shard, begun, salvage, ...after });
}

/** All done events that are not in segments any more. When their snapshot is missing the lists count all the same. */
function allDone(folder: string, shard: number, salvage: (damage: Damage) => void) {
  return readDone(folder, shard, salvage, Number.POSITIVE_INFINITY);
}

/** What journals say in which nothing is damaged: no checksum is computed twice, and nothing comes by twice. */
function wholeView(
  folder: string,
  ends: ReadonlyMap<number, JournalEnd>,
  { seedLow, seedHigh }: Seeds,
): JournalView {
  const again = (shard: number) => {
    const snapshot = openSnapshot(folder, shard);
    const after = snapshot === undefined ? {} : { after: snapshot.end };
    const batches = () => readJournal({ folder, shard, checked: ends.get(shard)!, ...after });
    return { snapshot, batches };
  };
  return {
    seedLow,
    seedHigh,
    *ended(): Generator<EndedUrl, void> {
      for (const shard of ends.keys())
        for (const batches of [readDone(folder, shard), again(shard).batches()])
          for (const batch of batches) yield* endsIn(batch);
    },
    eachWaiting(meet: (link: WaitingLink) => void): void {
      for (const shard of ends.keys()) {
        const { snapshot, batches } = again(shard);
        // What ended before the snapshot does not wait in it.
        const finished = new SeenSet();
        let waiting = 0;
        for (const batch of batches()) waiting += addEnds(batch, finished);
        // As after most crawls: as many ended as were admitted, and only what was admitted ends.
        if (snapshot === undefined && waiting === 0) continue;
        const queued = snapshot?.queued(true) ?? [];
        const isWaiting = waitingTest({ repeated: 0, contradictions: [] }, finished);
        enqueueWaiting(isWaiting, queued, batches(), (run) => eachLink(run, meet));
      }
    },
  };
}

/** What is left of damaged journals: an older snapshot may have to do, and what a salvage shows twice counts once. */
function salvagedView(
  folder: string,
  shards: readonly number[],
  { seedLow, seedHigh }: Seeds,
): JournalView {
  // Damage was reported when the journals were opened.
  const silent = () => {};
  const ended = function* (shard: number, ends: SeenSet): Generator<EndedUrl, void> {
    for (const batches of [allDone(folder, shard, silent), tail(folder, shard, silent)])
      for (const batch of batches)
        for (const one of endsIn(batch)) if (ends.addFingerprint(one.low, one.high)) yield one;
  };
  return {
    seedLow,
    seedHigh,
    *ended(): Generator<EndedUrl, void> {
      for (const shard of shards) yield* ended(shard, new SeenSet());
    },
    eachWaiting(meet: (link: WaitingLink) => void): void {
      for (const shard of shards) {
        const met = new SeenSet();
        for (const _ of ended(shard, met));
        const isWaiting = waitingTest({ repeated: 1, contradictions: [] }, met);
        const queued = openSnapshot(folder, shard, silent)?.queued() ?? [];
        enqueueWaiting(isWaiting, queued, tail(folder, shard, silent), (run) =>
          eachLink(run, meet),
        );
      }
    },
  };
}

/** Calls `meet` for each end of a URL in a batch. Most of a batch is links, which are passed over unread. */
function meetEnds(batch: EventBytes, meet: ((ended: EndedUrl) => void) | undefined): void {
  if (meet === undefined) return;
  const cursor = new EventCursor();
  cursor.open(batch);
  while (cursor.next()) if (cursor.kind === EVENT.done) meet(decodeDone(cursor));
}

function endsIn(batch: EventBytes): EndedUrl[] {
  const met: EndedUrl[] = [];
  meetEnds(batch, (one) => met.push(one));
  return met;
}

/** Adds the fingerprints of the URLs that end in a batch; answers how many more it admits than these. */
function addEnds(batch: EventBytes, into: SeenSet): number {
  const cursor = new EventCursor();
  cursor.open(batch);
  let more = 0;
  while (cursor.next()) {
    if (cursor.kind === EVENT.admit) more += (cursor.to - cursor.linksTo()) / PRINT_BYTES;
    else if (cursor.kind === EVENT.done) {
      const { bytes, from } = cursor;
      if (into.addFingerprint(word(bytes, from), word(bytes, from + 4))) more--;
    }
  }
  return more;
}
