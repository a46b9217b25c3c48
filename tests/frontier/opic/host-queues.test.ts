import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { UNIT } from "../../../src/frontier/cash/cash-book.ts";
import {
  CLASSES,
  classOf,
  HostQueues,
  type PageOrder,
} from "../../../src/frontier/opic/host-queues.ts";

/** Pages in the order of their numbers; `raise` puts one that no host holds to the front again. */
class ListOrder implements PageOrder {
  readonly #entries: number[];
  readonly #states: ("queued" | "held" | "aside" | "taken")[];
  readonly #cashOf: (page: number) => number;
  drawn = 0;

  constructor(pages: number, cashOf: (page: number) => number = () => 1) {
    this.#entries = Array.from({ length: pages }, (_, page) => page);
    this.#states = new Array(pages).fill("queued");
    this.#cashOf = cashOf;
  }

  get entries(): number {
    return this.#entries.length;
  }

  draw(count: number, into: number[]): void {
    const some = this.#entries.splice(0, count);
    this.drawn += some.length;
    for (const page of some) {
      this.#change(page, "queued", "held");
      into.push(page);
    }
  }

  setAside(page: number): void {
    this.#change(page, "held", "aside");
  }

  hold(page: number): boolean {
    if (this.#states[page] !== "aside") return false;
    this.#states[page] = "held";
    return true;
  }

  take(page: number): void {
    this.#change(page, "held", "taken");
  }

  cashOf(page: number): number {
    return this.#cashOf(page);
  }

  cashOfAll(pages: readonly number[], into: Float64Array): void {
    for (const [i, page] of pages.entries()) into[i] = this.#cashOf(page);
  }

  raise(page: number): void {
    const state = this.#states[page];
    if (state === "held" || state === "taken") return;
    if (state === "queued") this.#entries.splice(this.#entries.indexOf(page), 1); // one valid entry at a time
    this.#states[page] = "queued";
    this.#entries.unshift(page);
  }

  #change(page: number, from: string, to: "held" | "aside" | "taken"): void {
    assert.equal(this.#states[page], from, `page ${page} is to be ${to}`);
    this.#states[page] = to;
  }
}

function queuesOf(
  order: ListOrder,
  hosts: readonly number[],
  sizes: { batch: number; capacity: number },
): HostQueues {
  return new HostQueues({ order, hostOf: (page) => hosts[page]!, ...sizes });
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
      const order = new ListOrder(hosts.length, (page) => cash[page]!);
      const queues = queuesOf(order, hosts, { batch, capacity });
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
        if (raised !== undefined && raised < hosts.length && turn < 40) {
          cash[raised]! += 1000;
          order.raise(raised);
        }
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

test("a host takes the best of the pages it holds, as they are worth when it takes one", () => {
  const cash = [50, 40, 60, 60];
  const order = new ListOrder(cash.length, (page) => cash[page]!);
  const queues = queuesOf(order, [0, 0, 0, 0], { batch: 10, capacity: 8 });
  queues.refill(1);
  assert.equal(queues.next(0), 2, "of equals the one that came first");
  cash[1] = 90; // raised while its host holds it
  assert.deepEqual([queues.next(0), queues.next(0), queues.next(0)], [1, 3, 0]);
  assert.equal(queues.awake, 0);
});

test("a full host keeps its best pages at hand and takes the best class of the others first", () => {
  const cash = [2, 1, 2, UNIT, 2 ** 20, UNIT / 2, 2 ** 30];
  const order = new ListOrder(cash.length, (page) => cash[page]!);
  const hosts = new Array(cash.length).fill(0);
  const queues = queuesOf(order, hosts, { batch: 10, capacity: 2 });
  queues.refill(1);
  assert.deepEqual([queues.depth, queues.overflowed], [2, 5]);
  const taken: number[] = [];
  for (let page = queues.next(0); page !== undefined; page = queues.next(0)) taken.push(page);
  assert.deepEqual(taken.slice(0, 4), [3, 5, 6, 4]);
  assert.deepEqual(taken.slice(4).sort(), [0, 1, 2]); // the last class has no order but that of arrival
  assert.deepEqual([queues.awake, queues.depth], [0, 0]);
});

test("a full host holds what one holds that compares all its pages each time, whatever rises meanwhile", () => {
  const cashes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 20, maxLength: 80 });
  const moves = fc.array(
    fc.oneof(
      fc.constant("draw" as const),
      fc.constant("take" as const),
      fc.record({ raise: fc.nat({ max: 2 }), by: fc.integer({ min: 1, max: 12 }) }),
    ),
    { maxLength: 60, size: "max" },
  );
  let contested = 0;
  fc.assert(
    fc.property(cashes, moves, (given, steps) => {
      const cash = [...given];
      const order = new ListOrder(cash.length, (page) => cash[page]!);
      const queues = queuesOf(order, new Array(cash.length).fill(0), { batch: 2, capacity: 3 });
      const held: number[] = [];
      const aside: number[] = []; // all of them are of the last class
      let drawn = 0;
      for (const step of steps) {
        if (step === "draw") {
          queues.rouse();
          queues.refill(1);
          for (; drawn < order.drawn; drawn++) {
            held.push(drawn);
            if (held.length <= 3) continue;
            const least = Math.min(...held.map((page) => cash[page]!));
            const at = held.findLastIndex((page) => cash[page] === least);
            if (at < 3) contested++;
            aside.push(...held.splice(at, 1));
          }
        } else if (step === "take") {
          const most = Math.max(...held.map((page) => cash[page]!));
          const at = held.findIndex((page) => cash[page] === most);
          assert.equal(queues.next(0), at < 0 ? undefined : held.splice(at, 1)[0]);
          if (aside.length > 0) held.push(aside.shift()!);
        } else if (held.length > 0) {
          cash[held[step.raise % held.length]!]! += step.by;
        }
      }
    }),
  );
  assert.ok(contested > 0, "the page drawn last was always the worst");
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
