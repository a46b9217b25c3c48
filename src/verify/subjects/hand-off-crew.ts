import type { Doorbell } from "../../sync/doorbell.ts";
import { FIRST, framesOf, type HandOffBuffer, LAST, totalOf } from "../../sync/hand-off-buffer.ts";
import { report } from "../scenario.ts";

/** A crawler's items that are put and not yet stored; how many crawlers are at work; whether they are told to stop. */
const OUTSTANDING = 0;
const WORKING = 2;
const STOP = 3;
export const CREW_WORDS = 4;
const FOREVER = Number.POSITIVE_INFINITY;

/** What the builder reports before the items of a batch that it was called for because the buffer is full. */
export const FULL_BATCH = 1000;
/** What a crawler reports of an item that it keeps because it was told to stop. */
export const KEPT = 2000;

/** One thread's view of two crawlers, a buffer and a builder. */
export interface Crew {
  readonly buffer: HandOffBuffer;
  readonly words: Int32Array;
  readonly bells: readonly Doorbell[];
  readonly box: Uint8Array;
  readonly parts: readonly Uint8Array[];
}

/** Call once before the threads start. */
export function setUp(crew: Crew): void {
  Atomics.store(crew.words, WORKING, 2);
}

/** Brings items, then says that it has nothing more and waits until they are stored. Never blocks but on its bell. */
export function crawl(crew: Crew, lane: number, count: number, together: boolean): void {
  for (let n = 0; n < count; n++) {
    crew.box[0] = 10 * (lane + 1) + n;
    if (bring(crew, lane)) Atomics.add(crew.words, OUTSTANDING + lane, 1);
    else report(KEPT + crew.box[0]!);
  }
  if (together) crew.buffer.idle(lane);
  else crew.buffer.flush();
  awaitStored(crew, lane);
  leave(crew);
}

/** Has nothing at first and says so; then something comes after all. */
export function crawlLate(crew: Crew, lane: number, count: number): void {
  crew.buffer.idle(lane);
  crew.buffer.busy(lane);
  crawl(crew, lane, count, true);
}

/** Brings one item and may die anywhere; whoever buries it says that it works no more. */
export function crawlMortally(crew: Crew): void {
  crew.box[0] = 10;
  bring(crew, 0);
}

function leave(crew: Crew): void {
  if (Atomics.sub(crew.words, WORKING, 1) === 1) ringBuilder(crew);
}

/** What the supervisor says for a crawler that died. */
export function bury(crew: Crew, lane: number): void {
  crew.buffer.reclaim(lane);
  ringAll(crew);
  leave(crew);
}

/** Tells the crawlers to stop. */
export function interrupt(crew: Crew): void {
  Atomics.store(crew.words, STOP, 1);
  ringAll(crew);
}

function bring(crew: Crew, lane: number): boolean {
  const bell = crew.bells[lane]!;
  for (;;) {
    if (crew.buffer.tryPut(lane, crew.parts, FIRST | LAST)) return true;
    if (!crew.buffer.hasRoom(lane, crew.box.length)) crew.buffer.flush();
    const armed = bell.arm();
    crew.buffer.want(lane);
    if (crew.buffer.tryPut(lane, crew.parts, FIRST | LAST)) {
      bell.disarm();
      return true;
    }
    if (Atomics.load(crew.words, STOP) === 1) {
      bell.disarm();
      return false;
    }
    bell.sleep(armed, FOREVER);
  }
}

function awaitStored(crew: Crew, lane: number): void {
  const bell = crew.bells[lane]!;
  for (;;) {
    const armed = bell.arm();
    if (Atomics.load(crew.words, OUTSTANDING + lane) === 0) {
      bell.disarm();
      return;
    }
    bell.sleep(armed, FOREVER);
  }
}

/** Takes over whenever it is called, until no crawler works any more. */
export function build(crew: Crew): void {
  const bell = crew.bells[2]!;
  for (;;) {
    const why = crew.buffer.takeCall();
    if (why !== 0) {
      store(crew, why);
      continue;
    }
    const armed = bell.arm();
    const over = Atomics.load(crew.words, WORKING) === 0;
    if (crew.buffer.isCalled()) {
      bell.disarm();
      continue;
    }
    if (over) {
      bell.disarm();
      return;
    }
    bell.sleep(armed, FOREVER);
  }
}

function store(crew: Crew, why: number): void {
  const batch = crew.buffer.take();
  if (batch === 0) return;
  if (why === 1) report(FULL_BATCH + framesOf(batch, 0) + framesOf(batch, 1));
  for (let lane = 0; lane < 2; lane++) {
    for (let left = framesOf(batch, lane); left > 0; left--) {
      crew.buffer.next(lane);
      const bytes = crew.buffer.read(lane);
      report(bytes[0]!);
    }
  }
  const wanting = crew.buffer.giveBack(totalOf(batch));
  for (let lane = 0; lane < 2; lane++) {
    const stored = framesOf(batch, lane);
    Atomics.sub(crew.words, OUTSTANDING + lane, stored);
    const bell = crew.bells[lane]!;
    if (stored > 0 || (wanting & (1 << lane)) !== 0) bell.ring();
  }
}

function ringAll(crew: Crew): void {
  for (let lane = 0; lane < 2; lane++) {
    const bell = crew.bells[lane]!;
    bell.ring();
  }
}

function ringBuilder(crew: Crew): void {
  const bell = crew.bells[2]!;
  bell.ring();
}
