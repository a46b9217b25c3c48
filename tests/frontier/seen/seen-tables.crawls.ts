import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { CapacityError } from "../../../src/errors.ts";
import { ArraySeenTable } from "../../../src/frontier/seen/array-seen-table.ts";
import { MAX_IN_ARRAY, SeenSet } from "../../../src/frontier/seen/seen-set.ts";
import { WasmSeenTable } from "../../../src/frontier/seen/wasm-seen-table.ts";

type Table = Pick<WasmSeenTable, "add" | "has" | "size" | "pages">;

/** A set with the methods of a table. */
function newSet() {
  const set = new SeenSet();
  return Object.assign(set, {
    add: set.addFingerprint.bind(set),
    has: set.hasFingerprint.bind(set),
    addAll: set.addFingerprints.bind(set),
    searchAll: set.searchFingerprints.bind(set),
    pages: set.fingerprints.bind(set),
  });
}

/** Two streams of well mixed numbers (splitmix32), the same in every run. */
function* fingerprints(count: number): Generator<[low: number, high: number]> {
  const mixed = (n: number, salt: number) => {
    let h = (Math.imul(n, 0x9e3779b9) + salt) | 0;
    h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
    h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
    return (h ^ (h >>> 15)) >>> 0;
  };
  for (let i = 1; i <= count; i++) yield [mixed(i, 1), mixed(i, 0x5bd1e995)];
}

function listed(table: Table): string[] {
  const all: string[] = [];
  for (const pairs of table.pages()) {
    for (let i = 0; i < pairs.length; i += 2) all.push(`${pairs[i]! >>> 0}:${pairs[i + 1]! >>> 0}`);
  }
  return all.sort();
}

// Few different halves, extremes among them: equal low halves share their first slot, equal high halves their page.
const half = fc.oneof(
  fc.constantFrom(0, 1, 2, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff),
  fc.integer({ min: 0, max: 0xffffffff }),
);

/** Tables with many small pages or stripes, so that tests see every boundary; a page has so many slots. */
const KINDS = [
  {
    name: "array",
    small: (_slots: number) => new ArraySeenTable(6),
    large: () => new ArraySeenTable(10),
    leastBytes: 10.6,
  },
  {
    name: "WebAssembly",
    small: (slots: number) => new WasmSeenTable(slots),
    large: () => new WasmSeenTable(),
    leastBytes: 13,
  },
] as const;

