import { OwnedPermits } from "../../sync/owned-permits.ts";
import { Semaphore } from "../../sync/semaphore.ts";
import { StripedLocks } from "../../sync/striped.ts";
import type { Configuration } from "../configuration.ts";
import { awaitEnd } from "../scenario.ts";
import { mutant } from "./mutant.ts";

interface Striped {
  readonly words: Int32Array;
  readonly locks: StripedLocks;
  /** Plain, one per stripe. */
  readonly buckets: Int32Array;
}

interface Permitted {
  readonly words: Int32Array;
  readonly permits: OwnedPermits;
  readonly used: Int32Array;
}

function usePermit(subject: Permitted): void {
  const permit = subject.permits.acquire();
  subject.used[permit] = subject.used[permit]! + 1;
  subject.permits.release(permit);
}

interface Counted {
  readonly words: Int32Array;
  readonly semaphore: Semaphore;
}

const SEMAPHORE = "sync/semaphore.js";

/** Locks and permits of which there are many. */
export const configurations = [
  {
    name: "striped-3",
    technique: "striped locks",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    attach(memory, owner) {
      const words = memory.words(StripedLocks.words(2));
      return { words, locks: new StripedLocks(words, 0, 2, owner), buckets: memory.words(2) };
    },
    program(subject, thread) {
      if (thread < 2) {
        // Hashes 4 and 7 meet in stripes 0 and 1.
        const hash = 4 + 3 * thread;
        subject.locks.lock(hash);
        subject.buckets[thread] = subject.buckets[thread]! + 1;
        subject.locks.unlock(hash);
      } else {
        subject.locks.lockAll();
        subject.buckets[0] = subject.buckets[0]! + 1;
        subject.buckets[1] = subject.buckets[1]! + 1;
        subject.locks.unlockAll();
      }
    },
    check: (outcome) => (outcome.words(1).join() === "2,2" ? undefined : "an update was lost"),
    mutants: [
      mutant("all-but-one", "sync/striped.js", [
        "stripe <= this.#mask; stripe++",
        "stripe < this.#mask; stripe++",
      ]),
    ],
  } satisfies Configuration<Striped>,
  {
    name: "owned-permits-reclaim",
    technique: "reclaim of a dead owner",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    mortal: [0],
    attach(memory, owner) {
      const words = memory.words(OwnedPermits.words(1));
      return { words, permits: new OwnedPermits(words, 0, 1, owner), used: memory.words(1) };
    },
    program(subject, thread) {
      if (thread < 2) usePermit(subject);
      else {
        awaitEnd(0);
        OwnedPermits.reclaim(subject.words, 0, 1, 1);
      }
    },
    check: (outcome) =>
      outcome.words(0).at(2) === 0 ? undefined : "a permit is held by nobody alive",
    mutants: [
      mutant("tells-only-if-it-held", "sync/owned-permits.js", [
        "freed.wakeAll();\n        return held;",
        "if (held > 0) freed.wakeAll();\n        return held;",
      ]),
    ],
  } satisfies Configuration<Permitted>,
  {
    name: "semaphore-reclaim",
    technique: "reclaim of a dead owner",
    threads: 3,
    operations: 3,
    strategy: "stateful",
    mortal: [0],
    attach(memory, owner) {
      const words = memory.words(Semaphore.words(2));
      return { words, semaphore: new Semaphore(words, 0, owner) };
    },
    initialise(subject) {
      Semaphore.initialise(subject.words, 0, 2);
    },
    program(subject, thread) {
      if (thread === 0) {
        subject.semaphore.acquire(2);
        subject.semaphore.release(1);
        subject.semaphore.release(1);
      } else if (thread === 1) {
        subject.semaphore.acquire(1);
        subject.semaphore.release(1);
      } else {
        awaitEnd(0);
        Semaphore.reclaim(subject.words, 0, 1);
      }
    },
    check(outcome) {
      const free = outcome.words(0)[0]! & 0x3fff;
      return free === 2 ? undefined : `${free} of 2 permits are free`;
    },
    mutants: [
      mutant("stays-with-the-dead", SEMAPHORE, ["dead.release(held);", "dead.release(0);"]),
      mutant("overwrites-without-a-note", "sync/permit-notes.js", ["this.#acknowledge(seen);", ""]),
      mutant("believes-every-note", SEMAPHORE, ["dead.#notes.settle();", ""]),
    ],
  } satisfies Configuration<Counted>,
];
