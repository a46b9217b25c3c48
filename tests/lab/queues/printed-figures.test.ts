import assert from "node:assert/strict";
import { test } from "node:test";
import { Keys } from "../../../src/frontier/queue/keys.ts";
import { Quickheap } from "../../../src/lab/queues/quickheap.ts";
import { Tournament } from "../../../src/lab/queues/tournament.ts";
import {
  matchByValue,
  printedExtract,
  printedExtractionUpdate,
  printedMatch,
} from "./printed-figures.ts";

// Every fault of the printed figures that issue 5 names: the printed version shows it, the shipped one does not.

const prioritiesOf = (keys: Keys) => [...keys].map(({ priority }) => priority);

/** A tournament of chunks of n keys, filled chunk by chunk and emptied n keys at a time. */
function throughTournament(chunks: readonly (readonly number[])[], n: number): number[][] {
  const queue = new Tournament(n);
  let id = 0;
  for (const chunk of chunks) {
    queue.insertMany(
      Keys.of(
        chunk,
        chunk.map(() => id++),
      ),
    );
  }
  const left: number[][] = [];
  while (queue.size > 0) {
    left.push(prioritiesOf(queue.extractTop(n)).sort((a, b) => b - a));
  }
  return left;
}

test("figures 1-2 lose the keys that Prio[a] held when they overwrite it first", () => {
  const [a, b] = [
    [9, 2, 1],
    [8, 7, 3],
  ];
  const printed = printedMatch(a, b, 3);
  assert.deepEqual(printed, { a: [9, 8, 7], b: [3] }, "2 and 1 are gone");
  assert.deepEqual(throughTournament([a, b], 3), [
    [9, 8, 7],
    [3, 2, 1],
  ]);
});

test("figures 1-2 cut ties by value: a node gets more than R keys, and its neighbour fewer", () => {
  const [a, b] = [
    [5, 5, 5],
    [5, 5, 4],
  ];
  const printed = matchByValue(a, b, 3);
  assert.deepEqual([printed.a.length, printed.b.length], [5, 1]);
  const left = throughTournament([a, b], 3);
  assert.deepEqual(left, [
    [5, 5, 5],
    [5, 5, 4],
  ]);
});

test("figure 2 writes positions where items belong: the winner it names does not hold the best keys", () => {
  // Two leaves at positions 2 and 3 with the items 0 and 1, of which 1 is the better.
  const prio = [[10], [90]];
  const tree = [-1, 0, 0, 1];
  printedExtractionUpdate(tree, prio, 3);
  assert.equal(tree[1], 3, "the position of the winner, where item 1 should stand");
  assert.equal(prio[tree[1]], undefined, "so the root names a chunk that does not exist");
  assert.deepEqual(throughTournament([[30], [20], [10], [90]], 1), [[90], [30], [20], [10]]);
});

test("figure 5 reports its sentinel when more keys are asked for than there are", () => {
  const printed = prioritiesOf(printedExtract([1, 2, 3], 5));
  assert.ok(printed.includes(Number.POSITIVE_INFINITY), `${printed}`);
  const queue = new Quickheap();
  queue.insertMany(Keys.of([1, 2, 3]));
  assert.deepEqual(prioritiesOf(queue.extractTop(5)).sort(), [1, 2, 3]);
  assert.equal(queue.size, 0);
  assert.deepEqual(prioritiesOf(printedExtract([1, 2, 3], 2)), [1, 2], "with fewer it is right");
});
