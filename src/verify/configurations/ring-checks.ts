import { Ring, ringBytes } from "../../sync/ring.ts";
import type { Configuration, Outcome, Specification } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { awaitEnd, invoke, report, respond } from "../scenario.ts";
import { mutant } from "./mutant.ts";

const RING = "sync/ring.js";
const SLOT_BYTES = 4;

interface Subject {
  readonly ring: Ring;
  /** What this thread sends or receives, outside shared memory. */
  readonly box: Uint8Array;
}

function attachRing(memory: Memory, slots: number, owner: number): Subject {
  const buffer = memory.buffer(ringBytes(slots, SLOT_BYTES));
  return { ring: new Ring(buffer, slots, SLOT_BYTES, owner), box: new Uint8Array(SLOT_BYTES) };
}

/** Sends numbered items, each with the sender in its first byte; a full ring ends the attempt. */
function produce(subject: Subject, thread: number, items: number): void {
  for (let item = 1; item <= items; item++) {
    subject.box[0] = thread;
    subject.box[1] = item;
    subject.box[2] = 100 + item;
    if (subject.ring.tryPush(subject.box, 3)) report(thread * 16 + item);
  }
}

/** Tries to take so often; an empty ring is an answer, too. */
function consume(subject: Subject, attempts: number): void {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const length = subject.ring.tryTake(subject.box);
    if (length < 0) continue;
    report(
      subject.box[0]! * 16 +
        subject.box[1]! +
        (subject.box[2] === 100 + subject.box[1]! ? 0 : 4096),
    );
  }
}

/** Everything taken was sent, once, whole, and in the order of its sender; what is missing is still in the ring. */
function checkItems(outcome: Outcome, producers: number, slots: number): string | undefined {
  const sent = outcome.reports.slice(0, producers).flat();
  const taken = outcome.reports.slice(producers).flat();
  if (taken.some((item) => item >= 4096)) return "an item was taken before it was written";
  if (new Set(taken).size !== taken.length) return "an item was taken twice";
  if (taken.some((item) => !sent.includes(item))) return "an item was taken that nobody sent";
  const isOvertaken = (item: number, i: number, items: readonly number[]) =>
    items.slice(i).some((later) => later >> 4 === item >> 4 && later < item);
  if (outcome.reports.slice(producers).some((items) => items.some(isOvertaken)))
    return "items of one sender changed their order";
  const states = outcome.words(0).slice(2, 2 + slots);
  const left = states.filter((state) => (state & 3) === 2).length;
  return left === sent.length - taken.length ? undefined : "an item was lost";
}

const publishedEarly = mutant("publish-before-write", RING, [
  "this.#lengths.setInt32(at, length, true);\n        this.#payload.set(bytes.subarray(0, length), at + LENGTH_BYTES);",
  "this.#setState(slot, FULL); this.#lengths.setInt32(at, length, true);\n        this.#payload.set(bytes.subarray(0, length), at + LENGTH_BYTES);",
]);

function ringConfiguration(
  name: string,
  producers: number,
  consumers: number,
  items: number,
  slots: number,
  rest: Partial<Configuration<Subject>>,
): Configuration<Subject> {
  return {
    name,
    technique: "lock-free ring",
    threads: producers + consumers,
    operations: items,
    strategy: "dpor",
    attach: (memory, owner) => attachRing(memory, slots, owner),
    program(subject, thread) {
      if (thread < producers) produce(subject, thread, items);
      else consume(subject, items);
    },
    check: (outcome) => checkItems(outcome, producers, slots),
    mutants: [publishedEarly],
    ...rest,
  };
}

const PUSH = 1;
const TAKE = 2;

/** First in, first out. "Full" and "empty" may be seen while others are half done, so they are always allowed. */
const fifo: Specification = {
  initial: "",
  apply(state, { operation, argument, result }) {
    if (operation === PUSH) return result === 1 ? state + String(argument) : state;
    if (result < 0) return state;
    return state.startsWith(String(result)) ? state.slice(1) : undefined;
  },
};

/** The ring: lost, doubled, torn and reordered items. */
export const configurations: readonly Configuration<Subject>[] = [
  ringConfiguration("ring-1p1c2", 1, 1, 2, 2, {
    strategy: "stateful",
    cycles: true,
    nonBlocking: true,
  }),
  ringConfiguration("ring-2p1c1", 2, 1, 1, 2, {}),
  ringConfiguration("ring-2p2c1", 2, 2, 1, 2, {}),
  ringConfiguration("ring-2p2c2", 2, 2, 2, 2, {
    strategy: "stateful",
    cycles: true,
    nonBlocking: true,
    mutants: [
      publishedEarly,
      mutant("spins-behind-a-slow-reader", RING, [
        "else if (this.#nextLap(stateLap) === lap) {\n                // A slow reader",
        "else if (stateLap === -1) {\n                // A slow reader",
      ]),
    ],
  }),
  {
    name: "ring-fifo-2p1c",
    technique: "lock-free ring",
    threads: 3,
    operations: 2,
    strategy: "dpor",
    specification: fifo,
    attach: (memory, owner) => attachRing(memory, 2, owner),
    program(subject, thread) {
      if (thread < 2) {
        subject.box[0] = thread + 1;
        invoke(PUSH, thread + 1);
        const pushed = subject.ring.tryPush(subject.box, 1);
        respond(pushed ? 1 : 0);
      } else {
        for (let attempt = 0; attempt < 2; attempt++) {
          invoke(TAKE, 0);
          const length = subject.ring.tryTake(subject.box);
          respond(length < 0 ? -1 : subject.box[0]!);
        }
      }
    },
    mutants: [
      mutant("takes-and-leaves-it", RING, [
        "stateOf(this.#nextLap(lap), 0, FREE));\n    }\n    #nextLap",
        "stateOf(lap, 0, FULL)); Atomics.store(this.#words, TAIL, 0);\n    }\n    #nextLap",
      ]),
    ],
  },
  {
    name: "ring-reclaim",
    technique: "reclaim of a dead owner",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    mortal: [0, 1],
    attach: (memory, owner) => attachRing(memory, 1, owner),
    program(subject, thread) {
      if (thread === 0) produce(subject, 0, 1);
      else if (thread === 1) consume(subject, 1);
      else {
        awaitEnd(0);
        awaitEnd(1);
        subject.ring.reclaim(1);
        subject.ring.reclaim(2);
        // Whatever the dead left, the ring must take and give an item again.
        subject.ring.tryTake(subject.box);
        subject.box[0] = 9;
        if (!subject.ring.tryPush(subject.box, 3)) report(-1);
        if (subject.ring.tryTake(subject.box) !== 3) report(-2);
      }
    },
    check: (outcome) =>
      outcome.reports.at(2)!.length === 0 ? undefined : "the ring is blocked by the dead",
    mutants: [
      mutant("forgets-the-reader", RING, [
        "else if (kind === READING) {",
        "else if (kind === 9) {",
      ]),
    ],
  },
  ringConfiguration("ring-4p4c4", 4, 4, 4, 2, { strategy: "pct", schedules: 3000 }),
];
