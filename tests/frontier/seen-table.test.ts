import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PageStore } from "../../src/frontier/seen-pages.ts";
import { PAGE_SLOTS, SeenTable } from "../../src/frontier/seen-table.ts";

/** Two streams of well mixed numbers (splitmix32), the same in every run. */
function* prints(count: number): Generator<[low: number, high: number]> {
  const mixed = (n: number, salt: number) => {
    let h = (Math.imul(n, 0x9e3779b9) + salt) | 0;
    h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
    h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
    return (h ^ (h >>> 15)) >>> 0;
  };
  for (let i = 1; i <= count; i++) yield [mixed(i, 1), mixed(i, 0x5bd1e995)];
}

function listed(table: SeenTable): string[] {
  const all: string[] = [];
  for (let page = 0; page < table.pages; page++) {
    table.visit(page, (low, high) => all.push(`${low >>> 0}:${high >>> 0}`));
  }
  return all.sort();
}

// Few different halves, extremes among them: equal high halves, one page that gets everything, overflow.
const half = fc.oneof(
  fc.constantFrom(0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff),
  fc.integer({ min: 0, max: 0xffffffff }),
);
const narrow = fc.integer({ min: 0x40000000, max: 0x40000100 });

test("small pages: a table answers like a Set whatever fingerprints come, overflow included", () => {
  let overflowed = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(fc.tuple(half, half), { maxLength: 300 }),
        fc.array(fc.tuple(half, narrow), { minLength: 50, maxLength: 300 }),
      ),
      (all) => {
        const table = new SeenTable(16);
        const model = new Set<string>();
        for (const [low, high] of all) {
          const key = `${low === 0 ? 1 : low}:${high}`;
          assert.equal(table.has(low, high), model.has(key));
          assert.equal(table.add(low, high), !model.has(key));
          model.add(key);
          overflowed = Math.max(overflowed, table.overflowing);
        }
        assert.equal(table.size, model.size);
        assert.deepEqual(listed(table), [...model].sort());
        for (const [low, high] of all) assert.ok(table.has(low, high) && !table.add(low, high));
      },
    ),
  );
  assert.ok(overflowed > 10, "the property never saw an overflow");
});

test("nothing is lost or found too much at any of 2,000 growths", () => {
  const table = new SeenTable(16);
  const known: [number, number][] = [];
  let { moved } = table;
  let growths = 0;
  for (const [low, high] of prints(20_000)) {
    assert.ok(!table.has(low, high));
    assert.ok(table.add(low, high));
    known.push([low, high]);
    if (table.moved === moved) continue;
    ({ moved } = table);
    growths++;
    // All of them while the table is small and at powers of two (the spiral's seam), then a sample.
    const step = growths < 70 || (growths & (growths + 1)) === 0 ? 1 : 97;
    for (let i = growths % step; i < known.length; i += step) {
      assert.ok(table.has(...known[i]!), `entry ${i} after growth ${growths}`);
    }
  }
  assert.ok(growths > 2000, `${growths} growths`);
  assert.equal(listed(table).length, 20_000);
});

test("up to 1,000,000 entries: memory is even, one add moves at most a page, overflow stays empty", () => {
  const table = new SeenTable();
  const firstPoint = 50_000;
  let moved = 0;
  let mostMoved = 0;
  let mostBytes = 0;
  let leastBytes = Infinity;
  let mostGrowth = 0;
  let bytes = table.bytes;
  let mostOverflow = 0;
  for (const [low, high] of prints(1_000_000)) {
    table.add(low, high);
    mostMoved = Math.max(mostMoved, table.moved - moved);
    ({ moved } = table);
    mostOverflow = Math.max(mostOverflow, table.overflowing);
    if (table.size < firstPoint) bytes = table.bytes;
    else {
      mostBytes = Math.max(mostBytes, table.bytes / table.size);
      leastBytes = Math.min(leastBytes, table.bytes / table.size);
      mostGrowth = Math.max(mostGrowth, table.bytes / bytes);
      ({ bytes } = table);
    }
  }
  assert.equal(table.size, 1_000_000);
  assert.ok(mostMoved > 0 && mostMoved <= PAGE_SLOTS, `${mostMoved} moved by one add`);
  assert.ok(moved / table.size < 1.6, `${moved / table.size} moves per add`);
  assert.ok(mostBytes <= 14, `${mostBytes} bytes per entry`);
  assert.ok(leastBytes >= 13, `${leastBytes} bytes per entry: are all counted?`);
  assert.ok(mostGrowth < 1.017, `memory grew by a factor ${mostGrowth} at once`);
  assert.ok(mostOverflow <= 2, `${mostOverflow} overflowed`);
});

test("a prepared table takes entries in the order of another one without growing", () => {
  const table = new SeenTable();
  for (const [low, high] of prints(100_000)) table.add(low, high);
  const copy = new SeenTable();
  copy.reserve(100_000);
  const { bytes } = copy;
  for (let page = 0; page < table.pages; page++) table.visit(page, (l, h) => copy.add(l, h));
  assert.deepEqual([copy.size, copy.moved, copy.overflowing, copy.bytes], [100_000, 0, 0, bytes]);
  assert.deepEqual(listed(copy), listed(table));
});

test("pages lie side by side, none over another, in chunks of at most 1/64", () => {
  const store = new PageStore(16);
  const seen = new Map<Int32Array, Set<number>>();
  for (let page = 0; page < 3000; page++) {
    const before = store.bytes;
    store.append();
    assert.ok(store.bytes - before <= Math.max(128, before / 64));
    const words = store.wordsOf(page);
    const offset = store.offsetOf(page);
    assert.ok(offset % 32 === 0 && offset + 32 <= words.length);
    const taken = seen.get(words) ?? new Set();
    assert.ok(!taken.has(offset), `page ${page} lies over another`);
    seen.set(words, taken.add(offset));
  }
  assert.equal(store.count, 3000);
});
