import { BytePipe, pipeBytes } from "../../sync/byte-pipe.ts";
import { GateTable, gateBytes } from "../../sync/gate-table.ts";
import { Pending } from "../../sync/pending.ts";
import type { Configuration } from "../configuration.ts";
import { report } from "../scenario.ts";
import { type Crawl, crawl, IDLE, PENDING, WAITING } from "../subjects/tiny-crawl.ts";

const CRAWL = "verify/subjects/tiny-crawl.js";

interface Piped {
  readonly pipe: BytePipe;
  readonly box: Uint8Array;
}

function send(subject: Piped, count: number): void {
  for (let sent = 0; sent < count; sent++) {
    subject.box[0] = 10 + sent;
    report(subject.pipe.write(subject.box, 0));
  }
}

function receive(subject: Piped, attempts: number): void {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (subject.pipe.read(subject.box, 0, 1) === 1) report(subject.box[0]!);
  }
}

const pipes: readonly Configuration<Piped>[] = [
  {
    name: "byte-pipe-3",
    technique: "byte pipe",
    threads: 2,
    operations: 3,
    strategy: "dpor",
    attach: (memory) => ({
      pipe: new BytePipe(memory.buffer(pipeBytes(2))),
      box: new Uint8Array(1),
    }),
    program(subject, thread) {
      if (thread === 0) send(subject, 3);
      else receive(subject, 3);
    },
    check(outcome) {
      const sent = outcome.reports.at(0)!.flatMap((ok, i) => (ok === 1 ? [10 + i] : []));
      const got = outcome.reports.at(1)!;
      return got.every((byte, i) => byte === sent.at(i))
        ? undefined
        : `sent ${sent.join()}, received ${got.join()}`;
    },
    mutants: [
      {
        name: "publish-before-write",
        patches: [
          {
            module: "sync/byte-pipe.js",
            find: "this.#bytes.set(bytes.subarray(from, from + first), at);",
            replace:
              "Atomics.store(this.#words, WRITTEN, (written + count) | 0); this.#bytes.set(bytes.subarray(from, from + first), at);",
          },
        ],
      },
    ],
  },
];

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
  {
    name: "gate-table-reserve-3",
    technique: "gate table",
    threads: 3,
    operations: 1,
    strategy: "dpor",
    attach: (memory, owner) => ({
      gates: new GateTable(memory.buffer(gateBytes(1)), owner),
      host: memory.words(1),
    }),
    program(subject) {
      report(subject.gates.reserve(7, 5, 10));
    },
    check: (outcome) =>
      outcome.reports
        .flat()
        .sort((a, b) => a - b)
        .join() === "5,15,25"
        ? undefined
        : "two starts are too close",
    mutants: [
      {
        name: "check-then-act",
        patches: [
          {
            module: "sync/gate-table.js",
            find: "if (Atomics.compareExchange(this.#words, gate, next, after) === next)",
            replace: "if (Atomics.store(this.#words, gate, after) === after)",
          },
        ],
      },
    ],
  },
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

/** What crosses threads in the crawl: pipe, gates, the end. */
export const configurations = [...pipes, ...gates, ...crawls];
