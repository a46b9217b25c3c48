import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { CrawlConfig } from "../../config/schema.ts";
import type { PageLocation } from "../../frontier/finish.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { Builder, type BuilderOptions } from "../../store/builder.ts";
import { FLUSH, type HandOffBuffer } from "../../sync/hand-off-buffer.ts";
import { BufferPlan } from "../hand-off/buffer-plan.ts";
import { BufferReader } from "../hand-off/buffer-reader.ts";
import { HAND_OVER_AFTER_MS } from "../hand-off/buffer-sender.ts";
import { readCapture } from "../hand-off/capture-frame.ts";
import { FRAMES, type Frame } from "../hand-off/frames.ts";
import type { PlaceOfRecord } from "../hand-off/hand-off-port.ts";
import { openBuffer } from "../hand-off/open-buffer.ts";
import { Account, bellsOf, Control, type CrawlMemory, HURRY_LEVELS } from "../shared-memory.ts";
import { type DiskNews, DiskPatience } from "./disk-patience.ts";
import { JournalWriters, type OpenJournal, type OwnedShardOptions } from "./journal-writers.ts";

/** What a builder thread is given. */
export interface BuildRules {
  readonly builder: number;
  readonly config: CrawlConfig;
  readonly memory: CrawlMemory;
  readonly options: BuilderOptions;
  /** Undefined for a frontier that keeps no journal: then nothing is synced before the end. */
  readonly journals: OwnedShardOptions | undefined;
}

/** What the supervisor says to a builder. */
export type ToBuilder = {
  /** A crawler is dead: what it put whole is stored, what it held of its buffer is free again, its journals are closed. */
  readonly kind: "crawlerDied";
  readonly thread: number;
};

/** What a builder says to the supervisor. */
export type FromBuilder =
  | { readonly kind: "closed"; readonly thread: number }
  | DiskNews
  | { readonly kind: "places"; readonly thread: number; readonly places: readonly PlaceOfRecord[] }
  /** Segments up to this one are closed and may be compacted. */
  | { readonly kind: "segments"; readonly closed: readonly [shard: number, segment: number][] };

/** Frames read of one crawler before the next one's turn; their room goes back then. */
const TURN = 64;
/** A crawler with idle places is answered within this time. */
const SOON_MS = 100;

const rules = workerData as BuildRules;
const { builder: me, config, memory } = rules;
const isTogether = config.handOff === "full";
const port = parentPort!;
const say = (message: FromBuilder): void => port.postMessage(message);
const control = new Control(memory);
const bells = bellsOf(memory);
const bell = bells[memory.threads + me]!;
const stored = new Int32Array(memory.stored);
const patience = new DiskPatience(control, bell, say);
const builder: Builder = patience.repeat(
  () => new Builder(rules.options),
  () => {},
);
const desk = rules.journals === undefined ? undefined : new JournalWriters(rules.journals);

/** One crawler that this builder works for. */
interface Source {
  readonly thread: number;
  readonly account: Account;
  /** Records read and not yet answered. */
  unanswered: number;
  /** Where the records are that no journal has named yet. */
  places: Map<number, PageLocation>;
  /** Places that the crawler wants to know once they are durable. */
  asked: PlaceOfRecord[];
  records: number;
}

/** A buffer that this builder empties, and its crawlers in the order of their lanes. */
interface Intake {
  readonly buffer: HandOffBuffer;
  readonly reader: BufferReader;
  readonly lanes: Source[];
}

const plan = new BufferPlan(config);
const intakes: Intake[] = plan.buffersOf(me).map((number) => {
  const buffer = openBuffer(memory, config, number);
  return { buffer, reader: new BufferReader(buffer), lanes: plan.crawlersOf(number).map(source) };
});
const crawlers = intakes.flatMap(({ lanes }) => lanes);

/** When the oldest unanswered frame was read. */
let waitingSinceMs = Number.POSITIVE_INFINITY;
let mustCommit = false;
let segmentsSaid = "";

try {
  build();
  commit();
  store(() => builder.close());
  desk?.close();
} catch (fault) {
  patience.outlast(fault, rules.options.folder);
  throw fault;
}
port.close();

/** Stores what comes until nobody writes any more. */
function build(): void {
  for (;;) {
    const mayEnd = control.buildersMayEnd;
    const { notes } = control;
    for (let note = receiveMessageOnPort(port); note; note = receiveMessageOnPort(port)) {
      hear(note.message as ToBuilder);
    }
    let worked = false;
    for (const intake of intakes) if (isDue(intake, mayEnd) && readSome(intake)) worked = true;
    if (isTimeToCommit(worked)) commit();
    else if (!worked) {
      // Read before the look at the buffers: what came later than the permission to end cannot exist.
      if (mayEnd) return;
      const armed = bell.arm();
      const called = intakes.some(({ buffer }) => buffer.isCalled());
      const hurried = !isTogether && crawlers.some(isInHurry);
      const told = control.notes !== notes || control.buildersMayEnd;
      if (called || hurried || told || isTimeToCommit(false)) bell.disarm();
      else bell.sleep(armed, sleepMs());
      // A wish that came when its records were answered already would keep this thread looking until the next ones come.
      if (hurried && !isAnyoneWaiting()) commit();
    }
  }
}

