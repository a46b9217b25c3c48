import { OwnedPermits } from "../../sync/owned-permits.ts";
import { Semaphore } from "../../sync/semaphore.ts";
import { StripedLocks } from "../../sync/striped.ts";
import type { Configuration } from "../configuration.ts";
import { awaitEnd } from "../scenario.ts";

interface Striped {
  readonly words: Int32Array;
  readonly locks: StripedLocks;
  /** Plain, one per stripe. */
  readonly buckets: Int32Array;
}

const stripes: readonly Configuration<Striped>[] = [
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
      {
        name: "all-but-one",
        patches: [
          {
            module: "sync/striped.js",
            find: "stripe <= this.#mask; stripe++",
            replace: "stripe < this.#mask; stripe++",
          },
        ],
      },
    ],
  },
];

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

const permits: readonly Configuration<Permitted>[] = [
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
      {
        name: "tells-only-if-it-held",
        patches: [
          {
            module: "sync/owned-permits.js",
            find: "freed.wakeAll();\n        return held;",
            replace: "if (held > 0) freed.wakeAll();\n        return held;",
          },
        ],
      },
    ],
  },
];

interface Counted {
  readonly words: Int32Array;
  readonly semaphore: Semaphore;
}

const NOTES = "sync/permit-notes.js";

const counted: readonly Configuration<Counted>[] = [
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
      {
        name: "stays-with-the-dead",
        patches: [
          { module: "sync/semaphore.js", find: "dead.release(held);", replace: "dead.release(0);" },
        ],
      },
      {
        name: "overwrites-without-a-note",
        patches: [{ module: NOTES, find: "this.#acknowledge(seen);", replace: "" }],
      },
      {
        name: "believes-every-note",
        patches: [{ module: "sync/semaphore.js", find: "dead.#notes.settle();", replace: "" }],
      },
    ],
  },
];

/** Locks and permits of which there are many. */
export const configurations = [...stripes, ...permits, ...counted];
