import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Fingerprints, MAX_DISTANCE } from "../../src/report/near/clusters.ts";
import { type SimHash, simHash } from "../../src/report/near/sim-hash.ts";
import { Random } from "../../src/web/seeded-random.ts";

const SEED = 7;

function bits(n: number): number {
  return n.toString(2).replaceAll("0", "").length;
}

function distance(a: SimHash, b: SimHash): number {
  return bits((a.low ^ b.low) >>> 0) + bits((a.high ^ b.high) >>> 0);
}

function textOf(random: Random, words: number): string[] {
  return Array.from({ length: words }, () => `word${random.below(5000)}`);
}

test("texts that differ in a word are near, others are far apart", () => {
  const random = new Random(SEED);
  let all = 0;
  for (let round = 0; round < 50; round++) {
    const words = textOf(random, 600);
    const changed = words.with(random.below(words.length), "other");
    const [a, b] = [simHash(words.join(" "))!, simHash(changed.join(" "))!];
    all += distance(a, b);
    const c = simHash(textOf(random, 600).join(" "))!;
    assert.ok(distance(a, c) > 4 * MAX_DISTANCE, `${distance(a, c)} bits, seed ${SEED}`);
  }
  // 3 of 598 runs differ: an angle of 0.1, which is 2 of 64 bits on average.
  assert.ok(all / 50 > 0.5 && all / 50 < MAX_DISTANCE, `${all / 50} bits, seed ${SEED}`);
});

test("case, marks and white space do not matter; short texts have no fingerprint", () => {
  const words = textOf(new Random(SEED), 40);
  assert.deepEqual(simHash(words.join(",\n ").toUpperCase()), simHash(words.join(" ")));
  assert.equal(simHash(words.slice(0, 15).join(" ")), undefined);
  assert.notEqual(simHash(words.slice(0, 16).join(" ")), undefined);
  const signs = "今週北部天気寒多人家本読過夜間降雪電車遅";
  assert.notEqual(simHash(signs), undefined, "scripts without spaces have words, too");
});

test("clusters hold what is near their first page, and nothing else", () => {
  const half = fc.integer({ min: 0, max: 0xffffffff });
  const near = fc.tuple(fc.nat(5), fc.uniqueArray(fc.nat(63), { maxLength: 6 }));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(half, half), { minLength: 6, maxLength: 6 }),
      fc.array(near, { maxLength: 60 }),
      (centres, members) => {
        const prints = new Fingerprints();
        const all: SimHash[] = members.map(([centre, flips]) => {
          let [low, high] = centres[centre]!;
          for (const bit of flips)
            if (bit < 32) low = (low ^ (1 << bit)) >>> 0;
            else high = (high ^ (1 << (bit - 32))) >>> 0;
          return { low, high };
        });
        all.forEach(({ low, high }, i) => {
          prints.add(i, low, high);
        });
        // The same by comparing all with all.
        const taken = new Set<number>();
        const expected: number[][] = [];
        all.forEach((first, i) => {
          if (taken.has(i)) return;
          const group = all.flatMap((other, j) =>
            j >= i && !taken.has(j) && distance(first, other) <= MAX_DISTANCE ? [j] : [],
          );
          for (const j of group) taken.add(j);
          if (group.length > 1) expected.push(group);
        });
        expected.sort((a, b) => b.length - a.length || a[0]! - b[0]!);
        assert.deepEqual(prints.near(), expected);
      },
    ),
    { seed: SEED },
  );
});

test("equal fingerprints are one cluster, the largest first", () => {
  const prints = new Fingerprints();
  [5, 9, 5, 9, 9, 1].forEach((low, page) => {
    prints.add(page, low, 3);
  });
  assert.deepEqual(prints.equal(), [
    [1, 3, 4],
    [0, 2],
  ]);
});

/** Runs of three words, of which the fingerprints are made. */
function shingles(words: readonly string[]): Set<string> {
  return new Set(words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`));
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const each of a) if (b.has(each)) both++;
  return both / (a.size + b.size - both);
}

test("clusters agree with the exact Jaccard similarity of runs of three words", () => {
  const random = new Random(SEED);
  const texts: string[][] = [];
  // 20 texts, each with 9 copies of which ever more words were changed: from hardly any to a third.
  for (let text = 0; text < 20; text++) {
    const words = textOf(random, 400);
    texts.push(words);
    for (const changed of [0, 1, 1, 2, 4, 12, 40, 80, 130]) {
      const copy = [...words];
      for (let i = 0; i < changed; i++)
        copy[random.below(copy.length)] = `new${random.below(5000)}`;
      texts.push(copy);
    }
  }
  const sets = texts.map(shingles);
  const prints = new Fingerprints();
  for (const [i, words] of texts.entries()) {
    const { low, high } = simHash(words.join(" "))!;
    prints.add(i, low, high);
  }
  const clusterOf = new Map<number, number>();
  for (const [number, members] of prints.near().entries())
    for (const member of members) clusterOf.set(member, number);
  const found = { together: 0, alike: 0, alikeAndTogether: 0, leastTogether: 1, copies: 0 };
  for (let a = 0; a < texts.length; a++)
    for (let b = a + 1; b < texts.length; b++) {
      const exact = jaccard(sets[a]!, sets[b]!);
      const isTogether = clusterOf.has(a) && clusterOf.get(a) === clusterOf.get(b);
      if (isTogether) {
        found.together++;
        found.leastTogether = Math.min(found.leastTogether, exact);
      }
      if (exact === 1 && !isTogether) found.copies++;
      if (exact >= 0.98) {
        found.alike++;
        if (isTogether) found.alikeAndTogether++;
      }
    }
  const told = JSON.stringify(found);
  // Pages of a cluster are alike, copies are in one, and most of those that are nearly equal are found.
  assert.ok(found.together > 100 && found.leastTogether >= 0.7, told);
  assert.equal(found.copies, 0, told);
  assert.ok(found.alikeAndTogether >= 0.6 * found.alike, told);
});
