import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CashBook } from "../../../src/frontier/cash/cash-book.ts";
import { CashBoard, cashBoardBytes } from "../../../src/frontier/opic/cash-board.ts";
import { shareOf } from "../../../src/frontier/opic/cash-shares.ts";
import { RangeCounts } from "../../../src/frontier/opic/range-counts.ts";

function boards(threads: number): CashBoard[] {
  const memory = new SharedArrayBuffer(cashBoardBytes(threads));
  return Array.from({ length: threads }, (_, thread) => new CashBoard(memory, thread));
}

test("a page's part is that of the whole crawl, whoever owns it", () => {
  const [a, b] = boards(2) as [CashBoard, CashBoard];
  assert.equal(a.paidBack, 0);
  a.publish({ virtual: 1000, waiting: 10, plenty: -1 });
  b.publish({ virtual: 0, waiting: 90, plenty: -1 });
  assert.deepEqual([a.paidBack, b.paidBack], [10, 10]);
});

test("the thread with the best pages is helped, nobody helps himself, and a thread that has told nothing is not waited for", () => {
  const [a, b, c] = boards(3) as [CashBoard, CashBoard, CashBoard];
  assert.equal(a.better(-1), -1);
  b.publish({ virtual: 0, waiting: 99, plenty: 50 });
  c.publish({ virtual: 0, waiting: 99, plenty: 60 });
  assert.deepEqual(
    [49, 55, 60].map((range) => a.better(range)),
    [2, 2, -1],
  );
  assert.equal(c.better(10), 1);
  c.publish({ virtual: 0, waiting: 3, plenty: -1 });
  assert.equal(a.better(49), 1);
});

test("no two threads wait for each other", () => {
  const thread = fc.record({ best: fc.nat(20), below: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(thread, { minLength: 2, maxLength: 6 }), (threads) => {
      const all = boards(threads.length);
      for (const [i, { best, below }] of threads.entries()) {
        all[i]!.publish({ virtual: 0, waiting: 1, plenty: Math.max(-1, best - below) });
      }
      const helps = threads.map(({ best }, i) => all[i]!.better(best));
      for (let i = 0; i < helps.length; i++) {
        // Who follows from helper to helped comes to somebody who works for himself.
        let at = i;
        for (let steps = 0; helps[at]! >= 0; steps++) {
          assert.ok(steps < helps.length, "a circle");
          at = helps[at]!;
        }
      }
    }),
  );
});

test("a shard never pays more than its virtual page has, whatever the board says", () => {
  const book = new CashBook();
  book.mint(100);
  book.admit(0, 60);
  assert.equal(shareOf(book, 0, 1, 10), 70);
  assert.equal(shareOf(book, 0, 1, 1e9), 100);
  assert.equal(shareOf(book, 0, 1, -5), 60);
});

test("the range of the k-th best page", () => {
  const counts = new RangeCounts();
  assert.equal(counts.rangeOf(1), -1);
  for (const range of [7, 7, 3]) counts.add(range);
  assert.deepEqual(
    [1, 2, 3, 4].map((pages) => counts.rangeOf(pages)),
    [7, 7, 3, -1],
  );
  counts.remove(7);
  assert.equal(counts.rangeOf(2), 3);
});
