import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePage } from "../../src/parse/page.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";

const url = "http://h/" as CrawlUrl;

test("a page that costs more than its budget is read in part, in both routes of reading", () => {
  for (const start of ["", "<template></template>"]) {
    const html = `${start}<a href=/first>x</a>${"<p><a href=/same>y</a>".repeat(300_000)}<a href=/last>z</a>`;
    const whole = parsePage(Buffer.from(html), url, { budgetMs: 1e6 });
    assert.equal(whole.cut, false);
    const part = parsePage(Buffer.from(html), url, { budgetMs: 1 });
    assert.equal(part.cut, true);
    assert.equal(part.links[0], "http://h/first");
    assert.ok(part.words < whole.words);
  }
});

test("what a page has of links beyond 50,000 is counted and not kept", () => {
  const html = "<a href=/a>".repeat(60_000);
  const page = parsePage(Buffer.from(html), url);
  assert.deepEqual([page.links, page.linksDropped], [["http://h/a"], 10_000]);
});

test("passwords in links that are reported are left out (HOSTILE P9)", () => {
  const links = [
    "ftp://u:secret@h/x",
    "gopher://secret@h/",
    "http:\\\\u:secret@[bad/",
    "https:u:secret@:99999/",
    " ws://u:p@secret@h/",
  ];
  const html = links.map((link) => `<a href="${link}">x</a>`).join("");
  const { refused } = parsePage(Buffer.from(html), url);
  assert.equal(refused.length, links.length);
  assert.ok(!JSON.stringify(refused).includes("secret"), JSON.stringify(refused));
  const mail = parsePage(Buffer.from("<a href=mailto:me@h>x</a>"), url);
  assert.deepEqual(mail.refused, [{ link: "mailto:me@h", reason: "blocked_scheme" }]);
});
