import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StoreCorruptError } from "../../src/errors.ts";
import { fingerprint, print } from "../../src/frontier/fingerprint.ts";
import { SeenSet } from "../../src/frontier/seen.ts";

const url = (i: number) => `http://example.org/list?page=${i}&sort=asc`;

function filled(from: number, to: number): SeenSet {
  const seen = new SeenSet(1, 2);
  for (let i = from; i < to; i++) seen.add(url(i));
  return seen;
}

/** Blocks are valid until the next one is asked for, so a test that keeps them copies them. */
function kept(seen: SeenSet): Uint8Array[] {
  return Array.from(seen.blocks(), (block) => block.slice());
}

test("a seen-set answers like a Set, one by one and many at once, for any seed", () => {
  const someUrls = fc.array(fc.webUrl({ withQueryParameters: true }), { maxLength: 150 });
  fc.assert(
    fc.property(fc.integer(), fc.integer(), someUrls, someUrls, (low, high, some, more) => {
      const seen = new SeenSet(low, high);
      const model = new Set<string>();
      for (const one of [...some, ...some]) {
        assert.equal(seen.has(one), model.has(one));
        assert.equal(seen.add(one), !model.has(one));
        model.add(one);
        assert.equal(seen.size, model.size);
      }
      const many = [...more, ...some, ...more];
      const fresh = new Uint8Array(many.length).fill(7);
      const expected = many.map((one) => (model.has(one) ? 0 : model.add(one) && 1));
      const before = seen.size;
      assert.equal(seen.addMany(many, fresh), model.size - before);
      assert.deepEqual([...fresh], expected);
    }),
  );
});

test("100,000 similar URLs are all new, then all known", () => {
  const seen = new SeenSet(-5, 7);
  for (let i = 0; i < 100_000; i++) assert.ok(seen.add(url(i)), url(i));
  for (let i = 0; i < 100_000; i++) assert.ok(!seen.add(url(i)) && seen.has(url(i)), url(i));
  for (let i = 100_000; i < 200_000; i++) assert.ok(!seen.has(url(i)), url(i));
});

test("an empty set takes a page of memory", () => {
  assert.equal(new SeenSet(1, 2).bytes, 8192);
});

test("a saved set comes back, and two sets come back as their union", () => {
  const blocks = kept(filled(0, 30_000));
  assert.ok(blocks.length > 2 && blocks.every((block) => block.length <= 65_536));
  const back = SeenSet.from(1, 2, 30_000, blocks);
  assert.equal(back.size, 30_000);
  for (let i = 0; i < 30_000; i++) assert.ok(back.has(url(i)), url(i));
  assert.ok(!back.has(url(30_000)));

  const other = kept(filled(20_000, 50_000));
  const union = SeenSet.from(1, 2, 60_000, [...blocks, ...other]);
  assert.equal(union.size, 50_000);
  for (let i = 0; i < 50_000; i++) assert.ok(!union.add(url(i)), url(i));

  assert.deepEqual(kept(new SeenSet(1, 2)), []);
  assert.equal(SeenSet.from(1, 2, 0, []).size, 0);
});

test("a set comes back from blocks that start at any byte of a buffer", () => {
  const [block] = kept(filled(0, 100));
  const shifted = new Uint8Array(block!.length + 3);
  shifted.set(block!, 3);
  const back = SeenSet.from(1, 2, 100, [shifted.subarray(3)]);
  for (let i = 0; i < 100; i++) assert.ok(back.has(url(i)));
});

test("blocks that are cut, missing or too many are refused", () => {
  const blocks = kept(filled(0, 20_000));
  const refused = (entries: number, from: Uint8Array[]) =>
    assert.throws(() => SeenSet.from(1, 2, entries, from), StoreCorruptError);
  refused(20_000, [...blocks.slice(0, -1), blocks.at(-1)!.subarray(1)]);
  refused(20_000, blocks.slice(1));
  refused(19_999, blocks);
  refused(20_001, blocks);
});

test("a set that changes while it is saved is a fault", () => {
  const seen = filled(0, 30_000);
  assert.throws(
    () => {
      for (const _ of seen.blocks()) seen.add("http://late.example/");
    },
    { code: "OW_SEEN_CHANGED" },
  );
});

test("a fingerprint alone can be added", () => {
  const seen = new SeenSet(1, 2);
  fingerprint("http://a.example/", 1, 2);
  assert.ok(seen.addFingerprint(print.low, print.high));
  assert.ok(!seen.add("http://a.example/"));
});
