import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { canonicalize } from "../../../src/url/crawl-url.ts";
import { conformanceFile, conformanceJson, noConformance } from "../../support/conformance.ts";
import { distinct } from "../reference.ts";
import { parseSitemap } from "./parse-sitemap.ts";

interface Listed {
  type: string;
  urls?: { loc: string; lastmod: string | null; priority: number }[];
  children?: { url: string }[];
}

interface Case {
  file: string;
  fetched_from: string;
  strict: Listed;
  lenient: Listed;
}

const KINDS: Readonly<Record<string, string>> = {
  XML: "urlset",
  index: "index",
  TEXT: "text",
  RSS: "rss",
  ATOM: "atom",
};

function canonical(links: readonly string[]): (string | undefined)[] {
  return distinct(links.map((link) => canonicalize(link) ?? link));
}

test("every sitemap as crawler-commons reads it leniently", { skip: noConformance }, (t) => {
  const cases = conformanceJson<Case[]>("sitemap/expected.json");
  assert.ok(cases.length >= 20);
  let sameAsStrict = 0;
  let dates = 0;
  for (const { file, fetched_from, strict, lenient } of cases) {
    const body = readFileSync(conformanceFile(`sitemap/files/${file}`));
    const sitemap = parseSitemap(body, canonicalize(fetched_from)!);
    const expected = lenient.urls ?? [];
    assert.equal(sitemap.kind, KINDS[lenient.type], file);
    assert.equal(sitemap.error, undefined, file);
    assert.deepEqual(sitemap.urls, canonical(expected.map(({ loc }) => loc)), file);
    assert.deepEqual(
      sitemap.sitemaps,
      canonical((lenient.children ?? []).map(({ url }) => url)),
      file,
    );
    const noted = new Set<string>();
    for (const { loc, lastmod, priority } of expected) {
      if (noted.has(loc)) continue; // the first to speak about a page is heard
      noted.add(loc);
      const note = sitemap.notes.get(canonicalize(loc)!);
      const ms = lastmod === null ? undefined : Date.parse(lastmod);
      assert.equal(note?.lastmodMs, ms, `${file} ${loc}`);
      if (ms !== undefined) dates++;
      // 0.5 is what the protocol assumes where nothing is said.
      assert.equal(note?.priority ?? 0.5, priority, `${file} ${loc}`);
    }
    const strictly = canonical((strict.urls ?? []).map(({ loc }) => loc));
    if (strictly.join() === sitemap.urls.join()) sameAsStrict++;
  }
  t.diagnostic(`${cases.length} files as lenient, ${sameAsStrict} also as strict, ${dates} dates`);
  assert.ok(dates > 50);
});

interface FeedCase {
  file: string;
  xml_b64: string;
  field: "entry_link" | "feed_link";
  expected: string;
  http_headers: string[];
}

test("every feed link as feedparser reads it", { skip: noConformance }, () => {
  const cases = conformanceJson<FeedCase[]>("feeds/feedparser_links.json");
  assert.ok(cases.length >= 21);
  for (const { file, xml_b64, field, expected, http_headers } of cases) {
    const location = http_headers.find((line) => /^content-location:/i.test(line));
    const from = location?.slice(location.indexOf(":") + 1).trim() ?? "http://127.0.0.1:8097/feed";
    const feed = parseSitemap(Buffer.from(xml_b64, "base64"), canonicalize(from)!);
    const link = field === "entry_link" ? feed.urls[0] : feed.home;
    assert.equal(link, canonicalize(expected), file);
  }
});
