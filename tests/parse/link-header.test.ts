import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { headerPages, parseLinkHeader } from "../../src/parse/link-header.ts";
import { canonicalize } from "../../src/url/crawl-url.ts";

const base = canonicalize("http://h/a/b")!;
const read = (value: string) =>
  parseLinkHeader(value, base).map(({ url, rel }) => [url, rel.join(" ")]);

test("reads the examples of RFC 8288 and what servers really send", () => {
  const cases: [string, [string | undefined, string][]][] = [
    [
      '<http://h/TheBook/chapter2>; rel="previous"; title="x, y; <z>"',
      [["http://h/TheBook/chapter2", "previous"]],
    ],
    ['</>; rel="http://example.net/foo"', [["http://h/", "http://example.net/foo"]]],
    [
      "<c>; rel=\"next\"; title*=UTF-8'de'n%c3%a4chstes, <d>;REL=Prev",
      [
        ["http://h/a/c", "next"],
        ["http://h/a/d", "prev"],
      ],
    ],
    ['<x>; rel="start http://h/rel"', [["http://h/a/x", "start http://h/rel"]]],
    [
      "<x>;rel = next ; ; a;=b,<y>",
      [
        ["http://h/a/x", "next"],
        ["http://h/a/y", ""],
      ],
    ],
    ["junk <x> junk; rel=up, <y", [["http://h/a/x", "up"]]],
    ['<x>; rel=next; rel=prev; title="\\",<no>"', [["http://h/a/x", "next"]]],
    ["<mailto:x>; rel=author", [[undefined, "author"]]],
    ["", []],
    ["<", []],
  ];
  for (const [value, expected] of cases) assert.deepEqual(read(value), expected, value);
});

test("a link about another resource says so", () => {
  const [own, other] = parseLinkHeader(
    '<x>; anchor="#top"; type="text/html", <y>; anchor="/z"',
    base,
  );
  assert.deepEqual([own?.anchored, own?.type, other?.anchored], [false, "text/html", true]);
});

test("only links that lead to pages are followed", () => {
  const value =
    '<n>; rel=next, <s.css>; rel=stylesheet, <c>; rel=canonical, <f>; rel=alternate; type="application/rss+xml", <n>; rel=next, <z>; rel=next; anchor="/q"';
  assert.deepEqual(headerPages(value, base), ["http://h/a/n", "http://h/a/c"]);
});

test("what is written comes back, whatever stands in parameters", () => {
  const parameter = fc.stringMatching(/^[ -~]{0,12}$/);
  const link = fc.record({
    path: fc.stringMatching(/^[a-z0-9/?=&;,"']{0,12}$/),
    rel: fc.constantFrom("next", "prev up", "canonical"),
    title: parameter,
  });
  fc.assert(
    fc.property(fc.array(link, { maxLength: 5 }), (links) => {
      const value = links
        .map(({ path, rel, title }) => {
          return `<http://h/${path}>; title="${title.replace(/["\\]/g, "\\$&")}"; rel="${rel}"`;
        })
        .join(", ");
      const expected = links.map(({ path, rel }) => [canonicalize(`http://h/${path}`), rel]);
      assert.deepEqual(read(value), expected);
    }),
    { numRuns: 500 },
  );
});

test("any text gives a result, in linear time", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii" }), (value) => {
      assert.ok(parseLinkHeader(value, base).length <= value.length);
    }),
    { numRuns: 1000 },
  );
  for (const part of ["<", "<x>;", '<x>;a="', ";;=", '<x>; a="\\']) {
    parseLinkHeader(part.repeat(200_000 / part.length), base);
  }
  assert.equal(parseLinkHeader("<x>,".repeat(5000), base).length, 1000);
});
