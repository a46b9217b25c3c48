import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { DiskFullError } from "../errors.ts";
import type { PageLocation } from "../frontier/journal/event-batch.ts";
import { Builder, type BuilderOptions } from "../store/builder.ts";
import { BytePipe } from "../sync/byte-pipe.ts";
import { monotonicMs } from "../sync/clock.ts";
import { readCapture } from "./capture-frame.ts";
import { FRAMES, type Frame } from "./frames.ts";
import { FrameReader } from "./hand-off.ts";
import { type DeskOptions, JournalDesk, type OpenJournal } from "./journal-desk.ts";
import type { PlaceOfRecord } from "./journal-port.ts";
import {
  Account,
  bellsOf,
  Control,
  type CrawlMemory,
  HURRY_LEVELS,
  MODES,
} from "./shared-memory.ts";

/** What a builder thread is given. */
export interface BuildRules {
  readonly builder: number;
  readonly builders: number;
  readonly memory: CrawlMemory;
  readonly options: BuilderOptions;
  /** Undefined for a frontier that keeps no journal: then nothing is synced before the end. */
  readonly journals: DeskOptions | undefined;
  readonly syncEveryMs: number;
}

/** What the supervisor says to a builder. */
export type ToBuilder = {
  /** A crawler is dead: what it handed over whole is stored, its journals are closed, the next one uses a new pipe. */
  readonly kind: "crawlerDied";
  readonly thread: number;
  readonly pipe: SharedArrayBuffer;
};

/** What a builder says to the supervisor. */
export type FromBuilder =
  | { readonly kind: "closed"; readonly thread: number }
  | { readonly kind: "diskFull"; readonly message: string }
  | { readonly kind: "diskFree" }
  | { readonly kind: "places"; readonly thread: number; readonly places: readonly PlaceOfRecord[] }
  /** Segments up to this one are closed and may be compacted. */
  | { readonly kind: "segments"; readonly closed: readonly [shard: number, segment: number][] };

/** Frames taken from one crawler before the next one's turn. */
const TURN = 64;
/** Looks by itself this often: crawlers with little to hand over do not wake it. */
const SLEEP_MS = 200;
/** A crawler with idle places is answered within this time. */
const SOON_MS = 100;
/** Pause between two tries on a full disk; a crawl that is told to end gives up after some of them. */
const FULL_RETRY_MS = 250;
const FULL_TRIES_AT_END = 20;

const rules = workerData as BuildRules;
const { builder: me, builders, memory } = rules;
const port = parentPort!;
const say = (message: FromBuilder): void => port.postMessage(message);
const control = new Control(memory);
const bells = bellsOf(memory);
const bell = bells[memory.threads + me]!;
const stored = new Int32Array(memory.stored);
const builder = new Builder(rules.options);
const desk = rules.journals === undefined ? undefined : new JournalDesk(rules.journals);

interface Source {
  readonly thread: number;
  readonly account: Account;
  frames: FrameReader;
  /** Frames read and not yet answered. */
  unanswered: number;
  /** Where the records are that no journal has named yet. */
  places: Map<number, PageLocation>;
  /** Places that the crawler wants to know once they are durable. */
  asked: PlaceOfRecord[];
  records: number;
}

const crawlers: Source[] = memory.pipes
  .map((pipe, thread) => source(pipe, thread))
  .filter(({ thread }) => thread % builders === me);

/** When the oldest unanswered frame was read. */
let waitingSinceMs = Number.POSITIVE_INFINITY;
let mustCommit = false;
let segmentsSaid = "";

for (;;) {
  const mayEnd = control.buildersMayEnd;
  const { notes } = control;
  for (let note = receiveMessageOnPort(port); note; note = receiveMessageOnPort(port)) {
    hear(note.message as ToBuilder);
  }
  let worked = false;
  for (const crawler of crawlers) if (readSome(crawler)) worked = true;
  if (isTimeToCommit(worked)) commit();
  else if (!worked) {
    // Read before the look at the pipes: what came later than the permission to end cannot exist.
    if (mayEnd) break;
    const armed = bell.arm();
    const news = crawlers.some(
      ({ frames, account }) => !frames.empty || account.hurried === HURRY_LEVELS.now,
    );
    const told = control.notes !== notes || control.buildersMayEnd;
    if (news || told || isTimeToCommit(false)) bell.disarm();
    else bell.sleep(armed, sleepMs());
  }
}
commit();
patiently(() => builder.close());
desk?.close();
port.close();

function source(pipe: SharedArrayBuffer, thread: number): Source {
  return {
    thread,
    account: new Account(memory, thread),
    frames: new FrameReader(new BytePipe(pipe)),
    unanswered: 0,
    places: new Map(),
    asked: [],
    records: 0,
  };
}

function hear({ thread, pipe }: ToBuilder): void {
  const crawler = crawlers.find((each) => each.thread === thread)!;
  // What was handed over whole is as good as any; of what came last only a part may be there.
  while (readSome(crawler));
  commit();
  desk?.close(thread);
  Object.assign(crawler, source(pipe, thread));
  say({ kind: "closed", thread });
}

