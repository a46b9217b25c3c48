import { DOORBELL_WORDS, Doorbell } from "../../sync/doorbell.ts";
import { bufferBytes, HandOffBuffer } from "../../sync/hand-off-buffer.ts";
import type { Configuration, Mutant, Outcome } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { awaitEnd } from "../scenario.ts";
import {
  afterDeath,
  build,
  crawl,
  crawlLate,
  crawlMortally,
  FULL_BATCH,
  HAND_OFF_WORDS,
  type HandOffView,
  interrupt,
  KEPT,
  setUp,
} from "../subjects/hand-off-threads.ts";
import { mutant } from "./mutant.ts";

/** N and the bytes of a payload; a lane has 16 bytes, a frame four more than its payload. */
interface Shape {
  readonly size: number;
  readonly payload: number;
}

const LANE_BYTES = 16;
/** First words of the doorbells of the two crawlers and the builder, which only count up. */
const BELLS = [0, DOORBELL_WORDS, 2 * DOORBELL_WORDS];
const SMALL: Shape = { size: 2, payload: 1 };
const BUFFER = "sync/hand-off-buffer.js";
const THREADS = "verify/subjects/hand-off-threads.js";

function attach(memory: Memory, { size, payload }: Shape): HandOffView {
  const rung = memory.words(3 * DOORBELL_WORDS);
  const bells = BELLS.map((word) => new Doorbell(rung, word));
  const words = memory.words(HAND_OFF_WORDS);
  const bytes = memory.buffer(bufferBytes(LANE_BYTES));
  const buffer = new HandOffBuffer(bytes, size, 2, bells.at(2)!);
  const box = new Uint8Array(payload);
  return { buffer, words, bells, box, parts: [box] };
}

/** Every item is stored or kept, once and in order; a full batch has N items (if `size`); all permits are free. */
function judge(
  outcome: Outcome,
  size: number | undefined,
  items: readonly number[],
  mayLose: readonly number[] = [],
): string | undefined {
  const built = outcome.reports.at(2)!;
  const short = built.find((said) => said >= FULL_BATCH && said !== FULL_BATCH + (size ?? 0));
  if (size !== undefined && short !== undefined)
    return `${short - FULL_BATCH} items were taken for a full buffer`;
  const stored = built.filter((said) => said < FULL_BATCH);
  const kept = outcome.reports.flat().flatMap((said) => (said >= KEPT ? [said - KEPT] : []));
  const there = [...stored, ...kept];
  const missing = items.filter((item) => !there.includes(item) && !mayLose.includes(item));
  if (missing.length > 0) return `lost: ${missing.join()}`;
  if (new Set(there).size !== there.length) return `stored twice: ${there.join()}`;
  const own = stored.filter((item) => item < 20);
  if (own.some((item, i) => i > 0 && item < own.at(i - 1)!)) return `out of order: ${own.join()}`;
  const permits = outcome.words(2).at(0);
  return permits === 0 ? undefined : `permits ${permits} are still out`;
}

const publishedEarly = mutant("publish-before-write", BUFFER, [
  "const start = lane * this.#laneBytes;\n        if (wraps)",
  "Atomics.add(this.#words, PERMITS, ((1 << (FIELD_BITS * lane)) - (1 << (OPEN + lane))) | 0); const start = lane * this.#laneBytes;\n        if (wraps)",
]);
const checkThenAct = mutant("permit-by-check-then-act", BUFFER, [
  "if (Atomics.compareExchange(this.#words, PERMITS, seen, open) === seen)",
  "if (Atomics.store(this.#words, PERMITS, open) === open)",
]);
const silentCall = mutant("call-without-a-ring", BUFFER, [
  "Atomics.or(this.#words, DUE, why);\n        this.#bell.ring();",
  "Atomics.or(this.#words, DUE, why);",
]);
const idleInTwoSteps = mutant("idle-in-two-steps", BUFFER, [
  "const before = Atomics.or(this.#words, IDLE, 1 << lane);",
  "const before = Atomics.load(this.#words, IDLE); Atomics.or(this.#words, IDLE, 1 << lane);",
]);
const neverBelowN = mutant("D6-nothing-below-n", BUFFER, [
  "if ((before | (1 << lane)) === all)",
  "if (false)",
]);

/** Two crawlers that hand over so many items each, and their builder. */
function handOff(
  name: string,
  together: boolean,
  [first, second]: readonly [number, number],
  mutants: readonly Mutant[],
  shape = SMALL,
  isLate = false,
): Configuration<HandOffView> {
  const items = [10, 11, 20, 21].filter((item) => item % 10 < (item < 20 ? first : second));
  return {
    name,
    technique: `hand-off buffer, ${together ? "full" : "count or time"}`,
    threads: 3,
    operations: Math.max(first, second),
    strategy: "stateful",
    cycles: true,
    clockWords: BELLS,
    mutants,
    attach: (memory) => attach(memory, shape),
    initialise: setUp,
    program(view, thread) {
      if (thread === 2) build(view);
      else if (thread === 0 && isLate) crawlLate(view, thread, first);
      else crawl(view, thread, thread === 0 ? first : second, together);
    },
    check: (outcome) => judge(outcome, together ? shape.size : undefined, items),
    ...(first + second > (together ? 2 : 1) ? { long: true } : {}),
  };
}

