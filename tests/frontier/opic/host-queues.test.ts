import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { UNIT } from "../../../src/frontier/opic/cash-book.ts";
import {
  CLASSES,
  classOf,
  HostQueues,
  type PageOrder,
} from "../../../src/frontier/opic/host-queues.ts";

/** Pages in the order of their numbers, each with a host; `raise` puts one to the front again. */
class ListOrder implements PageOrder {
  readonly #entries: number[];
  readonly #gone = new Set<number>();
  drawn = 0;

  constructor(pages: number) {
    this.#entries = Array.from({ length: pages }, (_, page) => page);
  }

  get entries(): number {
    return this.#entries.length;
  }

  draw(count: number, into: number[]): void {
    const some = this.#entries.splice(0, count);
    this.drawn += some.length;
    into.push(...some.filter((page) => this.isWaiting(page)));
  }

  take(page: number): void {
    assert.ok(this.isWaiting(page), `page ${page} taken twice`);
    this.#gone.add(page);
  }

  isWaiting(page: number): boolean {
    return !this.#gone.has(page);
  }

  raise(page: number): void {
    if (!this.isWaiting(page)) return;
    const at = this.#entries.indexOf(page);
    if (at >= 0) this.#entries.splice(at, 1); // an order gives a page one valid entry at a time
    this.#entries.unshift(page);
  }
}

function queuesOf(
  order: ListOrder,
  hosts: readonly number[],
  sizes: { batch: number; capacity: number },
  cash: (page: number) => number = () => 1,
): HostQueues {
  return new HostQueues({
    order,
    hostOf: (page) => hosts[page]!,
    cashOf: cash,
    ...sizes,
  });
}

test("every page comes out exactly once, by its own host, whatever is raised meanwhile", () => {
  const web = fc.record({
    hosts: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 80 }),
    batch: fc.integer({ min: 1, max: 8 }),
    capacity: fc.integer({ min: 1, max: 4 }),
    raises: fc.array(fc.nat({ max: 79 }), { maxLength: 40 }),
    cash: fc.array(fc.integer({ min: 0, max: UNIT }), { minLength: 80, maxLength: 80 }),
  });
  fc.assert(
    fc.property(web, ({ hosts, batch, capacity, raises, cash }) => {
      const order = new ListOrder(hosts.length);
      const queues = queuesOf(order, hosts, { batch, capacity }, (page) => cash[page]!);
      const seen = new Set<number>();
      const awake = new Set<number>();
      for (let turn = 0; turn < 1000; turn++) {
        for (const host of queues.refill(2)) {
          assert.ok(!awake.has(host), "woken twice");
          awake.add(host);
        }
        const host = [...awake][turn % Math.max(1, awake.size)];
        if (host === undefined) break;
        const page = queues.next(host)!;
        if (!queues.has(host)) awake.delete(host);
        assert.equal(hosts[page], host);
        assert.ok(!seen.has(page));
        seen.add(page);
        const raised = raises[turn % Math.max(1, raises.length)];
        if (raised !== undefined && raised < hosts.length && turn < 40) order.raise(raised);
      }
      assert.equal(seen.size, hosts.length);
    }),
    { numRuns: 200 },
  );
});

test("drawing stops after 2 R pages that wake nobody", () => {
  const order = new ListOrder(1000);
  const hosts = [...new Array(900).fill(0), ...new Array(100).fill(1)];
  const queues = queuesOf(order, hosts, { batch: 10, capacity: 3 });
  assert.deepEqual(queues.refill(5), [0]);
  // Page 0 woke the host; 20 more belong to it.
  assert.equal(order.drawn, 21);
  const before = order.drawn;
  assert.deepEqual(queues.refill(5), []);
  assert.equal(order.drawn, before); // patience has ended
  queues.next(0);
  queues.refill(5);
  assert.equal(order.drawn, before + 1); // one taken, one drawn
});

test("a host that is awake does not hide those behind it when it has been served", () => {
  const order = new ListOrder(30);
  const hosts = Array.from({ length: 30 }, (_, page) => (page < 20 ? 0 : 1));
  const queues = queuesOf(order, hosts, { batch: 4, capacity: 2 });
  const woken = new Set(queues.refill(2));
  for (let i = 0; i < 40 && woken.size < 2; i++) {
    queues.next(0);
    for (const host of queues.refill(2)) woken.add(host);
  }
  assert.deepEqual([...woken], [0, 1]);
});

test("a full host takes the best of its overflow first", () => {
  const cash = [1, 1, 2, UNIT, 2 ** 20, UNIT / 2, 2 ** 30];
  const order = new ListOrder(cash.length);
  const queues = queuesOf(
    order,
    new Array(cash.length).fill(0),
    { batch: 10, capacity: 1 },
    (p) => cash[p]!,
  );
  queues.refill(1);
  const taken: number[] = [];
  for (let page = queues.next(0); page !== undefined; page = queues.next(0)) taken.push(page);
  assert.equal(taken[0], 0); // it came when there was room
  assert.deepEqual(taken.slice(1, 5), [3, 5, 6, 4]);
  assert.deepEqual(taken.slice(5).sort(), [1, 2]); // the last class has no order but that of arrival
  assert.equal(queues.awake, 0);
});

test("classes go from the best down, four powers of two each", () => {
  assert.deepEqual([UNIT * 8, UNIT, UNIT / 8].map(classOf), [0, 0, 0]);
  assert.equal(classOf(UNIT / 16), 1);
  assert.equal(classOf(0), CLASSES - 1);
  let last = 0;
  for (let cash = UNIT; cash >= 1; cash /= 2) {
    assert.ok(classOf(cash) >= last);
    last = classOf(cash);
  }
});