function readSome(crawler: Source): boolean {
  let count = 0;
  while (count < TURN) {
    const frame = crawler.frames.next();
    if (frame === undefined) break;
    storeFrame(crawler, frame);
    count++;
  }
  // Also a part of a large frame makes room that its crawler may be waiting for.
  if (crawler.frames.roomMade() === 0) return false;
  if (count > 0 && crawler.unanswered === 0) {
    waitingSinceMs = Math.min(waitingSinceMs, monotonicMs());
  }
  crawler.unanswered += count;
  bells[crawler.thread]!.ring();
  return true;
}

function isTimeToCommit(worked: boolean): boolean {
  if (waitingSinceMs === Number.POSITIVE_INFINITY) return false;
  if (mustCommit) return true;
  const waitedMs = monotonicMs() - waitingSinceMs;
  if (waitedMs >= (desk === undefined ? SOON_MS : rules.syncEveryMs)) return true;
  let hurry: number = HURRY_LEVELS.none;
  for (const { account } of crawlers) hurry = Math.max(hurry, account.hurried);
  // Whoever has more to give is heard first: one commit for all of it.
  if (hurry === HURRY_LEVELS.now) return !worked || waitedMs >= SOON_MS;
  return hurry === HURRY_LEVELS.soon && waitedMs >= SOON_MS;
}

function sleepMs(): number {
  if (waitingSinceMs === Number.POSITIVE_INFINITY) return SLEEP_MS;
  const waitedMs = monotonicMs() - waitingSinceMs;
  const soon = crawlers.some(({ account }) => account.hurried > 0) || desk === undefined;
  return Math.max(1, Math.min(SLEEP_MS, (soon ? SOON_MS : rules.syncEveryMs) - waitedMs));
}

/**
 * The commit point. Records first, then the journals that speak of them: with the order the other way round a loss of
 * power could leave a page that is done and not in the archive.
 */
function commit(): void {
  // A wish that is forgotten here was made after its frames were written, so they are read now.
  for (const crawler of crawlers) {
    crawler.account.calm();
    while (readSome(crawler));
  }
  patiently(() => builder.flush());
  if (desk !== undefined) {
    builder.syncArchive();
    patiently(() => desk.append());
    desk.sync();
    saySegments();
  }
  waitingSinceMs = Number.POSITIVE_INFINITY;
  mustCommit = false;
  for (const crawler of crawlers) {
    if (crawler.unanswered === 0) continue;
    if (crawler.asked.length > 0) {
      say({ kind: "places", thread: crawler.thread, places: crawler.asked });
      crawler.asked = [];
    }
    Atomics.add(stored, crawler.thread, crawler.unanswered);
    crawler.unanswered = 0;
    bells[crawler.thread]!.ring();
  }
}

function saySegments(): void {
  const closed = desk!.closedSegments().filter(([, segment]) => segment > 0);
  const text = JSON.stringify(closed);
  if (text === segmentsSaid || closed.length === 0) return;
  segmentsSaid = text;
  say({ kind: "segments", closed });
}

/** Repeats a step that left nothing behind until the disk has room for it; the crawlers wait meanwhile. */
function patiently<T>(step: () => T): T {
  for (let tries = 0, atEnd = 0; ; tries++) {
    try {
      const result = step();
      if (tries > 0) say({ kind: "diskFree" });
      return result;
    } catch (fault) {
      if (!(fault instanceof DiskFullError)) throw fault;
      if (tries === 0) say({ kind: "diskFull", message: fault.message });
      if (
        control.mode === MODES.abort ||
        (control.mode !== MODES.run && ++atEnd > FULL_TRIES_AT_END)
      ) {
        throw fault;
      }
      bell.sleep(bell.arm(), FULL_RETRY_MS);
    }
  }
}

function storeFrame(crawler: Source, { kind, parts }: Frame): void {
  if (kind === FRAMES.capture) storeCapture(crawler, parts);
  else if (kind === FRAMES.journal) {
    const shard = parts[0]!.readUInt16LE(0);
    const placeOf = (record: number) => takePlace(crawler, record);
    if (desk!.take(shard, parts[1]!, placeOf)) mustCommit = true;
  } else if (kind === FRAMES.askPlace) {
    const record = parts[0]!.readUInt32LE(0);
    crawler.asked.push([record, takePlace(crawler, record)]);
  } else if (kind === FRAMES.openJournal) {
    const open: OpenJournal = JSON.parse(parts[0]!.toString("utf8"));
    patiently(() => desk!.open(crawler.thread, open));
  } else if (kind === FRAMES.outcome) {
    patiently(() => builder.outcome(parts[0]!.toString("utf8")));
  } else if (kind === FRAMES.skipped) {
    for (const line of parts[0]!.toString("utf8").split("\n")) {
      patiently(() => builder.skipped(JSON.parse(line)));
    }
  }
}

function takePlace(crawler: Source, record: number): PageLocation {
  const place = crawler.places.get(record)!;
  crawler.places.delete(record);
  return place;
}

function storeCapture(crawler: Source, parts: readonly Buffer[]): void {
  const { capture, line } = readCapture(parts);
  const place = patiently(() => builder.page(capture));
  if (desk !== undefined) crawler.places.set(crawler.records++, place);
  const end =
    place.file === "" ? "}" : `,"file":${JSON.stringify(place.file)},"offset":${place.offset}}`;
  patiently(() => builder.outcome(line.slice(0, -1) + end));
}
