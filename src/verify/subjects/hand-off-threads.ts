import type { Doorbell } from "../../sync/doorbell.ts";
import { FIRST, framesOf, type HandOffBuffer, LAST, totalOf } from "../../sync/hand-off-buffer.ts";
import { report } from "../scenario.ts";

/** Items of each crawler that are not stored yet; how many crawlers work; whether they are to stop. */
const OUTSTANDING = 0;
const WORKING = 2;
const STOP = 3;
export const HAND_OFF_WORDS = 4;
/** The bell of the builder, behind those of the two crawlers. */
const BUILDER = 2;
const FOREVER = Number.POSITIVE_INFINITY;

/** What the builder reports before the items of a batch that it was called for because the buffer is full. */
export const FULL_BATCH = 1000;
/** What a crawler reports of an item that it keeps because it was told to stop. */
export const KEPT = 2000;

/** One thread's view of two crawlers, a buffer and a builder. */
export interface HandOffView {
  readonly buffer: HandOffBuffer;
  readonly words: Int32Array;
  readonly bells: readonly Doorbell[];
  readonly box: Uint8Array;
  readonly parts: readonly Uint8Array[];
}

/** Call once before the threads start. */
export function setUp(view: HandOffView): void {
  Atomics.store(view.words, WORKING, 2);
}

/** Hands items over, announces that it has nothing more and waits until they are stored. Blocks only on its bell. */
export function crawl(view: HandOffView, lane: number, count: number, together: boolean): void {
  for (let n = 0; n < count; n++) {
    view.box[0] = 10 * (lane + 1) + n;
    if (put(view, lane)) Atomics.add(view.words, OUTSTANDING + lane, 1);
    else report(KEPT + view.box[0]!);
  }
  if (together) view.buffer.idle(lane);
  else view.buffer.flush();
  awaitStored(view, lane);
  leave(view);
}

/** Has nothing at first and announces that; then something comes after all. */
export function crawlLate(view: HandOffView, lane: number, count: number): void {
  view.buffer.idle(lane);
  view.buffer.busy(lane);
  crawl(view, lane, count, true);
}

/** Hands one item over and may die anywhere; `afterDeath` then counts it as ended. */
export function crawlMortally(view: HandOffView): void {
  view.box[0] = 10;
  put(view, 0);
}

function leave(view: HandOffView): void {
  if (Atomics.sub(view.words, WORKING, 1) === 1) view.bells[BUILDER]!.ring();
}

/** What the supervisor does for a crawler that died. */
export function afterDeath(view: HandOffView, lane: number): void {
  view.buffer.reclaim(lane);
  ringAll(view);
  leave(view);
}

/** Tells the crawlers to stop. */
export function interrupt(view: HandOffView): void {
  Atomics.store(view.words, STOP, 1);
  ringAll(view);
}

function put(view: HandOffView, lane: number): boolean {
  const bell = view.bells[lane]!;
  for (;;) {
    if (view.buffer.tryPut(lane, view.parts, FIRST | LAST)) return true;
    if (!view.buffer.hasRoom(lane, view.box.length)) view.buffer.flush();
    const armed = bell.arm();
    view.buffer.want(lane);
    const isIn = view.buffer.tryPut(lane, view.parts, FIRST | LAST);
    if (isIn || Atomics.load(view.words, STOP) === 1) {
      bell.disarm();
      return isIn;
    }
    bell.sleep(armed, FOREVER);
  }
}

function awaitStored(view: HandOffView, lane: number): void {
  const bell = view.bells[lane]!;
  for (;;) {
    const armed = bell.arm();
    if (Atomics.load(view.words, OUTSTANDING + lane) === 0) {
      bell.disarm();
      return;
    }
    bell.sleep(armed, FOREVER);
  }
}

/** Stores what is handed over whenever it is called, until no crawler works any more. */
export function build(view: HandOffView): void {
  const bell = view.bells[BUILDER]!;
  for (;;) {
    const why = view.buffer.takeCall();
    if (why !== 0) {
      store(view, why);
      continue;
    }
    const armed = bell.arm();
    const over = Atomics.load(view.words, WORKING) === 0;
    if (view.buffer.isCalled()) {
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

function store(view: HandOffView, why: number): void {
  const batch = view.buffer.take();
  if (batch === 0) return;
  if (why === 1) report(FULL_BATCH + framesOf(batch, 0) + framesOf(batch, 1));
  for (let lane = 0; lane < 2; lane++) {
    for (let left = framesOf(batch, lane); left > 0; left--) {
      view.buffer.next(lane);
      const bytes = view.buffer.read(lane);
      report(bytes[0]!);
    }
  }
  const wanting = view.buffer.giveBack(totalOf(batch));
  for (let lane = 0; lane < 2; lane++) {
    const stored = framesOf(batch, lane);
    Atomics.sub(view.words, OUTSTANDING + lane, stored);
    if (stored > 0 || (wanting & (1 << lane)) !== 0) view.bells[lane]!.ring();
  }
}

function ringAll(view: HandOffView): void {
  for (let lane = 0; lane < 2; lane++) view.bells[lane]!.ring();
}
