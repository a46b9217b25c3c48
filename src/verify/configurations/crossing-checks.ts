import { GateTable, gateBytes } from "../../sync/gate-table.ts";
import { MaximumTable, maximumBytes } from "../../sync/maximum-table.ts";
import { Pending } from "../../sync/pending.ts";
import type { Configuration } from "../configuration.ts";
import { report } from "../scenario.ts";
import { type Crawl, crawl, IDLE, PENDING, WAITING } from "../subjects/tiny-crawl.ts";
import { mutant } from "./mutant.ts";

const GATES = "sync/gate-table.js";
const MAXIMA = "sync/maximum-table.js";
const CRAWL = "verify/subjects/tiny-crawl.js";

interface Gated {
  readonly gates: GateTable;
  /** Plain: only one thread at a time may be at a host. */
  readonly host: Int32Array;
}

/** Three threads ask one gate at once. The mutant writes the gate without comparing first. */
function gate(
  name: string,
  [find, replace]: readonly [string, string],
  rest: Pick<Configuration<Gated>, "program" | "check" | "initialise">,
): Configuration<Gated> {
  return {
    name,
    technique: "gate table",
    threads: 3,
    operations: 1,
    strategy: "dpor",
    attach: (memory, owner) => ({
      gates: new GateTable(memory.buffer(gateBytes(1)), owner),
      host: memory.words(1),
    }),
    mutants: [mutant("check-then-act", GATES, [find, replace])],
    ...rest,
  };
}

/** The sorted answers to the three threads can only be these. */
function toldApart(
  name: string,
  written: string,
  answers: string,
  complaint: string,
  program: Configuration<Gated>["program"],
): Configuration<Gated> {
  const find = `if (Atomics.compareExchange(this.#words, gate, next, ${written}) === next)`;
  const replace = `if (Atomics.store(this.#words, gate, ${written}) === ${written})`;
  return gate(name, [find, replace], {
    program,
    check(outcome) {
      const told = outcome.reports.flat().sort((a, b) => a - b);
      return told.join() === answers ? undefined : complaint;
    },
  });
}

function visit(subject: Gated): void {
  if (subject.gates.tryEnter(7, 5, 1) !== 0) return;
  subject.host[0] = subject.host[0]! + 1;
  report(1);
  subject.gates.leave(7, 5);
}

function reserve(subject: Gated): void {
  report(subject.gates.reserve(7, 5, 10));
}

function start(subject: Gated): void {
  report(subject.gates.tryStart(7, 5, 10));
}

/** Requests that are sent later than they began: the latest counts. */
function sendLate(subject: Gated, thread: number): void {
  subject.gates.raise(7, 20 + 10 * thread);
}

/** What it claimed is moved when it is sent; the others begin when they can. */
function moveClaim(subject: Gated, thread: number): void {
  if (thread === 0) subject.gates.move(7, 30, 15);
  else report(subject.gates.tryStart(7, 31, 10));
}

function claim(subject: Gated): void {
  subject.gates.tryStart(7, 0, 30);
}

/** Two threads raise the value of one host, a third one that of its neighbour in the same slot. */
function raiseMaximum(maxima: MaximumTable, thread: number): void {
  const hash = thread === 2 ? NEIGHBOUR : HOST;
  const value = RAISED + thread;
  maxima.raise(hash, value, 0);
  report(maxima.of(hash) >= value ? 1 : 0);
}

const HOST = 3;
const NEIGHBOUR = 4;
const RAISED = 60;

/** What crosses threads in the crawl: gates, the end. */
export const configurations = [
  gate(
    "gate-table-3",
    [
      "return Atomics.compareExchange(this.#words, gate, next, this.#me) === next ? 0 : retryMs;",
      "Atomics.store(this.#words, gate, this.#me); return 0;",
    ],
    {
      program: visit,
      check: (outcome) =>
        outcome.words(1)[0] === outcome.reports.flat().length
          ? undefined
          : "two threads were at one host",
    },
  ),
  toldApart("gate-table-reserve-3", "after", "5,15,25", "two starts are too close", reserve),
  toldApart(
    "gate-table-start-3",
    "later",
    "0,10,10",
    "two requests began at once, or nobody's did",
    start,
  ),
  gate(
    "gate-table-raise-3",
    [
      "if (next >= wanted || Atomics.compareExchange(this.#words, gate, next, wanted) === next)",
      "if (next >= wanted || Atomics.store(this.#words, gate, wanted) === wanted)",
    ],
    {
      program: sendLate,
      check(outcome) {
        const next = outcome.words(0).at(0)!;
        return next >= 40 ? undefined : `the gate opens at ${next}`;
      },
    },
  ),
  gate(
    "gate-table-move-3",
    [
      "Atomics.compareExchange(this.#words, hash & this.#mask, claimed, next);",
      "(Atomics.store(this.#words, hash & this.#mask, next), claimed);",
    ],
    {
      initialise: claim,
      program: moveClaim,
      check: (outcome) =>
        `${outcome.reports.flat().sort((a, b) => a - b)}` === "0,10"
          ? undefined
          : "two requests began at once, or nobody's did",
    },
  ),
  {
    name: "maximum-table-3",
    technique: "table of maxima",
    threads: 3,
    operations: 1,
    strategy: "dpor",
    attach: (memory) => new MaximumTable(memory.buffer(maximumBytes(1))),
    program: raiseMaximum,
    check: (outcome) =>
      outcome.reports.flat().every((told) => told === 1) ? undefined : "what was raised is lost",
    mutants: [
      mutant("check-then-act", MAXIMA, [
        "if (Atomics.compareExchange(this.#words, slot, word, after) === word)",
        "if (Atomics.store(this.#words, slot, after) === after)",
      ]),
      mutant("neighbours-forgotten", MAXIMA, [
        "const isFree = word === EMPTY || known <= pastValue;",
        "const isFree = word === EMPTY || known <= pastValue || tag !== mine;",
      ]),
    ],
  } satisfies Configuration<MaximumTable>,
  {
    name: "termination-2x2",
    technique: "termination counter",
    threads: 2,
    operations: 2,
    strategy: "stateful",
    cycles: true,
    attach(memory) {
      const words = memory.words(IDLE + 2);
      return { words, pending: new Pending(words, PENDING) };
    },
    initialise(subject) {
      subject.pending.add(1);
      Atomics.store(subject.words, WAITING, 1);
    },
    program: crawl,
    check(outcome) {
      const ends = outcome.reports.flat();
      if (ends.length !== 1) return `the end was seen ${ends.length} times`;
      return ends.at(0) === 2 ? undefined : `the crawl ended after ${ends.at(0)} of 2 pages`;
    },
    mutants: [
      mutant("children-after-the-parent", CRAWL, [
        "if (first)\n            addChild(subject);\n        if (subject.pending.release(1))\n            end(subject);",
        "if (subject.pending.release(1)) end(subject);\n        if (first) addChild(subject);",
      ]),
      mutant(
        "idle-flags",
        CRAWL,
        [
          "Atomics.store(subject.words, IDLE + thread, waiting === 0 ? 1 : 0);",
          "if (waiting === 0) Atomics.store(subject.words, IDLE + thread, 1);",
        ],
        [
          "const first = Atomics.add(",
          "Atomics.store(subject.words, IDLE + thread, 0); const first = Atomics.add(",
        ],
        [
          "if (waiting === 0)\n            continue;",
          "if (waiting === 0) { if (Atomics.load(subject.words, IDLE) === 1 && Atomics.load(subject.words, IDLE + 1) === 1) end(subject); continue; }",
        ],
      ),
    ],
  } satisfies Configuration<Crawl>,
];
