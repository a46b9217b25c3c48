import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CashBook } from "../../../src/frontier/cash/cash-book.ts";
import { MergedOrder } from "../../../src/frontier/opic/merged-order.ts";
import { OpicOrder } from "../../../src/frontier/opic/opic-order.ts";
import { RangeCounts } from "../../../src/frontier/opic/range-counts.ts";
import { QUEUE_RANGES, RangeQueue } from "../../../src/frontier/queue/range-queue.ts";

const noFile = () => assert.fail("memory suffices");

function orderOf(pages: readonly number[], counts = new RangeCounts()) {
  const book = new CashBook();
  book.mint(2 ** 50);
  const order = new OpicOrder(book, new RangeQueue(noFile), counts);
  pages.forEach((cash, page) => {
    order.admit(page, cash);
  });
  return { book, order };
}

function drawAll(order: OpicOrder | MergedOrder): number[] {
  const pages: number[] = [];
  while (order.entries > 0) order.draw(3, pages);
  return pages;
}

test("a raised page leaves by its new cash, once", () => {
  const { order } = orderOf([100, 200, 300]);
  order.credit(0, 1000, "own");
  order.credit(0, 5000, "foreign");
  assert.deepEqual(drawAll(order), [0, 2, 1]);
  assert.equal(order.stale, 2);
});

test("a credit that does not lift the page into a higher range costs no entry", () => {
  const { order } = orderOf([1000]);
  for (let i = 0; i < 50; i++) order.credit(0, 1, "own");
  assert.equal(QUEUE_RANGES.of(1000), QUEUE_RANGES.of(1020));
  assert.equal(order.entries, 2); // 1024 begins a new range
});

test("a taken page is not raised, and a done one not drawn", () => {
  const { book, order } = orderOf([5, 6]);
  order.take(0);
  order.credit(0, 1e6, "own");
  assert.equal(order.entries, 2);
  book.spend(1);
  assert.deepEqual(drawAll(order), []);
  assert.equal(book.cash(0), 1e6 + 5);
});

test("a page that is held counts and is raised where it is; one set aside goes back into the queue", () => {
  const counts = new RangeCounts();
  const { order } = orderOf([100, 200], counts);
  assert.deepEqual(drawAll(order), [1, 0]);
  assert.equal(counts.rangeOf(2), QUEUE_RANGES.of(100));
  order.credit(0, 1e6, "own");
  assert.equal(order.entries, 0);
  assert.equal(counts.rangeOf(1), QUEUE_RANGES.of(1e6 + 100));
  order.setAside(0);
  assert.equal(counts.rangeOf(1), QUEUE_RANGES.of(200));
  order.credit(0, 1e6, "own");
  assert.equal(counts.rangeOf(1), QUEUE_RANGES.of(2e6 + 100));
  assert.equal(
    order.hold(0),
    false,
    "it is in the queue again: what was set aside is a stale copy",
  );
  assert.deepEqual(drawAll(order), [0]);
  for (const page of [0, 1]) order.take(page);
  assert.equal(counts.rangeOf(1), -1);
});

test("every waiting page is drawn exactly once, best range first, whatever is credited meanwhile", () => {
  type Act = { page: number; amount: number } | { draw: number };
  const acts: fc.Arbitrary<Act[]> = fc.array(
    fc.oneof(
      fc.record({
        page: fc.nat({ max: 19 }),
        amount: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 1e6 })),
      }),
      fc.record({ draw: fc.integer({ min: 1, max: 4 }) }),
    ),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 1000 }), { minLength: 20, maxLength: 20 }),
      acts,
      (start, list) => {
        const counts = new RangeCounts();
        const { book, order } = orderOf(start, counts);
        const seen = new Set<number>();
        const draw = (count: number) => {
          const pages: number[] = [];
          order.draw(count, pages);
          for (const page of pages) {
            assert.ok(!seen.has(page), `page ${page} twice`);
            seen.add(page);
            order.take(page);
            for (let other = 0; other < 20; other++) {
              if (seen.has(other) || pages.includes(other)) continue;
              assert.ok(QUEUE_RANGES.of(book.cash(other)) <= QUEUE_RANGES.of(book.cash(page)));
            }
          }
        };
        for (const act of list) {
          if ("draw" in act) draw(act.draw);
          else order.credit(act.page, act.amount, "own");
          const ranges = Array.from({ length: 20 }, (_, page) => page)
            .filter((page) => !seen.has(page))
            .map((page) => QUEUE_RANGES.of(book.cash(page)))
            .sort((a, b) => b - a);
          assert.deepEqual(
            Array.from({ length: 20 }, (_, i) => counts.rangeOf(i + 1)),
            Array.from({ length: 20 }, (_, i) => ranges[i] ?? -1),
          );
        }
        while (order.entries > 0) draw(3);
        assert.equal(seen.size, 20);
      },
    ),
  );
});

test("a resumed shard draws what its book says", () => {
  const { book } = orderOf([10, 1000, 100]);
  book.spend(1);
  book.credit(0, 1e6, "own");
  const resumed = new OpicOrder(book, new RangeQueue(noFile));
  for (const page of [0, 2]) resumed.restore(page);
  assert.deepEqual(drawAll(resumed), [0, 2]);
});

test("shards of one thread are drawn from as if they were one", () => {
  const first = orderOf([1e6, 10, 1]).order;
  const second = orderOf([1e4, 100]).order;
  const merged = new MergedOrder([first, second]);
  assert.equal(merged.entries, 5);
  const pages: number[] = [];
  for (let i = 0; i < 5; i++) merged.draw(1, pages);
  const name = (shard: number, page: number) => 2 * page + shard;
  assert.deepEqual(pages, [name(0, 0), name(1, 0), name(1, 1), name(0, 1), name(0, 2)]);
  assert.equal(merged.cashOf(name(1, 1)), 100);
  merged.setAside(name(1, 1));
  assert.deepEqual([merged.hold(name(1, 1)), merged.hold(name(0, 1))], [true, false]);
  assert.ok(second.isWaiting(1));
  merged.take(name(1, 1));
  assert.equal(second.isWaiting(1), false);
  assert.ok(first.isWaiting(1));
});
