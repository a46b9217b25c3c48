import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Fingerprints } from "../../src/report/near/clusters.ts";
import {
  BANDS,
  estimate,
  parseSketch,
  ROWS,
  SKETCH_WORDS,
  sketchOf,
  sketchText,
} from "../../src/report/near/min-hash.ts";
import { MIN_SIMILARITY, NearTexts } from "../../src/report/near/near-texts.ts";
import { runSet, similarity } from "../../src/report/near/word-runs.ts";
import { Random } from "../../src/web/seeded-random.ts";

const SEED = 7;

function textOf(random: Random, words: number): string[] {
  return Array.from({ length: words }, () => `word${random.below(5000)}`);
}

/** A copy in which some words were changed, the same one twice at times. */
function edited(random: Random, words: readonly string[], changes: number): string[] {
  const copy = [...words];
  for (let i = 0; i < changes; i++) copy[random.below(copy.length)] = `new${random.below(5000)}`;
  return copy;
}

/** Runs of three words, as texts. */
function runsOf(words: readonly string[]): Set<string> {
  return new Set(words.slice(2).map((word, i) => `${words[i]} ${words[i + 1]} ${word}`));
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const each of a) if (b.has(each)) both++;
  return both / (a.size + b.size - both);
}

/** The probability that sketches of texts of this similarity share a band. */
function chanceOf(alike: number): number {
  return 1 - (1 - alike ** ROWS) ** BANDS;
}

function shareBand(a: Uint32Array, b: Uint32Array): boolean {
  return a.subarray(0, BANDS).some((band, i) => band === b[i]);
}

test("the similarity of two texts is the Jaccard similarity of their runs of three words", () => {
  const random = new Random(SEED);
  for (const changes of [0, 1, 5, 20, 60, 200]) {
    const words = textOf(random, 300);
    const copy = edited(random, words, changes);
    const found = similarity(runSet(words.join(" "))!, runSet(copy.join(" "))!);
    assert.equal(found, jaccard(runsOf(words), runsOf(copy)));
  }
});

test("case, marks and white space do not matter; short texts have no sketch", () => {
  const words = textOf(new Random(SEED), 40);
  assert.deepEqual(sketchOf(words.join(",\n ").toUpperCase()), sketchOf(words.join(" ")));
  assert.equal(sketchOf(words.slice(0, 15).join(" ")), undefined);
  assert.notEqual(sketchOf(words.slice(0, 16).join(" ")), undefined);
  const signs = "今週北部天気寒多人家本読過夜間降雪電車遅";
  assert.notEqual(sketchOf(signs), undefined, "scripts without spaces have words, too");
  const sketch = sketchOf(words.join(" "))!;
  assert.deepEqual(parseSketch(sketchText(sketch)), sketch);
});

test("sketches share a band as often as the formula says", () => {
  const random = new Random(SEED);
  for (const changes of [4, 8, 16, 24, 36, 60, 100]) {
    let found = 0;
    let expected = 0;
    let variance = 0;
    for (let pair = 0; pair < 250; pair++) {
      const words = textOf(random, 300);
      const copy = edited(random, words, changes);
      const chance = chanceOf(jaccard(runsOf(words), runsOf(copy)));
      expected += chance;
      variance += chance * (1 - chance);
      if (shareBand(sketchOf(words.join(" "))!, sketchOf(copy.join(" "))!)) found++;
    }
    const told = `${changes} changes: ${found} of 250, expected ${expected}, seed ${SEED}`;
    // Four standard deviations, and the half that a whole number may be off.
    assert.ok(Math.abs(found - expected) <= 4 * Math.sqrt(variance) + 0.5, told);
  }
});

/** Texts by their number, as `NearTexts` asks for them. */
function collect(texts: readonly string[]): { near: NearTexts; groups: () => number[][] } {
  const near = new NearTexts();
  for (const [i, text] of texts.entries()) near.add(i, sketchOf(text)!);
  return { near, groups: () => near.groups((page) => runSet(texts[page]!)).map((g) => [...g]) };
}

test("groups hold what is near their first text, and nothing else", () => {
  const edits = fc.tuple(fc.nat(4), fc.nat(40), fc.nat(1_000_000));
  fc.assert(
    fc.property(fc.array(edits, { maxLength: 40 }), (members) => {
      const random = new Random(SEED);
      const originals = Array.from({ length: 5 }, () => textOf(random, 120));
      const texts = members.map(([original, changes, seed]) =>
        edited(new Random(seed), originals[original]!, changes).join(" "),
      );
      // The same by comparing all with all.
      const sketches = texts.map((text) => sketchOf(text)!);
      const sets = texts.map((text) => runSet(text)!);
      const taken = new Set<number>();
      const expected: number[][] = [];
      for (let i = 0; i < texts.length; i++) {
        if (taken.has(i)) continue;
        const group: number[] = [];
        for (let j = i; j < texts.length; j++)
          if (
            !taken.has(j) &&
            shareBand(sketches[i]!, sketches[j]!) &&
            similarity(sets[i]!, sets[j]!) >= MIN_SIMILARITY
          )
            group.push(j);
        for (const each of group) taken.add(each);
        if (group.length > 1) expected.push(group);
      }
      expected.sort((a, b) => b.length - a.length || a[0]! - b[0]!);
      assert.deepEqual(collect(texts).groups(), expected);
    }),
    { seed: SEED, numRuns: 60 },
  );
});

