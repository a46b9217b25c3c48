import { Monitor } from "../../sync/monitor.ts";
import type { Configuration, Mutant } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { report } from "../scenario.ts";
import { MonitorBuffer, MonitorCounter } from "../subjects/monitor-buffer.ts";
import { takenOnce } from "./taken-once.ts";

interface Buffered {
  readonly buffer: MonitorBuffer;
}

interface Counting {
  readonly counter: MonitorCounter;
}

function attachBuffer(memory: Memory, capacity: number, owner: number): Buffered {
  const words = memory.words(MonitorBuffer.WORDS);
  const plain = memory.words(MonitorBuffer.plainWords(capacity));
  return { buffer: new MonitorBuffer(words, plain, 2, owner) };
}

function attachCounter(
  memory: Memory,
  capacity: number,
  conditions: 1 | 2,
  owner: number,
): Counting {
  const words = memory.words(Monitor.words(2));
  return { counter: new MonitorCounter(words, memory.words(1), capacity, conditions, owner) };
}

/** The signal counters of the two conditions, behind the lock word. */
const SIGNAL_WORDS = [1, 3];

/** Producers are the even threads. */
function exchange(subject: Buffered, thread: number, items: number): void {
  for (let item = 1; item <= items; item++) {
    if (thread % 2 === 0) subject.buffer.insert(thread * 16 + item);
    else {
      const taken = subject.buffer.remove();
      report(taken);
    }
  }
}

function forEver(subject: Counting, produces: boolean): void {
  for (;;) {
    if (produces) subject.counter.insert();
    else subject.counter.remove();
  }
}

const oneCondition: Mutant = {
  name: "one-condition-signal-one",
  patches: [
    {
      module: "verify/subjects/monitor-buffer.js",
      find: "const NOT_EMPTY = 1;",
      replace: "const NOT_EMPTY = 0;",
    },
  ],
};

const roomNotSignalled: Mutant = {
  name: "room-is-not-signalled",
  patches: [
    {
      module: "verify/subjects/monitor-buffer.js",
      find: "this.#count[0] = this.#count[0] - 1;\n        this.#monitor.signal(NOT_FULL);",
      replace: "this.#count[0] = this.#count[0] - 1;",
    },
  ],
};

const lostWakeUp: Mutant = {
  name: "lost-wake-up",
  patches: [
    {
      module: "sync/monitor.js",
      find: "const signals = Atomics.load(this.#words, at + SIGNALS);\n        this.#mutex.unlock();",
      replace:
        "this.#mutex.unlock();\n        const signals = Atomics.load(this.#words, at + SIGNALS);",
    },
  ],
};

function twoConditions(
  name: string,
  threads: number,
  items: number,
  long: boolean,
): Configuration<Buffered> {
  return {
    ...{ name, technique: "monitor", threads, operations: items, strategy: "stateful", long },
    clockWords: SIGNAL_WORDS,
    attach: (memory, owner) => attachBuffer(memory, 1, owner),
    program(subject, thread) {
      exchange(subject, thread, items);
    },
    check: (outcome) => takenOnce(outcome, items),
    mutants: threads === 4 ? [oneCondition, lostWakeUp] : [lostWakeUp],
  };
}

/**
 * Threads that produce or consume for ever: is there a deadlock? Threads of one kind are interchangeable;
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
    attach: (memory, owner) => attachCounter(memory, capacity, conditions, owner),
    program(subject, thread) {
      forEver(subject, thread < producers);
    },
    long: threads > 8,
    ...(sections ? { sectionWords: [0] } : {}),
    ...(expect ? { expect: "deadlock" as const } : {}),
    mutants: mutantsOf(capacity, producers, consumers, conditions, expect),
  };
}

/** The one-condition monitor deadlocks at these splits of 2B + 1 threads; every other one needs its signals. */
function mutantsOf(
  capacity: number,
  producers: number,
  consumers: number,
  conditions: 1 | 2,
  expect: boolean,
): Mutant[] {
  // What must deadlock as it ships is a broken variant itself.
  if (expect) return [];
  const collapses = conditions === 2 && producers === capacity && consumers === capacity + 1;
  return collapses ? [oneCondition, roomNotSignalled] : [roomNotSignalled];
}

/** One condition and signal-one: deadlock exactly from 2B + 1 threads on; two conditions: none up to 4B + 4. */
function collapses(capacity: number): Configuration<Counting>[] {
  const found: Configuration<Counting>[] = [];
  for (let threads = 2; threads <= 2 * capacity; threads++) {
    for (let p = 1; p < threads; p++) found.push(collapse(capacity, p, threads, 1, false));
  }
  found.push(collapse(capacity, capacity, 2 * capacity + 1, 1, true));
  found.push(collapse(capacity, capacity + 1, 2 * capacity + 1, 1, true));
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
