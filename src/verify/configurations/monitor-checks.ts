import type { Configuration } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { MonitorBuffer, MonitorCounter } from "../subjects/monitor-buffer.ts";
import { PlainSlots } from "../subjects/plain-slots.ts";
import { type Buffered, exchange, takenOnce } from "./bounded-buffer.ts";
import { mutant } from "./mutant.ts";

const MONITOR = "sync/monitor.js";
const BUFFER = "verify/subjects/monitor-buffer.js";

interface Counting {
  readonly counter: MonitorCounter;
}

function attachBuffer(memory: Memory, capacity: number, owner: number): Buffered {
  const words = memory.words(MonitorBuffer.WORDS);
  const count = memory.words(1);
  const plain = memory.words(PlainSlots.words(capacity));
  return { buffer: new MonitorBuffer(words, count, plain, owner) };
}

function attachCounter(
  memory: Memory,
  capacity: number,
  conditions: 1 | 2,
  owner: number,
): Counting {
  const words = memory.words(MonitorCounter.WORDS);
  return { counter: new MonitorCounter(words, memory.words(1), capacity, conditions, owner) };
}

/** Words of the monitor and the counter behind them; buffers begin at even words. */
const WORD_NAMES = [
  "lock",
  "notFull",
  "waitingForNotFull",
  "notEmpty",
  "waitingForNotEmpty",
  "",
  "count",
];
/** With one condition its only name is both. */
const ONE_CONDITION_NAMES = ["lock", "notFullOrEmpty", "waiting", "", "", "", "count"];

/** The signal counters of the two conditions, behind the lock word. */
const SIGNAL_WORDS = [1, 3];

function forEver(subject: Counting, produces: boolean): void {
  for (;;) {
    if (produces) subject.counter.insert();
    else subject.counter.remove();
  }
}

const oneCondition = mutant("one-condition-signal-one", BUFFER, [
  "const NOT_EMPTY = 1;",
  "const NOT_EMPTY = 0;",
]);

const roomNotSignalled = mutant("room-is-not-signalled", BUFFER, [
  "this.#count[0] = this.#count[0] - 1;\n        this.#monitor.signal(NOT_FULL);",
  "this.#count[0] = this.#count[0] - 1;",
]);

const lostWakeUp = mutant("lost-wake-up", MONITOR, [
  "const signals = Atomics.load(this.#words, at + SIGNALS);\n        this.#mutex.unlock();",
  "this.#mutex.unlock();\n        const signals = Atomics.load(this.#words, at + SIGNALS);",
]);

function twoConditions(
  name: string,
  threads: number,
  items: number,
  long: boolean,
): Configuration<Buffered> {
  return {
    name,
    technique: "monitor",
    threads,
    operations: items,
    strategy: "stateful",
    long,
    clockWords: SIGNAL_WORDS,
    wordNames: WORD_NAMES,
    attach: (memory, owner) => attachBuffer(memory, 1, owner),
    program(subject, thread) {
      exchange(subject, thread, items);
    },
    check: (outcome) => takenOnce(outcome, items),
    mutants: threads === 4 ? [oneCondition, lostWakeUp] : [lostWakeUp],
  };
}

/**
 * Threads that produce or consume endlessly: is there a deadlock? Threads of one kind are interchangeable;
 * with `sections` a critical section is one step.
 */
function collapse(
  capacity: number,
  producers: number,
  threads: number,
  conditions: 1 | 2,
  expect: boolean,
): Configuration<Counting> {
  // Beyond three threads the full interleaving of the shipped code is too large.
  const sections = capacity > 1 || threads > 3;
  const consumers = threads - producers;
  // Here a monitor with one condition deadlocks, so the one with two must notice when it loses one.
  const atCollapse = conditions === 2 && producers === capacity && consumers === capacity + 1;
  const variant = conditions === 1 ? "monitor-one-condition" : "monitor-two-conditions";
  return {
    name: `${variant}-b${capacity}-${producers}p${consumers}c`,
    technique: sections ? `${variant}, critical sections as one step` : variant,
    threads,
    operations: 0,
    strategy: "stateful",
    roles: Array.from({ length: threads }, (_, t) => (t < producers ? 0 : 1)),
    ownerWords: [0],
    clockWords: SIGNAL_WORDS,
    eagerPayload: true,
    wordNames: conditions === 1 ? ONE_CONDITION_NAMES : WORD_NAMES,
    attach: (memory, owner) => attachCounter(memory, capacity, conditions, owner),
    program(subject, thread) {
      forEver(subject, thread < producers);
    },
    long: threads > 8,
    ...(sections ? { sectionWords: [0] } : {}),
    ...(expect ? { expect: "deadlock" as const } : {}),
    // What must deadlock as it ships is a broken variant itself.
    mutants: expect ? [] : atCollapse ? [oneCondition, roomNotSignalled] : [roomNotSignalled],
  };
}

/** One condition and signal-one: deadlock exactly from 2B + 1 threads on; two conditions: none up to 4B + 4. */
function collapses(capacity: number): Configuration<Counting>[] {
  const found: Configuration<Counting>[] = [];
  for (let threads = 2; threads <= 2 * capacity; threads++) {
    for (let p = 1; p < threads; p++) found.push(collapse(capacity, p, threads, 1, false));
  }
  found.push(collapse(capacity, capacity, 2 * capacity + 1, 1, true));
  found.push(collapse(capacity, capacity + 1, 2 * capacity + 1, 1, true));
  // More threads do not help.
  for (const threads of [2 * capacity + 2, 2 * capacity + 3])
    found.push(collapse(capacity, threads >> 1, threads, 1, true));
  // Two conditions: both smallest unbalanced splits and the balanced one, up to 4B + 4 threads.
  for (let threads = 2 * capacity + 1; threads <= 4 * capacity + 4; threads++) {
    for (const p of new Set([1, threads >> 1, threads - 1])) {
      found.push(collapse(capacity, p, threads, 2, false));
    }
  }
  return found;
}

/** Monitors: the bounded buffer, and seed 000's collapse. */
export const configurations = [
  twoConditions("monitor-1p1c2", 2, 2, false),
  twoConditions("monitor-2p2c", 4, 1, true),
  ...collapses(1),
  ...collapses(2),
  ...collapses(3),
];
