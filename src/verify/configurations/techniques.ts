import { CoarseFrontier } from "../../frontier/strategies/coarse.ts";
import { FineFrontier } from "../../frontier/strategies/fine.ts";
import type { FixedFrontier, FrontierShape } from "../../frontier/strategies/fixed-frontier.ts";
import { LockFreeFrontier } from "../../frontier/strategies/lock-free.ts";
import { MonitorFrontier } from "../../frontier/strategies/monitor.ts";
import { OptimisticFrontier } from "../../frontier/strategies/optimistic.ts";
import { PessimisticFrontier } from "../../frontier/strategies/pessimistic.ts";
import { SemaphoreFrontier } from "../../frontier/strategies/semaphore.ts";
import type { Configuration, Mutant } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import type { Patch } from "../modules.ts";
import { report } from "../scenario.ts";
import { takenOnce } from "./taken-once.ts";

interface Subject {
  readonly frontier: FixedFrontier & { initialise?(): void };
  /** What this thread sends or receives, outside shared memory. */
  readonly box: Uint8Array;
}

type Open = (memory: SharedArrayBuffer, shape: FrontierShape, owner: number) => FixedFrontier;

/** One attempt for a lock where nobody may sleep, so that spinning does not multiply the states. */
const SHAPE = { slotBytes: 1, owners: 4, spins: 1 } as const;

/** Counts of the two event counts at the start of the memory, and of the two conditions of the monitor. */
const EVENT_WORDS = [1, 3];
const PERMIT_EVENT_WORDS = [4, 6];
const SIGNAL_WORDS = [4, 6];

/** Producers are the even threads; a record is one byte that tells its producer and number. */
function exchange(subject: Subject, thread: number, items: number): void {
  for (let item = 1; item <= items; item++) {
    if (thread % 2 === 0) {
      subject.box[0] = thread * 16 + item;
      subject.frontier.insert(subject.box, 1);
    } else {
      subject.frontier.take(subject.box);
      report(subject.box[0]!);
    }
  }
}

/** Thread 0 inserts as many records as the other threads take, one each. */
function oneProducer(subject: Subject, thread: number, takers: number): void {
  if (thread === 0) exchange(subject, 0, takers);
  else exchange(subject, 1, 1);
}

function blocking(
  technique: string,
  size: number,
  items: number,
  open: Open,
  bytes: (shape: FrontierShape) => number,
  mutants: readonly Mutant[],
  rest: Partial<Configuration<Subject>> = {},
): Configuration<Subject> {
  const shape = { ...SHAPE, size };
  return {
    name: `frontier-${technique}-b${size}-2p2c${items}`,
    technique: `${technique} frontier`,
    ...{ threads: 4, operations: items, strategy: "stateful", clockWords: EVENT_WORDS, mutants },
    attach(memory: Memory, owner: number) {
      const buffer = memory.buffer(bytes(shape));
      return { frontier: open(buffer, shape, owner), box: new Uint8Array(1) };
    },
    initialise(subject) {
      subject.frontier.initialise?.();
    },
    program(subject, thread) {
      exchange(subject, thread, items);
    },
    check: (outcome) => takenOnce(outcome, items),
    ...rest,
  };
}

const openSemaphore: Open = (memory, shape, owner) => new SemaphoreFrontier(memory, shape, owner);
const openMonitor: Open = (memory, shape, owner) => new MonitorFrontier(memory, shape, owner, 2);
const openOneCondition: Open = (memory, shape, owner) =>
  new MonitorFrontier(memory, shape, owner, 1);
const openCoarse: Open = (memory, shape, owner) => new CoarseFrontier(memory, shape, owner);
const openFine: Open = (memory, shape, owner) => new FineFrontier(memory, shape, owner);
const openOptimistic: Open = (memory, shape, owner) => new OptimisticFrontier(memory, shape, owner);
const openPessimistic: Open = (memory, shape, owner) =>
  new PessimisticFrontier(memory, shape, owner);
const openLockFree: Open = (memory, shape, owner) => new LockFreeFrontier(memory, shape, owner);

/** One exact change of the compiled text of a strategy. */
function patch(file: string, find: string, replace: string): Patch {
  return { module: `frontier/strategies/${file}.js`, find, replace };
}

const swappedP: Mutant = {
  name: "swapped-p",
  patches: [
    patch(
      "semaphore",
      "const permit = this.#permits.acquire(EMPTY,",
      "this.#mutex.lock(); const permit = this.#permits.acquire(EMPTY,",
    ),
    patch(
      "semaphore",
      "if (!this.#mutex.lock(timeoutMs)) {\n            this.#permits.release(permit, EMPTY);",
      "if (false) {\n            this.#permits.release(permit, EMPTY);",
    ),
  ],
};

const wakesNobody: Mutant = {
  name: "v-wakes-nobody",
  patches: [patch("permit-cycle", "event.advance(1);", "event.advance(0);")],
};

const oneCondition: Mutant = {
  name: "one-condition-signal-one",
  patches: [patch("monitor", "this.#notEmpty = conditions - 1;", "this.#notEmpty = 0;")],
};

const ifForWhile: Mutant = {
  name: "looks-once",
  patches: [patch("monitor", "while (this.size() === 0) {", "if (this.size() === 0) {")],
};

