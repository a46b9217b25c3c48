import { type TreePage, type TreePlace, UrlTree } from "../../store/tree/url-tree.ts";
import { LockTable } from "../../sync/lock-table.ts";
import type { Configuration } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { awaitEnd, report } from "../scenario.ts";
import { DATA, FILE, WordTree } from "../subjects/word-tree.ts";
import { mutant } from "./mutant.ts";

const LOCKS = "sync/lock-table.js";
const TREE = "store/tree/url-tree.js";

interface Table {
  readonly words: Int32Array;
  readonly locks: LockTable;
  /** Plain: a writer changes both, a reader must see them equal. */
  readonly pair: Int32Array;
}

interface Planted {
  readonly words: Int32Array;
  readonly tree: UrlTree;
}

const place: TreePlace = { path: "a", second: "b", hash: 0 };
const page: TreePage = { url: "u", source: "", content: new Uint8Array(0), mime: "" };

function attachTable(memory: Memory, owner: number): Table {
  const words = memory.words(LockTable.words(1));
  return { words, locks: new LockTable(words, 0, 1, owner), pair: memory.words(2) };
}

function attachTree(memory: Memory, owner: number): Planted {
  const words = memory.words(LockTable.words(1));
  const files = new WordTree(memory.words(2));
  return { words, tree: new UrlTree(new LockTable(words, 0, 1, owner), files) };
}

function change({ locks, pair }: Table): void {
  locks.write(0);
  pair[0] = pair[0]! + 1;
  pair[1] = pair[1]! + 1;
  locks.release(0);
}

function look({ locks, pair }: Table): void {
  locks.read(0);
  if (pair[0] !== pair[1]) report(-1);
  locks.release(0);
}

const WRITE_LOCK = "return Atomics.compareExchange(this.#words, at, 0, WRITER | this.#me) === 0;";

const checkThenAct = mutant("D1-lock-by-check-then-act", LOCKS, [
  WRITE_LOCK,
  "if (Atomics.load(this.#words, at) !== 0) return false; Atomics.store(this.#words, at, WRITER | this.#me); return true;",
]);
const keptByTheDead = mutant("lock-dies-with-its-owner", LOCKS, [
  "Atomics.and(words, at, ~(WRITER | dead));",
  ";",
]);

function isWrittenOnce(words: Int32Array): string | undefined {
  if (words.at(FILE) !== 1) return `the file was made ${words.at(FILE)} times`;
  return words.at(DATA) === 1 ? undefined : "the file is there and its data is not";
}

/** The URL tree of seed 001: its lock table, and look, lock, look again, write. */
export const configurations = [
  {
    name: "lock-table-2w1r",
    technique: "lock table",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    cycles: true,
    attach: attachTable,
    program(table, thread) {
      if (thread < 2) change(table);
      else look(table);
    },
    check(outcome) {
      if (outcome.reports.flat().length > 0) return "a reader saw half a change";
      if (outcome.words(1).join() !== "2,2") return "an update was lost";
      return outcome.words(0).every((word) => word === 0) ? undefined : "an entry is not empty";
    },
    mutants: [
      checkThenAct,
      mutant("release-without-telling", LOCKS, [
        "if (Atomics.load(this.#words, at + WAITERS) > 0)",
        "if (false)",
      ]),
      mutant("reads-beside-a-writer", LOCKS, ["if (seen < 0)\n                return false;", ";"]),
      mutant("sleeps-uncounted", LOCKS, [
        "Atomics.add(this.#words, at + WAITERS, 1);",
        "Atomics.add(this.#words, at + WAITERS, 0);",
      ]),
    ],
  } satisfies Configuration<Table>,
  {
    name: "lock-table-reclaim",
    technique: "lock table, reclaim of a dead owner",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    mortal: [0],
    attach: attachTable,
    program(table, thread) {
      if (thread === 2) {
        awaitEnd(0);
        LockTable.reclaim(table.words, 0, 1, 1);
      } else if (thread === 0) look(table);
      else change(table);
    },
    check: (outcome) => (outcome.words(0).at(0) === 0 ? undefined : "a lock is held by the dead"),
    mutants: [
      keptByTheDead,
      mutant("reclaim-without-telling", LOCKS, ["Atomics.notify(words, at);", ";"]),
    ],
  } satisfies Configuration<Table>,
  {
    name: "tree-same-url-2",
    technique: "URL tree",
    threads: 2,
    operations: 1,
    strategy: "stateful",
    cycles: true,
    attach: attachTree,
    program({ tree }) {
      tree.add(place, page);
    },
    check: (outcome) => isWrittenOnce(outcome.words(1)),
    mutants: [
      mutant("no-second-look", TREE, [
        "this.#locks.write(place.hash);\n        try {\n            // Somebody may have stored it between the two locks: what was seen while reading is only a hint.\n            path = this.#freePath(place, page);",
        "this.#locks.write(place.hash);\n        try {",
      ]),
      mutant("no-locks", LOCKS, [WRITE_LOCK, "return true;"]),
      checkThenAct,
    ],
  } satisfies Configuration<Planted>,
  {
    name: "tree-death",
    technique: "URL tree, reclaim of a dead owner",
    threads: 3,
    operations: 1,
    strategy: "stateful",
    mortal: [0],
    attach: attachTree,
    program({ tree, words }, thread) {
      if (thread === 2) {
        awaitEnd(0);
        LockTable.reclaim(words, 0, 1, 1);
      } else tree.add(place, page);
    },
    check: (outcome) => isWrittenOnce(outcome.words(1)),
    mutants: [
      mutant("D4-created-before-written", "verify/subjects/word-tree.js", [
        "Atomics.store(this.#words, DATA, 1);\n        Atomics.add(this.#words, FILE, 1);",
        "Atomics.add(this.#words, FILE, 1);\n        Atomics.store(this.#words, DATA, 1);",
      ]),
      keptByTheDead,
    ],
  } satisfies Configuration<Planted>,
];
