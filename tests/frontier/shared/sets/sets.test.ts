import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Page } from "../../../../src/frontier/shared/sets/page-nodes.ts";
import { StripedSet } from "../../../../src/frontier/shared/sets/striped-set.ts";
import { VISITED_SETS } from "../../../../src/frontier/shared/sets/visited-set.ts";
import { diesAt } from "../techniques/dying.ts";
import { visitedSetContract } from "./visited-set.contract.ts";

for (const kind of VISITED_SETS) visitedSetContract(kind);

const VICTIM = 1;
const OTHER = 2;
const shape = { maxUrls: 100, initial: 1, maxUrlBytes: 40 };

function stripedSets(): [StripedSet, StripedSet] {
  const memory = new SharedArrayBuffer(StripedSet.bytes(shape));
  return [new StripedSet(memory, shape, VICTIM), new StripedSet(memory, shape, OTHER)];
}

function page(i: number, links: string[] = [`l${i}`, "x"]): Page {
  return { url: `u${i}`, parent: i % 2 === 0 ? "" : `p${i}`, links, level: i };
}

/** What is in the set, whatever its order. */
function contents(set: StripedSet): Page[] {
  return set
    .dump()
    .map((entry) => entry.page)
    .sort((a, b) => a.url.localeCompare(b.url));
}

test("striped: does to pages what a map does, through every doubling", () => {
  const step = fc.record({
    kind: fc.constantFrom("add", "add", "remove", "get", "addLinks"),
    i: fc.integer({ min: 0, max: 30 }),
    links: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const [set] = stripedSets();
      const model = new Map<string, Page>();
      for (const { kind, i, links } of steps) {
        const url = `u${i}`;
        const known = model.get(url);
        if (kind === "add") {
          const added = page(i, [...new Set(links)]);
          assert.equal(set.add(added), known === undefined);
          if (!known) model.set(url, added);
        } else if (kind === "remove") assert.equal(set.remove(url), model.delete(url));
        else if (kind === "get") assert.deepEqual(set.get(url), known);
        else {
          assert.equal(set.addLinks(url, links), known !== undefined);
          if (known) model.set(url, { ...known, links: [...new Set([...known.links, ...links])] });
        }
        assert.equal(set.count(), model.size);
      }
      const expected = [...model.values()].sort((a, b) => a.url.localeCompare(b.url));
      assert.deepEqual(contents(set), expected);
    }),
  );
});

test("striped: a bucket longer than the table is wide doubles table and locks", () => {
  const [set] = stripedSets();
  for (let i = 0; i < 60; i++) {
    set.add(page(i));
    const lengths = new Map<number, number>();
    for (const { bucket } of set.dump()) lengths.set(bucket, (lengths.get(bucket) ?? 0) + 1);
    assert.ok(Math.max(...lengths.values()) <= set.buckets(), `${i + 1} pages`);
    assert.ok([...lengths.keys()].every((bucket) => bucket < set.buckets()));
  }
  assert.ok(set.buckets() >= 8 && set.buckets() <= 32, `${set.buckets()} buckets`);
});

test("striped: pages of one bucket come in the order they were added, with its number", () => {
  const [set] = stripedSets();
  for (let i = 0; i < 20; i++) set.add(page(i));
  for (const { bucket, page: one } of set.dump()) {
    const together = set.getBucket(one.url).map((each) => each.url);
    const dumped = set.dump().filter((entry) => entry.bucket === bucket);
    assert.deepEqual(
      together,
      dumped.map((entry) => entry.page.url),
    );
    const numbers = together.map((url) => Number(url.slice(1)));
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => a - b),
    );
  }
});

test("striped: many links take few nodes", () => {
  const wide = { maxUrls: 10, maxUrlBytes: 2083 };
  const set = new StripedSet(new SharedArrayBuffer(StripedSet.bytes(wide)), wide, VICTIM);
  const links = Array.from({ length: 1000 }, (_, i) => `http://a.test/é/${i}`);
  assert.ok(set.mark("u", "p", 3));
  // One after the other and all at once, in nodes that become full on the way.
  for (const link of links.slice(0, 100)) assert.ok(set.addLinks("u", [link, links[0]!]));
  assert.ok(set.addLinks("u", links));
  assert.deepEqual(set.get("u"), { url: "u", parent: "p", links, level: 3 });
  const many = Array.from({ length: 10_000 }, (_, i) => `http://b.test/${i}`);
  assert.throws(() => set.addLinks("u", many), { code: "OW_CAPACITY" });
});

test("striped: removed pages give their memory back", () => {
  const [set] = stripedSets();
  for (let round = 0; round < 200; round++) {
    for (let i = 0; i < 20; i++) assert.ok(set.add(page(i)));
    for (let i = 0; i < 20; i++) assert.ok(set.remove(`u${i}`));
  }
  assert.equal(set.count(), 0);
});

test("striped: a thread may die before any access; its operation happened or did not", () => {
  const operations: Record<string, (set: StripedSet) => void> = {
    add: (set) => void set.add(page(9)),
    mark: (set) => void set.mark("u9"),
    remove: (set) => void set.remove("u1"),
    addLinks: (set) => void set.addLinks("u1", ["n", "m"]),
    get: (set) => void set.get("u1"),
    contains: (set) => void set.contains("u1"),
    getBucket: (set) => void set.getBucket("u1"),
    dump: (set) => void set.dump(),
  };
  for (const [name, operation] of Object.entries(operations)) {
    for (const pages of [0, 1, 2, 3, 6, 7]) {
      const make = (): [StripedSet, StripedSet] => {
        const sets = stripedSets();
        for (let i = 0; i < pages; i++) sets[1].add(page(i));
        return sets;
      };
      const [whole] = make();
      const before = contents(whole);
      operation(whole);
      const after = contents(whole);
      const partly = contents(whole).map((each) =>
        each.url === "u1" ? { ...each, links: each.links.filter((link) => link !== "m") } : each,
      );
      for (let access = 0; ; access++) {
        const [victim, other] = make();
        if (!diesAt(access, () => operation(victim))) break;
        other.reclaim(VICTIM);
        const at = `${name} of ${pages} pages, dead before access ${access}`;
        const found = JSON.stringify(contents(other));
        const allowed = [before, after, partly].map((each) => JSON.stringify(each));
        assert.ok(allowed.includes(found), `${at}: ${found}`);
        assert.equal(other.count(), contents(other).length, at);
        // All locks and nodes are back: the set can be emptied and filled to its last node.
        for (const each of contents(other)) assert.ok(other.remove(each.url), at);
        let room = 0;
        while (room < 400 && fits(other, room)) room++;
        assert.equal(room, 400, `${at}: a node is lost`);
      }
    }
  }
});

function fits(set: StripedSet, i: number): boolean {
  try {
    return set.mark(`m${i}`);
  } catch {
    return false;
  }
}

test("striped: what is too long is refused before anything is locked", () => {
  const [set, other] = stripedSets();
  const long = "x".repeat(41);
  const capacity = { code: "OW_CAPACITY" };
  assert.throws(() => set.add({ url: long, parent: "", links: [], level: 0 }), capacity);
  assert.throws(() => set.add({ url: "u", parent: long, links: [], level: 0 }), capacity);
  assert.throws(() => set.add({ url: "u", parent: "", links: ["a", long], level: 0 }), capacity);
  set.add(page(1));
  assert.throws(() => set.addLinks("u1", ["a", long]), capacity);
  assert.deepEqual(other.get("u1"), page(1));
  assert.equal(other.reclaim(VICTIM), 0);
});