const coarseUnlockFirst: Mutant = {
  name: "unlock-before-link",
  patches: [
    patch(
      "coarse",
      "this.#arena.setNext(Atomics.load(this.words, TAIL), node);",
      "const last = Atomics.load(this.words, TAIL); this.#lock.unlock(); this.#arena.setNext(last, node);",
    ),
  ],
};

const fineUnlockFirst: Mutant = {
  name: "unlock-before-link",
  patches: [
    patch(
      "fine",
      "this.#arena.setNext(before, node);",
      "this.#unlock(before); this.#arena.setNext(before, node);",
    ),
  ],
};

const fineOneHand: Mutant = {
  name: "one-hand-only",
  patches: [patch("fine", " || !this.#lock(node, waitMs)", "")],
};

const fineUnvalidated: Mutant = {
  name: "tail-not-validated",
  patches: [
    patch(
      "fine",
      "if (this.#arena.isLive(last) && this.#arena.next(last) === NOBODY)",
      "if (true)",
    ),
  ],
};

const optimisticUnvalidated: Mutant = {
  name: "missing-validation",
  patches: [
    patch("optimistic", "if ((Atomics.load(this.words, at) & readSet) !== 0)", "if (false)"),
  ],
};

const pessimisticUnvalidated: Mutant = {
  name: "missing-validation",
  patches: [
    patch(
      "pessimistic",
      "const isMine = Atomics.load(this.words, HEAD) === head;",
      "const isMine = true;",
    ),
  ],
};

const wakeUpKept: Mutant = {
  name: "wake-up-not-passed-on",
  patches: [
    patch(
      "waiting-frontier",
      "this.#notEmpty.advance(1);\n                return length;",
      "return length;",
    ),
  ],
};

const attemptsFirst: Mutant = {
  name: "attempts-before-it-reads-the-count",
  patches: [
    patch("waiting-frontier", "const seen = this.#notEmpty.read();", ""),
    patch(
      "waiting-frontier",
      "expired = !this.#notEmpty.wait(seen, deadline",
      "expired = !this.#notEmpty.wait(this.#notEmpty.read(), deadline",
    ),
  ],
};

/** The payload of these is checked for races in smaller configurations. */
const LARGE = { eagerPayload: true, long: true } as const;

/** The fixed-size frontier in all techniques, as it ships. */
export const configurations: readonly Configuration<Subject>[] = [
  blocking("semaphore", 1, 1, openSemaphore, SemaphoreFrontier.bytes, [swappedP, wakesNobody], {
    clockWords: PERMIT_EVENT_WORDS,
  }),
  blocking("monitor", 1, 1, openMonitor, MonitorFrontier.bytes, [oneCondition, ifForWhile], {
    clockWords: SIGNAL_WORDS,
    long: true,
  }),
  blocking("monitor-one-condition", 1, 2, openOneCondition, MonitorFrontier.bytes, [], {
    name: "frontier-monitor-one-condition-b1-1p1c2",
    threads: 2,
    clockWords: SIGNAL_WORDS,
  }),
  blocking("monitor-one-condition", 1, 2, openOneCondition, MonitorFrontier.bytes, [], {
    name: "frontier-monitor-one-condition-b1-1p2c",
    threads: 3,
    clockWords: SIGNAL_WORDS,
    expect: "deadlock",
    program(subject, thread) {
      oneProducer(subject, thread, 2);
    },
    check: (outcome) => (outcome.reports.flat().length === 2 ? undefined : "a record was lost"),
  }),
  blocking("lock-free", 2, 1, openLockFree, LockFreeFrontier.bytes, [wakeUpKept, attemptsFirst], {
    long: true,
  }),
  blocking("coarse", 1, 1, openCoarse, CoarseFrontier.bytes, [coarseUnlockFirst], LARGE),
  ...twoByTwo(),
];

/** Two threads of each kind with room for all, and one of each kind with every step of the payload. */
function twoByTwo(): Configuration<Subject>[] {
  const found: Configuration<Subject>[] = [];
  const small = { threads: 2 } as const;
  const all = [
    {
      technique: "coarse",
      open: openCoarse,
      bytes: CoarseFrontier.bytes,
      mutants: [coarseUnlockFirst],
    },
    {
      ...{ technique: "fine", open: openFine, bytes: FineFrontier.bytes },
      mutants: [fineUnlockFirst, fineOneHand, fineUnvalidated],
    },
    {
      ...{ technique: "optimistic", open: openOptimistic, bytes: OptimisticFrontier.bytes },
      mutants: [optimisticUnvalidated],
    },
    {
      ...{ technique: "pessimistic", open: openPessimistic, bytes: PessimisticFrontier.bytes },
      mutants: [pessimisticUnvalidated],
    },
  ];
  for (const { technique, open, bytes, mutants } of all) {
    found.push(
      blocking(technique, 1, 2, open, bytes, [], {
        ...small,
        name: `frontier-${technique}-b1-1p1c2`,
      }),
    );
    if (technique !== "coarse") found.push(blocking(technique, 2, 1, open, bytes, mutants, LARGE));
  }
  return found;
}
