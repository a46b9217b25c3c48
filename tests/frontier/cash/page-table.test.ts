import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PageTable } from "../../../src/frontier/cash/page-table.ts";
import { RecordPlaces } from "../../../src/frontier/opic/record-places.ts";
import { Random } from "../../../src/lab/queues/pivot-random.ts";

test("pages are numbered in the order of their admission and found again", () => {
  // Few different halves: equal homes, equal tags, chains that run over the end of the table.
  const half = fc.constantFrom(0, 1, 2, 0x7fffffff, 0xfffffffe, 0xffffffff);
  fc.assert(
    fc.property(fc.array(fc.tuple(half, half), { maxLength: 60 }), (fingerprints) => {
      const table = new PageTable();
      const known = new Map<string, number>();
      for (const [low, high] of fingerprints) {
        const before = known.get(`${low} ${high}`);
        assert.equal(table.find(low, high), before ?? -1);
        assert.equal(table.add(low | 0, high | 0), before === undefined ? known.size : -1);
        if (before === undefined) known.set(`${low} ${high}`, known.size);
      }
      assert.equal(table.size, known.size);
      for (const [print, page] of known) {
        assert.equal(`${table.low(page)} ${table.high(page)}`, print);
      }
    }),
  );
});

test("a table that grows forgets nothing", () => {
  const table = new PageTable();
  const random = new Random(4);
  const fingerprints = Array.from({ length: 40_000 }, () => [
    random.below(2 ** 32),
    random.below(2 ** 32),
  ]);
  for (const [page, [low, high]] of fingerprints.entries())
    assert.equal(table.add(low!, high!), page);
  for (const [page, [low, high]] of fingerprints.entries())
    assert.equal(table.find(low!, high!), page);
  assert.equal(table.find(1, 2), -1);
});

test("a place has 48 bits, the number of a host 32; neighbours keep theirs", () => {
  const places = new RecordPlaces();
  const some = [1, 2 ** 16, 2 ** 32 - 1, 2 ** 32, 2 ** 48 - 1];
  const hosts = [2 ** 32 - 1, 1, 0, 2 ** 16, 2 ** 31];
  for (const gap of [1, 20_000]) {
    for (const [i, place] of some.entries()) places.set(gap * i, place, hosts[i]!);
    assert.deepEqual(
      some.map((_, i) => [places.place(gap * i), places.host(gap * i)]),
      some.map((place, i) => [place, hosts[i]]),
    );
  }
});
