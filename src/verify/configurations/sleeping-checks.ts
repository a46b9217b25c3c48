import { Barrier } from "../../sync/barrier.ts";
import { DOORBELL_WORDS, Doorbell } from "../../sync/doorbell.ts";
import { EventCount } from "../../sync/event-count.ts";
import type { Configuration } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { awaitEnd, report } from "../scenario.ts";
import { mutant } from "./mutant.ts";

/** Items waiting, next to the primitive that announces them. */
const WORK = 0;

interface Announced {
  readonly work: Int32Array;
  readonly events: EventCount;
  readonly bell: Doorbell;
}

interface Meeting {
  readonly words: Int32Array;
  readonly barrier: Barrier;
  /** Plain, one per party: written before the barrier, read by the others after it. */
  readonly notes: Int32Array;
}

function attachAnnounced(memory: Memory): Announced {
  const events = memory.words(EventCount.WORDS);
  const bell = memory.words(DOORBELL_WORDS);
  const work = memory.words(1);
  return { work, events: new EventCount(events, 0), bell: new Doorbell(bell, 0) };
}

function takeWork(subject: Announced): boolean {
  for (;;) {
    const seen = Atomics.load(subject.work, WORK);
    if (seen === 0) return false;
    if (Atomics.compareExchange(subject.work, WORK, seen, seen - 1) === seen) return true;
  }
}

function awaitByCount(subject: Announced): void {
  for (;;) {
    const seen = subject.events.read();
    if (takeWork(subject)) break;
    subject.events.wait(seen);
  }
  // One wake-up may stand for several events: the thread that slept announces what is left.
  subject.events.remind();
  if (Atomics.load(subject.work, WORK) > 0) subject.events.advance();
}

function awaitByBell(subject: Announced): void {
  for (;;) {
    const armed = subject.bell.arm();
    if (takeWork(subject)) {
      subject.bell.disarm();
      return;
    }
    subject.bell.sleep(armed, Number.POSITIVE_INFINITY);
  }
}

function meet(subject: Meeting, thread: number, parties: number, rounds: number): void {
  for (let round = 1; round <= rounds; round++) {
    subject.notes[thread] = round;
    subject.barrier.arriveAndWait();
    for (let other = 0; other < parties; other++) {
      if (subject.notes[other] !== round) report(-1);
    }
    subject.barrier.arriveAndWait();
  }
}

const SELF = "verify/configurations/sleeping-checks.js";
const EVENTS = "sync/event-count.js";
const BARRIER = "sync/barrier.js";

function attachBarrier(memory: Memory, parties: number, owner: number): Meeting {
  const words = memory.words(Barrier.words(parties));
  return { words, barrier: new Barrier(words, 0, parties, owner), notes: memory.words(parties) };
}

/** What sleeps and is woken without a lock: event counts, doorbells, barriers. */
export const configurations = [
  {
    name: "event-count-2x2",
    technique: "event count",
    threads: 4,
    operations: 1,
    strategy: "stateful",
    cycles: true,
    clockWords: [0],
    attach: attachAnnounced,
    program(subject, thread) {
      if (thread < 2) {
        Atomics.add(subject.work, WORK, 1);
        subject.events.advance();
      } else awaitByCount(subject);
    },
    mutants: [
      mutant("looks-before-it-reads", SELF, [
        "const seen = subject.events.read();\n        if (takeWork(subject))\n            break;",
        "if (takeWork(subject)) break;\n        const seen = subject.events.read();",
      ]),
      mutant("lost-wake-up", EVENTS, ["Atomics.store(this.#words, this.#base + ASLEEP, 1);", ";"]),
      mutant("looks-for-sleepers-before-it-counts", EVENTS, [
        "advance() {\n        Atomics.add(this.#words, this.#base + COUNT, 1);",
        "advance() {",
      ]),
      mutant("counts-once", EVENTS, [
        "Atomics.add(this.#words, this.#base + COUNT, 1);\n        return Atomics.notify(",
        "return Atomics.notify(",
      ]),
      mutant("looks-before-it-reminds", SELF, [
        "subject.events.remind();\n    if (Atomics.load(subject.work, WORK) > 0)\n        subject.events.advance();",
        "if (Atomics.load(subject.work, WORK) > 0) subject.events.advance();\n    subject.events.remind();",
      ]),
    ],
  } satisfies Configuration<Announced>,
  {
    name: "doorbell-2x1",
    technique: "doorbell",
    threads: 3,
    operations: 2,
    strategy: "stateful",
    cycles: true,
    attach: attachAnnounced,
    program(subject, thread) {
      if (thread < 2) {
        Atomics.add(subject.work, WORK, 1);
        subject.bell.ring();
      } else {
        awaitByBell(subject);
        awaitByBell(subject);
      }
    },
    mutants: [
      mutant("lost-wake-up", "sync/doorbell.js", [
        "Atomics.add(this.words, this.index + RUNG, 1);",
        ";",
      ]),
      mutant("looks-before-it-arms", SELF, [
        "const armed = subject.bell.arm();\n        if (takeWork(subject)) {\n            subject.bell.disarm();\n            return;\n        }",
        "if (takeWork(subject)) return;\n        const armed = subject.bell.arm();",
      ]),
    ],
  } satisfies Configuration<Announced>,
  {
    name: "barrier-3x2",
    technique: "barrier",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    attach: (memory, owner) => attachBarrier(memory, 3, owner),
    program(subject, thread) {
      meet(subject, thread, 3, 1);
    },
    check: (outcome) => (outcome.reports.flat().length === 0 ? undefined : "a party went ahead"),
    mutants: [
      mutant("wakes-one", BARRIER, [
        "=== round) {\n            Atomics.notify(words, index + ROUND);",
        "=== round) {\n            Atomics.notify(words, index + ROUND, 1);",
      ]),
      mutant("one-party-too-few", BARRIER, [
        "party < parties; party++",
        "party < parties - 1; party++",
      ]),
    ],
  } satisfies Configuration<Meeting>,
  {
    name: "barrier-reclaim",
    technique: "reclaim of a dead owner",
    threads: 4,
    operations: 1,
    strategy: "stateful",
    mortal: [0],
    attach: (memory, owner) => attachBarrier(memory, 3, owner),
    program(subject, thread) {
      if (thread < 3) subject.barrier.arriveAndWait();
      else {
        awaitEnd(0);
        Barrier.reclaim(subject.words, 0, 3, 1);
      }
    },
    mutants: [
      mutant("dies-before-waking", BARRIER, [
        "Barrier.#completeIfAllHere(words, index, parties, round);\n        // It may have completed the round and died before waking the others.\n        Atomics.notify(words, index + ROUND);",
        "Barrier.#completeIfAllHere(words, index, parties, round);",
      ]),
    ],
  } satisfies Configuration<Meeting>,
];