function source(thread: number): Source {
  return {
    thread,
    account: new Account(memory, thread),
    unanswered: 0,
    places: new Map(),
    asked: [],
    records: 0,
  };
}

function isAnyoneWaiting(): boolean {
  return waitingSinceMs !== Number.POSITIVE_INFINITY;
}

function isInHurry({ account }: Source): boolean {
  return account.hurried === HURRY_LEVELS.now;
}

function hear({ thread }: ToBuilder): void {
  const { buffer, reader, lanes } = intakes.find(({ lanes: each }) =>
    each.some((crawler) => crawler.thread === thread),
  )!;
  const lane = plan.laneOf(thread);
  buffer.reclaim(lane);
  // What was handed over whole is as good as any; of what came last only a part may be there.
  commit(true);
  reader.forget(lane);
  desk?.close(thread);
  Object.assign(lanes[lane]!, source(thread));
  // The other one may have waited for the permit.
  for (const crawler of lanes) bells[crawler.thread]!.ring();
  say({ kind: "closed", thread });
}

/** With "full" a buffer that nobody has called for is left alone. */
function isDue({ buffer, reader }: Intake, anyway: boolean): boolean {
  // A call that comes meanwhile is about what was put since.
  if (reader.isReading) return true;
  const why = buffer.takeCall();
  if (!isTogether) return true;
  // Who has nothing in flight waits for this commit.
  if ((why & FLUSH) !== 0) mustCommit = true;
  return anyway || why !== 0;
}

function readSome({ reader, lanes }: Intake): boolean {
  if (!reader.take()) return false;
  const turn = isTogether ? config.bufferSize : TURN;
  const { counts, wanting } = reader.read(turn, (frame, lane) => storeFrame(lanes[lane]!, frame));
  for (const [lane, crawler] of lanes.entries()) {
    const count = counts[lane]!;
    if (count > 0) waitingSinceMs = Math.min(waitingSinceMs, monotonicMs());
    crawler.unanswered += count;
    if ((wanting & (1 << lane)) !== 0) bells[crawler.thread]!.ring();
  }
  return true;
}

function isTimeToCommit(worked: boolean): boolean {
  if (!isAnyoneWaiting()) {
    mustCommit = false;
    return false;
  }
  if (mustCommit) return true;
  const waitedMs = monotonicMs() - waitingSinceMs;
  if (waitedMs >= (desk === undefined ? SOON_MS : config.syncEveryMs)) return true;
  let hurry: number = HURRY_LEVELS.none;
  for (const { account } of crawlers) hurry = Math.max(hurry, account.hurried);
  // Whoever has more to give is heard first: one commit for all of it.
  if (hurry === HURRY_LEVELS.now) return !worked || waitedMs >= SOON_MS;
  return hurry === HURRY_LEVELS.soon && waitedMs >= SOON_MS;
}

function sleepMs(): number {
  if (!isAnyoneWaiting()) return HAND_OVER_AFTER_MS;
  const waitedMs = monotonicMs() - waitingSinceMs;
  const soon = crawlers.some(({ account }) => account.hurried > 0) || desk === undefined;
  return Math.max(
    1,
    Math.min(HAND_OVER_AFTER_MS, (soon ? SOON_MS : config.syncEveryMs) - waitedMs),
  );
}

/**
 * The commit point. Records first, then the journals that speak of them: with the order the other way round a loss of
 * power could leave a page that is done and not in the archive.
 */
function commit(anyway = false): void {
  // A wish that is forgotten here was made after its records were put, so they are read now; or it is made again.
  for (const { account } of crawlers) account.calm();
  for (const intake of intakes) while (isDue(intake, anyway) && readSome(intake));
  store(() => builder.flush());
  if (desk !== undefined) {
    builder.syncArchive();
    store(() => desk.append());
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

/** A step that writes, or may have to; repeated until the disk takes it and everything before it. */
function store<T>(step: () => T): T {
  return patience.repeat(step, () => builder.flush());
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
    store(() => desk!.open(crawler.thread, open));
  } else if (kind === FRAMES.outcome) {
    store(() => builder.outcome(parts[0]!.toString("utf8")));
  } else if (kind === FRAMES.skipped) {
    for (const line of parts[0]!.toString("utf8").split("\n")) {
      store(() => builder.skipped(JSON.parse(line)));
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
  const place = store(() => builder.page(capture));
  if (desk !== undefined) crawler.places.set(crawler.records++, place);
  store(() => builder.captured(line, place));
}
