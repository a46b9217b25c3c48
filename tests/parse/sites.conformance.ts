import assert from "node:assert/strict";
import { test } from "node:test";
import { charsetOf, decodeText } from "../../src/parse/charset/charset.ts";
import { scanLinks } from "../../src/parse/links.ts";
import { parsePage } from "../../src/parse/page.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";
import { noConformance } from "../support/conformance.ts";
import { distinct, referenceLinks } from "./reference.ts";
import { ORIGIN, pathInSite, Site } from "./site.ts";

for (const name of ["cppreference", "postgresql15", "sqlite3"]) {
  test(`reads every page of ${name} like parse5`, { skip: noConformance }, () => {
    const site = new Site(name);
    try {
      for (const path of site.truth.pages_list) {
        const body = site.read(path);
        const expected = distinct(referenceLinks(decodeText(body, charsetOf(body))));
        for (const exact of [false, true]) {
          const found = scanLinks(body, { exact }).links;
          const links = distinct(found.map((link) => `${link.element} ${link.value}`));
          assert.deepEqual(links, expected, `${path}, exact ${exact}`);
        }
      }
    } finally {
      site.remove();
    }
  });

  test(`a crawl of ${name} would fetch the truth and nothing else`, { skip: noConformance }, () => {
    const site = new Site(name);
    try {
      const { truth } = site;
      const pages = new Set(truth.pages_list);
      const linksOf = (path: string) =>
        parsePage(site.read(path), `${ORIGIN}${path}` as CrawlUrl, { words: false })
          .links.map(pathInSite)
          .filter((target) => target !== undefined);
      const reached = new Set([truth.start]);
      const missing = new Set<string>();
      // A set hands out what is added to it while it is walked, so this is the whole closure.
      for (const path of reached) {
        for (const target of linksOf(path)) (pages.has(target) ? reached : missing).add(target);
      }
      const expected = truth.reachable.map((index) => truth.pages_list[index]!);
      assert.deepEqual([...reached].sort(), expected.sort());
      assert.equal(reached.size, truth.reachable_from_start);
      // The truth lists what is missing from all pages, the few that nothing leads to included.
      for (const path of pages) {
        if (reached.has(path)) continue;
        for (const target of linksOf(path)) if (!pages.has(target)) missing.add(target);
      }
      assert.deepEqual([...missing].sort(), [...truth.missing].sort());
      assert.equal(missing.size, truth.distinct_missing_paths);
    } finally {
      site.remove();
    }
  });
}