/** N = 1. The crawlers are told to stop while one of them has the only permit; or one dies anywhere and is reclaimed. */
function disturbed(
  name: string,
  death: boolean,
  mutants: readonly Mutant[],
): Configuration<HandOffView> {
  const shape = { size: 1, payload: 1 };
  return {
    name,
    technique: `hand-off buffer, ${death ? "reclaim of a dead owner" : "interrupt"}`,
    threads: death ? 4 : 3,
    operations: 1,
    strategy: "stateful",
    cycles: true,
    clockWords: BELLS,
    long: true,
    mutants,
    ...(death ? { mortal: [0] } : {}),
    attach: (memory) => attach(memory, shape),
    initialise: setUp,
    program(view, thread) {
      if (thread === 2) build(view);
      else if (thread === 3) {
        awaitEnd(0);
        afterDeath(view, 0);
      } else if (death && thread === 0) crawlMortally(view);
      else {
        if (!death && thread === 1) interrupt(view);
        crawl(view, thread, 1, true);
      }
    },
    check: (outcome) => judge(outcome, shape.size, [10, 20], death ? [10] : []),
  };
}

/** Two crawlers, one builder, N = 2 (1 where said): the buffer of seed 001, its defects as mutants. */
export const configurations: readonly Configuration<HandOffView>[] = [
  handOff(
    "hand-off-full-1x1",
    true,
    [1, 1],
    [
      mutant("D5-full-without-n-items", BUFFER, [
        "if (totalOf(now) === this.#size)",
        "if (usedIn(now) === this.#size)",
      ]),
      publishedEarly,
      silentCall,
    ],
  ),
  handOff("hand-off-full-1x0", true, [1, 0], [neverBelowN, idleInTwoSteps]),
  handOff(
    "hand-off-full-late-1x1",
    true,
    [1, 1],
    [
      // Both flags are written at once, and what the other crawler set in between is lost.
      mutant("busy-by-load-and-store", BUFFER, [
        "Atomics.and(this.#words, IDLE, ~(1 << lane));",
        "Atomics.store(this.#words, IDLE, Atomics.load(this.#words, IDLE) & ~(1 << lane));",
      ]),
      idleInTwoSteps,
    ],
    { size: 3, payload: 1 },
    true,
  ),
  handOff(
    "hand-off-full-2x1",
    true,
    [2, 1],
    [
      checkThenAct,
      neverBelowN,
      // The builder looks who waits before it gives back: a crawler that comes in between is not rung.
      mutant("asked-who-waits-before-giving-back", BUFFER, [
        "Atomics.sub(this.#words, PERMITS, frames << BUILDERS);\n        return Atomics.load(this.#words, WANTS) === 0 ? 0 : Atomics.exchange(this.#words, WANTS, 0);",
        "const wanting = Atomics.exchange(this.#words, WANTS, 0); Atomics.sub(this.#words, PERMITS, frames << BUILDERS); return wanting;",
      ]),
    ],
  ),
  handOff(
    "hand-off-full-one-2x1",
    true,
    [2, 1],
    [
      // The ring comes before the bell is armed, and the other crawler has taken the permit by the second try.
      mutant("wanted-before-the-bell-is-armed", THREADS, [
        "const armed = bell.arm();\n        view.buffer.want(lane);",
        "view.buffer.want(lane); const armed = bell.arm();",
      ]),
    ],
    { size: 1, payload: 1 },
  ),
  handOff(
    "hand-off-count-or-time-1x0",
    false,
    [1, 0],
    [
      mutant("D6-nothing-below-n", BUFFER, [
        "    flush() {\n        this.#call(FLUSH);",
        "    flush() {",
      ]),
    ],
  ),
  handOff("hand-off-count-or-time-1x1", false, [1, 1], [publishedEarly]),
  handOff("hand-off-count-or-time-2x1", false, [2, 1], [checkThenAct, silentCall]),
  handOff(
    "hand-off-room-2x0",
    false,
    [2, 0],
    [mutant("room-not-asked", BUFFER, ["if (!this.hasRoom(lane, length))", "if (false)"])],
    { size: 2, payload: 8 },
  ),
  disturbed("hand-off-interrupt", false, [
    mutant("D2-interrupted-url-dropped", THREADS, ["report(KEPT + view.box[0]);", ";"]),
  ]),
  disturbed("hand-off-death", true, [
    mutant("D3-permit-dies-with-its-owner", BUFFER, [
      "Atomics.and(this.#words, PERMITS, ~(1 << (OPEN + lane)));",
      ";",
    ]),
    mutant("other-crawler-not-rung", THREADS, [
      "reclaim(lane);\n    ringAll(view);",
      "reclaim(lane);",
    ]),
    mutant("died-while-ringing", BUFFER, ["this.#bell.wake();", "this.#bell.ring();"]),
  ]),
];
