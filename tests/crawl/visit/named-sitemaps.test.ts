import assert from "node:assert/strict";
import { test } from "node:test";
import { NamedSitemaps, type SitemapRules } from "../../../src/crawl/visit/named-sitemaps.ts";
import type { RobotsRules } from "../../../src/fetch/robots/robots-rules.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

const page = (host: string) => `http://${host}/page` as CrawlUrl;
const rules = (own: Partial<SitemapRules>): SitemapRules => ({
  sitemaps: "on",
  robots: true,
  refusal: () => undefined,
  seedLow: 1,
  seedHigh: 2,
  ...own,
});
const naming = (...sitemaps: string[]) => ({ sitemaps }) as unknown as RobotsRules;

test("nobody needs to ask for sitemaps unless a robots.txt has named some that are not handed out", () => {
  const named = new NamedSitemaps(rules({}));
  assert.ok(!named.mayHave);
  named.note("http://a.test", naming("/one.xml"));
  named.note("http://b.test", naming());
  assert.ok(named.mayHave);
  assert.equal(named.take(page("c.test")), undefined);
  assert.deepEqual(
    named.take(page("a.test"))?.found.map(({ url }) => url),
    ["http://a.test/one.xml"],
  );
  assert.ok(named.mayHave, "the other one waits");
  assert.deepEqual(named.take(page("b.test"))?.found, []);
  assert.ok(!named.mayHave);
  assert.equal(named.take(page("a.test")), undefined);
});

test("where no robots.txt is read every site may have a sitemap, and nobody's is read when they are off", () => {
  const only = new NamedSitemaps(rules({ sitemaps: "only", robots: false }));
  for (const host of ["a.test", "b.test"]) {
    assert.ok(only.mayHave);
    assert.deepEqual(
      only.take(page(host))?.found.map(({ url }) => url),
      [`http://${host}/sitemap.xml`],
    );
    assert.equal(only.take(page(host)), undefined);
  }
  const off = new NamedSitemaps(rules({ sitemaps: "off", robots: false }));
  off.note("http://a.test", naming("/one.xml"));
  assert.deepEqual([off.mayHave, off.take(page("a.test"))], [false, undefined]);
});