for (const { name, small, large, leastBytes } of KINDS) {
  test(`${name}: small pages answer like a Set whatever fingerprints come`, () => {
    const any = fc.integer({ min: 0, max: 0xffffffff });
    const lists = fc.oneof(
      fc.array(fc.tuple(half, any), { maxLength: 300 }),
      fc.array(fc.tuple(fc.constantFrom(0, 1, 15), any), { minLength: 50, maxLength: 300 }),
      fc.array(fc.tuple(half, half), { maxLength: 60 }),
    );
    fc.assert(
      fc.property(lists, (all) => {
        const table = small(64);
        const model = new Set<string>();
        for (const [low, high] of all) {
          const key = `${low === 0 ? 1 : low}:${high}`;
          assert.equal(table.has(low, high), model.has(key));
          assert.equal(table.add(low, high), !model.has(key));
          model.add(key);
        }
        assert.equal(table.size, model.size);
        assert.deepEqual(listed(table), [...model].sort());
        for (const [low, high] of all) assert.ok(table.has(low, high) && !table.add(low, high));
      }),
    );
  });

  test(`${name}: nothing is lost or found too much at any growth, from small pages to 900 growths`, () => {
    const table = small(512);
    const known: [number, number][] = [];
    let { bytes } = table;
    let growths = 0;
    for (const [low, high] of fingerprints(300_000)) {
      assert.ok(!table.has(low, high));
      assert.ok(table.add(low, high));
      known.push([low, high]);
      if (table.bytes === bytes) continue;
      ({ bytes } = table);
      growths++;
      // All of them while the table is small and when the directory has doubled, then a sample.
      const step = growths < 20 || (growths & (growths + 1)) === 0 ? 1 : 997;
      for (let i = growths % step; i < known.length; i += step) {
        assert.ok(table.has(...known[i]!), `entry ${i} after growth ${growths}`);
      }
    }
    assert.ok(growths > 900, `${growths} growths`);
    assert.equal(listed(table).length, 300_000);
  });

  test(`${name}: from 900,000 to 2,000,000 entries memory is even and grows by a page at a time`, () => {
    const table = large();
    let most = 0;
    let least = Number.POSITIVE_INFINITY;
    let mostGrowth = 0;
    let bytes = 0;
    for (const [low, high] of fingerprints(2_000_000)) {
      table.add(low, high);
      if (table.size > 900_000) {
        most = Math.max(most, table.bytes / table.size);
        least = Math.min(least, table.bytes / table.size);
        mostGrowth = Math.max(mostGrowth, table.bytes - bytes);
      }
      ({ bytes } = table);
    }
    assert.equal(table.size, 2_000_000);
    assert.ok(most <= 14, `${most} bytes per entry`);
    assert.ok(least >= leastBytes, `${least} bytes per entry: are all counted?`);
    // A page, and now and then a longer directory or list of pages.
    assert.ok(mostGrowth < 136 * 1024, `memory grew by ${mostGrowth} bytes at once`);
  });

  test(`${name}: fingerprints that come in the order of another table fill this one as evenly`, () => {
    const table = small(1024);
    for (const [low, high] of fingerprints(100_000)) table.add(low, high);
    const copy = small(1024);
    for (const pairs of table.pages()) {
      for (let i = 0; i < pairs.length; i += 2) copy.add(pairs[i]!, pairs[i + 1]!);
    }
    assert.deepEqual(listed(copy), listed(table));
    assert.ok(copy.bytes < 1.1 * table.bytes, `${copy.bytes} bytes instead of ${table.bytes}`);
  });

  test(`${name}: what was there when a reading began is read exactly once, whatever is added meanwhile`, () => {
    const table = small(64);
    const all = [...fingerprints(20_000)];
    const before = all.slice(0, 2000);
    for (const [low, high] of before) table.add(low, high);
    const read = new Map<string, number>();
    let next = before.length;
    for (const pairs of table.pages()) {
      for (let i = 0; i < pairs.length; i += 2) {
        const key = `${pairs[i]! >>> 0}:${pairs[i + 1]! >>> 0}`;
        read.set(key, (read.get(key) ?? 0) + 1);
      }
      // The table gets many times larger while it is read.
      for (let i = 0; i < 200 && next < all.length; i++) table.add(...all[next++]!);
    }
    assert.ok(next > 10_000, "hardly anything was added meanwhile");
    for (const [low, high] of before) assert.equal(read.get(`${low}:${high}`), 1);
    for (const times of read.values()) assert.equal(times, 1);
  });
}

test("fingerprints that are not random are refused before the directory takes all memory", () => {
  const table = new WasmSeenTable(64);
  assert.throws(() => {
    for (let i = 1; i < 100; i++) table.add(i, 7);
  }, CapacityError);
});

/** Searches for all and adds all, as many at once as `sizes` says in turn, and compares with adding one by one. */
function addInBatches(
  table: Table & Pick<WasmSeenTable, "addAll" | "searchAll">,
  all: readonly (readonly [low: number, high: number])[],
  sizes: readonly number[],
): void {
  const model = new Set<string>();
  const keyOf = ([low, high]: readonly [number, number]) => `${low === 0 ? 1 : low}:${high}`;
  for (let from = 0, turn = 0; from < all.length; turn++) {
    const batch = all.slice(from, from + sizes[turn % sizes.length]!);
    from += batch.length;
    const fingerprints = Uint32Array.from(batch.flat());
    // One more, which nobody asks for: what stands there stays.
    const isNew = new Uint8Array(batch.length + 1).fill(7);
    const unknown = batch.map((one) => (model.has(keyOf(one)) ? 0 : 1));
    const missing = unknown.filter((one) => one === 1).length;
    assert.equal(table.searchAll(fingerprints, batch.length, isNew), missing);
    assert.deepEqual([...isNew], [...unknown, 7]);
    assert.equal(table.size, model.size);
    const before = model.size;
    const expected = batch.map((one) => (model.size < model.add(keyOf(one)).size ? 1 : 0));
    assert.equal(table.addAll(fingerprints, batch.length, isNew.fill(7)), model.size - before);
    assert.deepEqual([...isNew], [...expected, 7]);
    assert.equal(table.size, model.size);
  }
  assert.deepEqual(listed(table), [...model].sort());
}

