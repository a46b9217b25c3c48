import { GateTable, gateBytes } from "../../sync/gate-table.ts";
import { Pending } from "../../sync/pending.ts";
import type { Configuration } from "../configuration.ts";
import { report } from "../scenario.ts";
import { type Crawl, crawl, IDLE, PENDING, WAITING } from "../subjects/tiny-crawl.ts";

const CRAWL = "verify/subjects/tiny-crawl.js";

interface Gated {
  readonly gates: GateTable;
  /** Plain: only one thread at a time may be at a host. */
  readonly host: Int32Array;
}

function visit(subject: Gated): void {
  if (subject.gates.tryEnter(7, 5, 1) !== 0) return;
  subject.host[0] = subject.host[0]! + 1;
  report(1);
  subject.gates.leave(7, 5);
}

const checkThenAct = {
  name: "check-then-act",
  patches: [
    {
      module: "sync/gate-table.js",
      find: "return Atomics.compareExchange(this.#words, gate, next, this.#me) === next ? 0 : retryMs;",
      replace: "Atomics.store(this.#words, gate, this.#me); return 0;",
    },
  ],
};

/** Three threads ask one gate at once: what they are told, sorted, can only be this. Who writes it without comparing is caught. */
function threeAtOnce(
  name: string,
  {
    program,
    answers,
    complaint,
    written,
  }: { program: (subject: Gated) => void; answers: string; complaint: string; written: string },
): Configuration<Gated> {
  const find = `if (Atomics.compareExchange(this.#words, gate, next, ${written}) === next)`;
  const replace = `if (Atomics.store(this.#words, gate, ${written}) === ${written})`;
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
    program,
    check: ({ reports }) =>
      reports
        .flat()
        .sort((a, b) => a - b)
        .join() === answers
        ? undefined
        : complaint,
    mutants: [
      { name: "check-then-act", patches: [{ module: "sync/gate-table.js", find, replace }] },
    ],
  };
}

const gates: readonly Configuration<Gated>[] = [
  {
    name: "gate-table-3",
    technique: "gate table",
    threads: 3,
    operations: 1,
    strategy: "dpor",
    attach: (memory, owner) => ({
      gates: new GateTable(memory.buffer(gateBytes(1)), owner),
      host: memory.words(1),
    }),
    program(subject) {
      visit(subject);
    },
    check: (outcome) =>
      outcome.words(1)[0] === outcome.reports.flat().length
        ? undefined
        : "two threads were at one host",
    mutants: [checkThenAct],
  },
  threeAtOnce("gate-table-reserve-3", {
    program(subject) {
      report(subject.gates.reserve(7, 5, 10));
    },
    answers: "5,15,25",
    complaint: "two starts are too close",
    written: "after",
  }),
  threeAtOnce("gate-table-start-3", {
    program(subject) {
      report(subject.gates.tryStart(7, 5, 10));
    },
    answers: "0,10,10",
    complaint: "two requests began at once, or nobody's did",
    written: "later",
  }),
];

const crawls: readonly Configuration<Crawl>[] = [
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
    program(subject, thread) {
      crawl(subject, thread);
    },
    check(outcome) {
      const ends = outcome.reports.flat();
      if (ends.length !== 1) return `the end was seen ${ends.length} times`;
      return ends.at(0) === 2 ? undefined : `the crawl ended after ${ends.at(0)} of 2 pages`;
    },
    mutants: [
      {
        name: "children-after-the-parent",
        patches: [
          {
            module: CRAWL,
            find: "if (first)\n            addChild(subject);\n        if (subject.pending.release(1))\n            end(subject);",
            replace:
              "if (subject.pending.release(1)) end(subject);\n        if (first) addChild(subject);",
          },
        ],
      },
      {
        name: "idle-flags",
        patches: [
          {
            module: CRAWL,
            find: "Atomics.store(subject.words, IDLE + thread, waiting === 0 ? 1 : 0);",
            replace: "if (waiting === 0) Atomics.store(subject.words, IDLE + thread, 1);",
          },
          {
            module: CRAWL,
            find: "const first = Atomics.add(",
            replace: "Atomics.store(subject.words, IDLE + thread, 0); const first = Atomics.add(",
          },
          {
            module: CRAWL,
            find: "if (waiting === 0)\n            continue;",
            replace:
              "if (waiting === 0) { if (Atomics.load(subject.words, IDLE) === 1 && Atomics.load(subject.words, IDLE + 1) === 1) end(subject); continue; }",
          },
        ],
      },
    ],
  },
];

/** What crosses threads in the crawl: gates, the end. */
export const configurations = [...gates, ...crawls];
