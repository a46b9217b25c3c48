import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { familyKey } from "../../../../src/crawl/visit/traps/family-key.ts";
import { parametersOf, shapeOf } from "../../../../src/crawl/visit/traps/url-shape.ts";
import type { CrawlUrl } from "../../../../src/url/crawl-url.ts";

const SEGMENTS = [
  ...["", "a", "b", "page17.html", "page8.html", "713", "7", "2024", "deadbeef", "3f2a9c81d0"],
  ...["top-10-things", "a1b2c3d4e5f6", "1a2b3c4", "a1-b2-c3-d4-e5", "jsessionid=1a2b3c4d5e6f"],
  ...["x;y", "(S(abc))", "a=b", "=", "x=17", "%C3%BC12", "*", "a*", "v1.2.3", "under_score_1"],
];
const character = fc.constantFrom(..."ab019af-_.~%;=(*xyzXYZ");
const text = fc.array(character, { maxLength: 14 }).map((all) => all.join(""));
const segment = fc.oneof(fc.constantFrom(...SEGMENTS), text);
const query = fc.constantFrom("", "?", "?a=1", "?a=1&b=2", "?a=1&b=2&c=/x/", "?&&");
const url = fc
  .tuple(
    fc.constantFrom("http://h.example", "https://h:8080"),
    fc.array(segment, { maxLength: 6 }),
    query,
  )
  .map(([origin, path, asked]) => `${origin}/${path.join("/")}${asked}` as CrawlUrl);

/** The key that the pattern itself would have. */
function keyOf(pattern: string): number {
  let state = 0x2545f491;
  for (let i = 0; i < pattern.length; i++) {
    state = Math.imul(state ^ pattern.charCodeAt(i), 0x9e3779b1);
    state ^= state >>> 15;
  }
  return (state ^ (state >>> 13)) & 0x3fffffff;
}

test("the key of a family is that of its pattern", () => {
  for (const name of SEGMENTS)
    for (const other of SEGMENTS)
      for (const asked of ["", "?a=1"]) {
        const at = `http://h.example/${name}/${other}${asked}` as CrawlUrl;
        assert.equal(familyKey(at), keyOf(shapeOf(at).pattern), at);
      }
  const isSame = fc.property(url, (at) => familyKey(at) === keyOf(shapeOf(at).pattern));
  fc.assert(isSame, { numRuns: 20_000 });
});

test("families of different patterns have different keys", () => {
  const keys = new Map<number, string>();
  for (const at of fc.sample(url, { numRuns: 20_000, seed: 7 })) {
    const { pattern } = shapeOf(at);
    assert.equal(keys.get(familyKey(at)) ?? pattern, pattern);
    keys.set(familyKey(at), pattern);
  }
  assert.ok(keys.size > 1000);
});

test("the parameters of a URL", () => {
  const split = (at: CrawlUrl) => {
    const mark = at.indexOf("?");
    return mark < 0 ? 0 : at.slice(mark).split("&").length;
  };
  fc.assert(fc.property(url, (at) => parametersOf(at) === split(at)));
});