test("nearly all pairs above 0.9 are found, as many as the formula says, and none below 0.8", () => {
  const random = new Random(SEED);
  const texts: string[][] = [];
  // 20 texts, each with 12 copies of which ever more words were changed: from none to a third.
  for (let text = 0; text < 20; text++) {
    const words = textOf(random, 400);
    texts.push(words);
    for (const changes of [0, 1, 2, 4, 5, 6, 8, 10, 12, 20, 40, 130])
      texts.push(edited(random, words, changes));
  }
  const sets = texts.map(runsOf);
  const groupOf = new Map<number, number>();
  const groups = collect(texts.map((words) => words.join(" "))).groups();
  for (const [number, members] of groups.entries())
    for (const member of members) groupOf.set(member, number);
  let alike = 0;
  let missed = 0;
  let expectedMissed = 0;
  for (let a = 0; a < texts.length; a++)
    for (let b = a + 1; b < texts.length; b++) {
      const exact = jaccard(sets[a]!, sets[b]!);
      const isTogether = groupOf.has(a) && groupOf.get(a) === groupOf.get(b);
      if (exact >= 0.9) {
        alike++;
        expectedMissed += 1 - chanceOf(exact);
        if (!isTogether) missed++;
      }
      if (exact === 1) assert.ok(isTogether, `copies ${a} and ${b}`);
    }
  for (const [first, ...others] of groups)
    for (const each of others) {
      const exact = jaccard(sets[first!]!, sets[each]!);
      assert.ok(exact >= MIN_SIMILARITY, `${each} is in the group of ${first}: ${exact}`);
    }
  const told = `${missed} of ${alike} missed, expected ${expectedMissed}, seed ${SEED}`;
  assert.ok(alike > 300 && expectedMissed < 0.001 * alike, told);
  assert.ok(missed <= expectedMissed + 4 * Math.sqrt(expectedMissed), told);
});

test("estimates lie around the similarity, as far from it as chance has it", () => {
  const random = new Random(SEED);
  for (const changes of [0, 4, 16, 60, 300]) {
    let sum = 0;
    for (let pair = 0; pair < 100; pair++) {
      const words = textOf(random, 300);
      const copy = edited(random, words, changes);
      const minima = [words, copy].flatMap((all) => [...sketchOf(all.join(" "))!.subarray(BANDS)]);
      const found = estimate(Uint32Array.from(minima), 0, SKETCH_WORDS - BANDS);
      sum += found - jaccard(runsOf(words), runsOf(copy));
      if (changes === 0) assert.equal(found, 1);
    }
    // The mean of 100 estimates of 72 minima, four standard deviations.
    assert.ok(Math.abs(sum / 100) <= (4 * 0.5) / Math.sqrt(7200), `${changes}: ${sum / 100}`);
  }
});

/** A sketch that shares its first band with those of other numbers, and of its minima the first of 18 words. */
function crowded(number: number, equalWords: number): Uint32Array {
  return Uint32Array.from({ length: SKETCH_WORDS }, (_, i) => {
    if (i === 0) return 1;
    if (i < BANDS) return number * BANDS + i;
    return i - BANDS < equalWords ? 7 : Math.imul(number + 1, 0x9e3779b1) + i;
  });
}

function crowdOf(count: number, equalWords: number) {
  const near = new NearTexts();
  for (let i = 0; i < count; i++) near.add(i, crowded(i, equalWords));
  let reads = 0;
  const groups = near.groups((page) => {
    reads++;
    return Float64Array.of(page);
  });
  return { groups, reads };
}

test("a crowd of texts that share a band and nothing else is hardly read", () => {
  const { groups, reads } = crowdOf(3000, 0);
  assert.deepEqual(groups, []);
  assert.ok(reads < 30, `${reads} texts were read`);
});

test("however many texts look alike, few of them are read", () => {
  const { reads } = crowdOf(30_000, 13);
  // As many comparisons as may be, and for each 64 of them the text itself.
  assert.ok(reads > 1000 && reads <= (4000 + 30_000 / 32) * (1 + 1 / 64) + 1, `${reads} reads`);
});

test("a group may be larger than what is looked at in one go", () => {
  const near = new NearTexts();
  const count = 10_000;
  for (let i = 0; i < count; i++) near.add(i, crowded(i, 18));
  assert.deepEqual(
    near.groups(() => Float64Array.of(1)).map((group) => group.length),
    [count],
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
