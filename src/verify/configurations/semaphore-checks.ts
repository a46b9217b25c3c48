import { CLOSED } from "../../sync/permit-notes.ts";
import { Semaphore } from "../../sync/semaphore.ts";
import type { Configuration, Outcome } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { report } from "../scenario.ts";
import { PlainSlots } from "../subjects/plain-slots.ts";
import { SemaphoreBuffer } from "../subjects/semaphore-buffer.ts";
import { type Buffered, exchange, takenOnce } from "./bounded-buffer.ts";
import { mutant } from "./mutant.ts";

const SEMAPHORE = "sync/semaphore.js";

interface Counted {
  readonly words: Int32Array;
  readonly semaphore: Semaphore;
}

function attachBuffer(memory: Memory, owner: number): Buffered & { buffer: SemaphoreBuffer } {
  const words = memory.words(SemaphoreBuffer.WORDS);
  const plain = memory.words(PlainSlots.words(1));
  return { buffer: new SemaphoreBuffer(words, plain, owner) };
}

function attachSemaphore(memory: Memory): Counted {
  const words = memory.words(Semaphore.WORDS);
  return { words, semaphore: new Semaphore(words, 0) };
}

/** Two producers and two consumers of the textbook's buffer, which has room for one item. */
function threeSemaphores(
  name: string,
  items: number,
  long: boolean,
): Configuration<ReturnType<typeof attachBuffer>> {
  return {
    name,
    technique: "three semaphores",
    threads: 4,
    operations: items,
    strategy: "stateful",
    long,
    attach: attachBuffer,
    initialise(subject) {
      subject.buffer.initialise();
    },
    program(subject, thread) {
      exchange(subject, thread, items);
    },
    check: (outcome) => takenOnce(outcome, items),
    mutants: [
      mutant("swapped-p", "verify/subjects/semaphore-buffer.js", [
        "this.#empty.p();\n        this.#lock.lock();",
        "this.#lock.lock();\n        this.#empty.p();",
      ]),
      mutant(
        "lost-wake-up",
        SEMAPHORE,
        [
          "Atomics.add(this.#words, this.#base + WAITERS, 1);",
          "Atomics.add(this.#words, this.#base + WAITERS, 0);",
        ],
        [
          "Atomics.sub(this.#words, this.#base + WAITERS, 1);",
          "Atomics.sub(this.#words, this.#base + WAITERS, 0);",
        ],
      ),
    ],
  };
}

const NOTIFY =
  "Atomics.notify(this.#words, this.#base + PERMITS, greedy ? Number.POSITIVE_INFINITY : n);";

/** Threads that release and acquire permits of one semaphore. */
function counted(
  name: string,
  threads: number,
  rest: Pick<Configuration<Counted>, "program" | "check" | "mutants" | "timeouts">,
): Configuration<Counted> {
  return {
    name,
    technique: "semaphore",
    threads,
    operations: 1,
    strategy: "stateful",
    cycles: true,
    attach: attachSemaphore,
    ...rest,
  };
}

function allUsed(outcome: Outcome): string | undefined {
  return outcome.words(0)[0] === 0 ? undefined : "permits do not add up";
}

/** A sentence unless what was released and not taken is there. */
function addsUp(outcome: Outcome, released: number, complaint: string): string | undefined {
  const taken = outcome.reports.flat().reduce((sum, got) => sum + got, 0);
  return (outcome.words(0)[0]! & ~CLOSED) === released - taken ? undefined : complaint;
}

/** Semaphores: the textbook buffer, release(n), greedy sleepers, time-outs and closing. */
export const configurations = [
  threeSemaphores("semaphores-2p2c", 1, false),
  threeSemaphores("semaphores-2p2c2", 2, true),
  counted("semaphore-release-n", 3, {
    program(subject, thread) {
      if (thread === 0) subject.semaphore.release(2);
      else subject.semaphore.acquire(1);
    },
    check: allUsed,
    mutants: [mutant("release-n-wakes-one", SEMAPHORE, [NOTIFY, NOTIFY.replace(": n)", ": 1)")])],
  }),
  counted("semaphore-greedy", 4, {
    program(subject, thread) {
      if (thread === 0) subject.semaphore.release(1);
      else if (thread === 1) subject.semaphore.release(2);
      else if (thread === 2) subject.semaphore.acquire(2);
      else subject.semaphore.acquire(1);
    },
    check: allUsed,
    mutants: [
      mutant("greedy-takes-the-wake-up", SEMAPHORE, [
        NOTIFY,
        NOTIFY.replace("greedy ? Number.POSITIVE_INFINITY : n", "1"),
      ]),
    ],
  }),
  counted("semaphore-timeout", 4, {
    timeouts: true,
    program(subject, thread) {
      if (thread < 2) subject.semaphore.release(1);
      else if (thread === 2) report(subject.semaphore.acquire(1, 10) === "acquired" ? 1 : 0);
      else report(subject.semaphore.acquire(1) === "acquired" ? 1 : 0);
    },
    check: (outcome) => addsUp(outcome, 2, "a time-out lost a permit"),
    mutants: [
      mutant("takes-and-then-gives-up", SEMAPHORE, [
        'if (this.#notes.exchange(seen, -n))\n                    return "acquired";\n                continue;',
        'if (this.#notes.exchange(seen, -n) && !expired)\n                    return "acquired";\n                continue;',
      ]),
    ],
  }),
  counted("semaphore-close", 3, {
    program(subject, thread) {
      if (thread === 0) {
        subject.semaphore.release(1);
        subject.semaphore.close();
      } else report(subject.semaphore.acquire(1) === "acquired" ? 1 : 0);
    },
    check: (outcome) => addsUp(outcome, 1, "closing lost a permit"),
    mutants: [
      mutant("closes-silently", SEMAPHORE, [
        "Atomics.notify(this.#words, this.#base + PERMITS);",
        ";",
      ]),
    ],
  }),
];