test("many at once are told apart like one by one, whatever they are and wherever a page is split among them", () => {
  // Spread: too many that are nearly the same would be refused.
  const any = fc.integer().map((n) => Math.imul(n, 0x9e3779b1) >>> 0);
  const lists = fc.oneof(
    fc.array(fc.tuple(half, any), { minLength: 100, maxLength: 600 }),
    fc.array(fc.tuple(fc.constantFrom(0, 1, 8, 9), any), { minLength: 100, maxLength: 300 }),
    // Few different ones: most have been there, many of them in the same batch.
    fc.array(fc.tuple(fc.nat(9), fc.nat(30).map((n) => n * 2 ** 27)), { maxLength: 300 }), // biome-ignore format: one thought
  );
  const sizes = fc.array(fc.constantFrom(1, 2, 7, 100, 127, 128, 129, 300), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(lists, sizes, (all, some) => addInBatches(new WasmSeenTable(64), all, some)),
  );
});

test("many at once are told apart before, while and after a table moves, and where its directory doubles", () => {
  const all = [...fingerprints(30_000)];
  const repeated = all.flatMap((one, i) => (i % 3 === 0 ? [one, all[i >> 1]!] : [one]));
  addInBatches(newSet(), repeated, [1, 100, 128, 5000]);
});

test("a table answers like a Set before, while and after it moves to a memory of its own", () => {
  const table = newSet();
  const all = [...fingerprints(3 * MAX_IN_ARRAY)];
  let before: Generator<Int32Array> | undefined;
  for (const [i, [low, high]] of all.entries()) {
    if (i === MAX_IN_ARRAY - 1) {
      before = table.pages();
      before.next();
    }
    assert.ok(!table.has(low, high) && table.add(low, high));
    assert.ok(table.has(low, high) && !table.add(low, high));
    assert.equal(table.size, i + 1);
  }
  assert.equal(before?.next().done, true);
  for (const [low, high] of all) assert.ok(table.has(low, high));
  assert.deepEqual(listed(table), all.map(([low, high]) => `${low}:${high}`).sort());
});

test("a table that is told what comes moves at once, with what it has", () => {
  const [told, moved] = [newSet(), new WasmSeenTable()];
  const all = [...fingerprints(100_000)];
  for (const [low, high] of all.slice(0, 100)) told.add(low, high);
  told.reserve(all.length);
  moved.reserve(all.length);
  const { bytes, pageCount } = moved;
  assert.deepEqual([told.bytes, told.pageCount], [bytes, pageCount]);
  for (const [low, high] of all) {
    assert.equal(told.pageOf(high), moved.pageOf(high));
    told.add(low, high);
  }
  assert.equal(told.size, all.length);
  // By chance some pages get more than their part.
  assert.ok(told.pageCount < 1.2 * pageCount, `${told.pageCount} pages instead of ${pageCount}`);
});

test("where there is no WebAssembly a table stays in arrays and holds as much", () => {
  const module = new URL("../../../src/frontier/seen/seen-set.js", import.meta.url);
  const script = `
    import { SeenSet } from ${JSON.stringify(module.href)};
    const table = new SeenSet();
    const high = (i) => Math.imul(i, 0x9e3779b1);
    for (let i = 1; i <= 30_000; i++) table.addFingerprint(i, high(i));
    let known = 0;
    for (let i = 1; i <= 30_000; i++) {
      if (table.hasFingerprint(i, high(i)) && !table.hasFingerprint(i, ~high(i))) known++;
    }
    console.log(typeof WebAssembly, table.size, known);
  `;
  const flags = ["--jitless", "--input-type=module", "--eval", script];
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: "utf8" });
  assert.equal(stdout, "undefined 30000 30000\n", stderr);
});
