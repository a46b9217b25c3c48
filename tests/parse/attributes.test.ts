import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseRefresh } from "../../src/parse/meta-refresh.ts";
import { parseSrcset } from "../../src/parse/srcset.ts";
import { conformanceJson, noConformance } from "../support/conformance.ts";

test("refresh of the web platform tests", { skip: noConformance }, () => {
  interface Case {
    content: string;
    expected: { seconds: number; url: string | null } | null;
  }
  for (const { content, expected } of conformanceJson<Case[]>("html/wpt_meta_refresh.json")) {
    const refresh = parseRefresh(content);
    assert.equal(refresh === undefined, expected === null, content);
    if (refresh === undefined || expected === null) continue;
    assert.equal(refresh.seconds, expected.seconds, content);
    // The expected value has been through the URL parser, which drops tabs and newlines.
    assert.equal(refresh.link?.replace(/[\t\n\r]/g, "") ?? null, expected.url, content);
  }
});

test("refresh keeps a link that only looks like url=", () => {
  assert.deepEqual(parseRefresh("0;url"), { seconds: 0, link: "url" });
  assert.deepEqual(parseRefresh("0; 'a'b"), { seconds: 0, link: "a" });
  assert.deepEqual(parseRefresh('.5, URL = "x'), { seconds: 0, link: "x" });
  assert.equal(parseRefresh("url=x"), undefined);
});

test("srcset of the web platform tests", { skip: noConformance }, () => {
  interface Case {
    srcset: string;
    selected: string;
  }
  // Four cases lost their unusual white space on the way here and are now plainly valid.
  const plainlyValid = new Set(["data:,a 1w", "data:,a 1x"]);
  let decided = 0;
  for (const { srcset, selected } of conformanceJson<Case[]>("html/wpt_srcset_selected.json")) {
    const links = parseSrcset(srcset).map((candidate) => candidate.link);
    if (selected === "" && links.length > 0 && plainlyValid.has(srcset)) continue;
    if (selected === "") assert.deepEqual(links, [], srcset);
    else assert.ok(links.includes(selected), srcset);
    decided++;
  }
  assert.ok(decided >= 149, `${decided} cases decided`);
});

test("srcset candidates carry their descriptors", () => {
  assert.deepEqual(parseSrcset("a, b 2x, c 100w, d (x,y) 3x, e 1x 2x, f 5w 3h"), [
    { link: "a" },
    { link: "b", density: 2 },
    { link: "c", widthPixels: 100 },
    { link: "f", widthPixels: 5 },
  ]);
});

test("neither ever throws", () => {
  const text = fc.string({ unit: fc.constantFrom(..."01.;, \turl='\"()xwh-e") });
  fc.assert(
    fc.property(text, (value) => {
      parseRefresh(value);
      for (const { link } of parseSrcset(value)) assert.ok(link !== "" && !/[\t ]/.test(link));
    }),
    { numRuns: 3000 },
  );
});
