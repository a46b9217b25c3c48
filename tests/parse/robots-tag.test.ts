import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePage } from "../../src/parse/page.ts";
import { directivesText } from "../../src/parse/robots-meta.ts";
import { robotsTag } from "../../src/parse/robots-tag.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";

const CASES: [lines: string[], expected: string, agent?: string][] = [
  [[], ""],
  [["noindex"], "noindex"],
  [["NoIndex , NOFOLLOW"], "noindex, nofollow"],
  [["none"], "noindex, nofollow"],
  [["all", "index, follow"], ""],
  [["noarchive, nosnippet, noimageindex"], ""],
  [["index, noindex, index"], "noindex"],
  [["follow", "nofollow", "follow"], "nofollow"],
  [["otherbot: noindex"], ""],
  [["orbweaver: noindex"], "noindex"],
  [["Orbweaver : nofollow"], "nofollow"],
  [["otherbot: noindex, nofollow"], ""],
  [["otherbot: noindex, orbweaver: nofollow"], "nofollow"],
  [["nofollow, otherbot: noindex"], "nofollow"],
  [["otherbot: noindex", "nofollow"], "nofollow"],
  [["*: noindex"], "noindex"],
  [["unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"], "noindex"],
  [["max-snippet: 20, nofollow"], "nofollow"],
  [["otherbot: unavailable_after: 25 Jun 2010, nofollow"], ""],
  [["orbweaver: max-snippet: -1, nofollow"], "nofollow"],
  [["examplebot: noindex"], "noindex", "Examplebot"],
  [["orbweaver: noindex"], "", "Examplebot"],
  [["", ":", ",,", "noindex:"], ""],
];

for (const [lines, expected, agent] of CASES) {
  test(`X-Robots-Tag ${JSON.stringify(lines)} for ${agent ?? "us"} is "${expected}"`, () =>
    assert.equal(directivesText(robotsTag(lines, agent)), expected));
}

test("a thousand directives are read once", () => {
  const many = `${"index, follow, otherbot: noindex, ".repeat(30_000)}orbweaver: none`;
  const cpuMs = (text: string) => {
    const start = process.cpuUsage();
    assert.equal(directivesText(robotsTag([text])), "noindex, nofollow");
    return process.cpuUsage(start).user / 1000;
  };
  const [once, double] = [cpuMs(many), cpuMs(many + many)];
  assert.ok(double < 20 * Math.max(once, 1), `${once} ms, twice as much ${double} ms`);
});

test("a page speaks to all crawlers and to the one it names", () => {
  const of = (html: string, agent?: string) =>
    directivesText(
      parsePage(Buffer.from(html), "http://h/" as CrawlUrl, agent === undefined ? {} : { agent })
        .robots,
    );
  assert.equal(of("<meta name=robots content=noindex>"), "noindex");
  assert.equal(of("<meta name=Orbweaver content=none>"), "noindex, nofollow");
  assert.equal(of("<meta name=orbweaver content=none>", "Examplebot"), "");
  assert.equal(of("<meta name=examplebot content=nofollow>", "Examplebot"), "nofollow");
  assert.equal(
    of("<meta name=robots content='index,follow'><meta name=robots content=nofollow>"),
    "nofollow",
  );
});
