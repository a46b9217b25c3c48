import { Semaphore } from "../../sync/semaphore.ts";
import type { Configuration } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { report } from "../scenario.ts";
import { SemaphoreBuffer } from "../subjects/semaphore-buffer.ts";
import { takenOnce } from "./taken-once.ts";

const SEMAPHORE = "sync/semaphore.js";

interface Buffered {
  readonly buffer: SemaphoreBuffer;
}

interface Counted {
  readonly words: Int32Array;
  readonly semaphore: Semaphore;
}

function attachBuffer(memory: Memory, capacity: number, owner: number): Buffered {
  const words = memory.words(SemaphoreBuffer.WORDS);
  const plain = memory.words(SemaphoreBuffer.plainWords(capacity));
  return { buffer: new SemaphoreBuffer(words, plain, owner) };
}

function attachSemaphore(memory: Memory): Counted {
  const words = memory.words(Semaphore.WORDS);
  return { words, semaphore: new Semaphore(words, 0) };
}

/** Producers are the even threads; item numbers tell the producer. */
function exchange(subject: Buffered, thread: number, items: number): void {
  for (let item = 1; item <= items; item++) {
    if (thread % 2 === 0) subject.buffer.insert(thread * 16 + item);
    else {
      const taken = subject.buffer.remove();
      report(taken);
    }
  }
}

function threeSemaphores(
  name: string,
  threads: number,
  items: number,
  capacity: number,
  long: boolean,
): Configuration<Buffered> {
  return {
    ...{
      name,
      technique: "three semaphores",
      threads,
      operations: items,
      strategy: "stateful",
      long,
    },
    attach: (memory, owner) => attachBuffer(memory, capacity, owner),
    initialise(subject) {
      subject.buffer.initialise();
    },
    program(subject, thread) {
      exchange(subject, thread, items);
    },
    check: (outcome) => takenOnce(outcome, items),
    mutants: [
      {
        name: "swapped-p",
        patches: [
          {
            module: "verify/subjects/semaphore-buffer.js",
            find: "this.#empty.p();\n        this.#lock.lock();",
            replace: "this.#lock.lock();\n        this.#empty.p();",
          },
        ],
      },
      {
        name: "lost-wake-up",
        patches: [
          {
            module: SEMAPHORE,
            find: "Atomics.add(this.#words, this.#base + WAITERS, 1);",
            replace: "Atomics.add(this.#words, this.#base + WAITERS, 0);",
          },
          {
            module: SEMAPHORE,
            find: "Atomics.sub(this.#words, this.#base + WAITERS, 1);",
            replace: "Atomics.sub(this.#words, this.#base + WAITERS, 0);",
          },
        ],
      },
    ],
  };
}

const NOTIFY =
  "Atomics.notify(this.#words, this.#base + PERMITS, greedy ? Number.POSITIVE_INFINITY : n);";

const counted: readonly Configuration<Counted>[] = [
  {
    name: "semaphore-release-n",
    technique: "semaphore",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    cycles: true,
    attach: attachSemaphore,
    program(subject, thread) {
      if (thread === 0) subject.semaphore.release(2);
      else subject.semaphore.acquire(1);
    },
    check: (outcome) => (outcome.words(0)[0] === 0 ? undefined : "permits do not add up"),
    mutants: [
      {
        name: "release-n-wakes-one",
        patches: [{ module: SEMAPHORE, find: NOTIFY, replace: NOTIFY.replace(": n)", ": 1)") }],
      },
    ],
  },
  {
    name: "semaphore-greedy",
    technique: "semaphore",
    threads: 4,
    operations: 1,
    strategy: "stateful",
    cycles: true,
    attach: attachSemaphore,
    program(subject, thread) {
      if (thread === 0) subject.semaphore.release(1);
      else if (thread === 1) subject.semaphore.release(2);
      else if (thread === 2) subject.semaphore.acquire(2);
      else subject.semaphore.acquire(1);
    },
    check: (outcome) => (outcome.words(0)[0] === 0 ? undefined : "permits do not add up"),
    mutants: [
      {
        name: "greedy-takes-the-wake-up",
        patches: [
          {
            module: SEMAPHORE,
            find: NOTIFY,
            replace: NOTIFY.replace("greedy ? Number.POSITIVE_INFINITY : n", "1"),
          },
        ],
      },
    ],
  },
  {
    name: "semaphore-timeout",
    technique: "semaphore",
    threads: 4,
    operations: 1,
    strategy: "stateful",
    cycles: true,
    timeouts: true,
    attach: attachSemaphore,
    program(subject, thread) {
      if (thread < 2) subject.semaphore.release(1);
      else if (thread === 2) report(subject.semaphore.acquire(1, 10) === "acquired" ? 1 : 0);
      else report(subject.semaphore.acquire(1) === "acquired" ? 1 : 0);
    },
    check(outcome) {
      const taken = outcome.reports.flat().reduce((sum, got) => sum + got, 0);
      return outcome.words(0)[0] === 2 - taken ? undefined : "a time-out lost a permit";
    },
    mutants: [
      {
        name: "takes-and-then-gives-up",
        patches: [
          {
            module: SEMAPHORE,
            find: 'if (this.#notes.exchange(seen, -n))\n                    return "acquired";\n                continue;',
            replace:
              'if (this.#notes.exchange(seen, -n) && !expired)\n                    return "acquired";\n                continue;',
          },
        ],
      },
    ],
  },
  {
    name: "semaphore-close",
    technique: "semaphore",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    cycles: true,
    attach: attachSemaphore,
    program(subject, thread) {
      if (thread === 0) {
        subject.semaphore.release(1);
        subject.semaphore.close();
      } else report(subject.semaphore.acquire(1) === "acquired" ? 1 : 0);
    },
    check(outcome) {
      const taken = outcome.reports.flat().reduce((sum, got) => sum + got, 0);
      const left = outcome.words(0)[0]! & 0x7fffffff;
      return left === 1 - taken ? undefined : "closing lost a permit";
    },
    mutants: [
      {
        name: "closes-silently",
        patches: [
          {
            module: SEMAPHORE,
            find: "Atomics.notify(this.#words, this.#base + PERMITS);",
            replace: ";",
          },
        ],
      },
    ],
  },
];

/** Semaphores: the textbook buffer, release(n), greedy sleepers, time-outs and closing. */
export const configurations = [
  threeSemaphores("semaphores-2p2c", 4, 1, 1, false),
  threeSemaphores("semaphores-2p2c2", 4, 2, 1, true),
  ...counted,
];
