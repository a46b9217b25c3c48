import { CasSet } from "../../frontier/shared/sets/cas-set.ts";
import { StripedSet } from "../../frontier/shared/sets/striped-set.ts";
import type { VisitedSet } from "../../frontier/shared/sets/visited-set.ts";
import type { Configuration, Outcome } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { report } from "../scenario.ts";
import { mutant } from "./mutant.ts";

interface Subject {
  readonly set: VisitedSet;
}

const SETS = "frontier/shared/sets";
const CAS_SHAPE = { maxUrls: 2, initial: 8 };
const STRIPED_SHAPE = { maxUrls: 1, initial: 1, maxUrlBytes: 1, mayBlock: true };

/** Marks two URLs; neighbours have one in common. Reports those it was the first to mark. */
function markTwo(subject: Subject, thread: number): void {
  if (subject.set.mark(thread === 0 ? "a" : "b")) report(thread === 0 ? 1 : 2);
  if (subject.set.mark(thread === 0 ? "b" : "c")) report(thread === 0 ? 2 : 3);
}

function markedOnce(outcome: Outcome): string | undefined {
  const marked = outcome.reports.flat().sort((a, b) => a - b);
  return marked.join() === "1,2,3" ? undefined : `marked ${marked.join()}`;
}

function attachCas(memory: Memory): Subject {
  return { set: new CasSet(memory.buffer(CasSet.bytes(CAS_SHAPE)), CAS_SHAPE) };
}

function attachStriped(memory: Memory, owner: number): Subject {
  const buffer = memory.buffer(StripedSet.bytes(STRIPED_SHAPE));
  return { set: new StripedSet(buffer, STRIPED_SHAPE, owner) };
}

/** Visited sets: every URL is marked by one thread, also while the table doubles. */
export const configurations: readonly Configuration<Subject>[] = [
  {
    name: "visited-cas-mark",
    technique: "compare-and-exchange set",
    threads: 2,
    operations: 2,
    strategy: "stateful",
    attach: attachCas,
    program: markTwo,
    check: markedOnce,
    mutants: [
      mutant("check-then-mark", `${SETS}/cas-set.js`, [
        "const found = Atomics.compareExchange(this.#slots, slot, EMPTY, key);",
        "const found = EMPTY; Atomics.store(this.#slots, slot, key);",
      ]),
    ],
  },
  {
    name: "visited-striped-resize",
    technique: "striped set",
    threads: 2,
    operations: 2,
    strategy: "stateful",
    attach: attachStriped,
    program: markTwo,
    check: markedOnce,
    mutants: [
      mutant("check-then-mark", `${SETS}/striped-set.js`, [
        "const added = this.#pages.store(",
        "this.#table.unlockBucket(bucket); this.#table.lockBucket(bucket); const added = this.#pages.store(",
      ]),
      mutant("resize-without-all-locks", `${SETS}/bucket-table.js`, [
        "for (let bucket = 0; bucket < buckets; bucket++)\n            this.lockBucket(bucket);",
        "",
      ]),
      mutant("lock-of-the-old-table", `${SETS}/bucket-table.js`, [
        "if (this.buckets() === buckets)\n                return bucket;",
        "return bucket;",
      ]),
    ],
  },
];
