import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PageTable } from "../../../src/frontier/cash/page-table.ts";
import { linkFingerprint } from "../../../src/frontier/seen/admission-key.ts";
import { KnownLinks } from "../../../src/frontier/seen/known-links.ts";
import { SeenSet } from "../../../src/frontier/seen/seen-set.ts";
import { ShardNumbers } from "../../../src/frontier/shard-numbers.ts";
import { lastFingerprint } from "../../../src/hash/fingerprint.ts";
import { parsePage } from "../../../src/parse/page.ts";
import { type CrawlUrl, canonicalize } from "../../../src/url/crawl-url.ts";

const SHARDS = 4;
const SEEDS = { seedLow: 7, seedHigh: -8 };
const POLICIES = [{}, { dropSessionIds: true }, { trailingSlash: "ignore" }] as const;
const page = canonicalize("http://a.example/x%20y/")!;

const urls = fc
  .tuple(
    fc.constantFrom("", "//a.example/", "//b.example/", "//c.example/", "//1.2.3.4:81/"),
    fc.nat({ max: 40 }),
    fc.constantFrom("", "/", "?", "%41", "?jsessionid=1"),
  )
  .map(([host, number, end]) => canonicalize(`${host}${number}${end}`, page)!);
const lists = fc.array(urls, { maxLength: 200 });

/** The links of a page as the engine gives them. */
function packed(links: readonly CrawlUrl[], seeds: typeof SEEDS) {
  const html = links.map((link) => `<a href="${link}">`).join("");
  const parsed = parsePage(Buffer.from(html), page, seeds);
  assert.deepEqual([...parsed.links], [...new Set(links)]);
  return parsed.packed!;
}

/** A thread that owns shards 0 and 2, which know some URLs. */
function thread(before: readonly CrawlUrl[], policy: object, byCash: boolean) {
  const rules = { ...SEEDS, ...policy };
  const numbers = new ShardNumbers(SHARDS);
  const shards = [0, 2].map((number) => {
    const state = { seen: new SeenSet() };
    return { number, state: byCash ? { ...state, cash: { pages: new PageTable() } } : state };
  });
  for (const url of before) {
    const shard = shards.find(({ number }) => number === numbers.of(url).shard);
    linkFingerprint(url, rules);
    const { low, high } = lastFingerprint;
    if (shard === undefined) continue;
    if ("cash" in shard.state) shard.state.cash.pages.add(low, high);
    else shard.state.seen.addFingerprint(low, high);
  }
  const sizes = () => shards.map(({ state }) => state.seen.size);
  return { known: new KnownLinks(SHARDS, shards, rules), sizes };
}

test("links with fingerprints are split as strings are, whatever counts as one page", () => {
  const cases = fc.tuple(fc.constantFrom(...POLICIES), fc.boolean(), fc.constantFrom(0, 1, 2));
  fc.assert(
    fc.property(lists, lists, cases, (before, links, [policy, byCash, shard]) => {
      const { known } = thread(before, policy, byCash);
      const distinct = [...new Set(links)];
      assert.deepEqual(
        known.split(shard, packed(links, SEEDS)),
        known.split(shard, distinct),
        "packed and strings",
      );
      // Made with another seed they would all seem new.
      assert.deepEqual(
        known.split(shard, packed(links, { seedLow: 1, seedHigh: 2 })),
        known.split(shard, distinct),
        "another seed",
      );
    }),
  );
});

test("looking links up makes none of them known: a page that is tried again keeps its links", () => {
  fc.assert(
    fc.property(lists, lists, (before, links) => {
      const { known, sizes } = thread(before, {}, false);
      const sizesBefore = sizes();
      const first = known.split(0, packed(links, SEEDS));
      assert.deepEqual(known.split(0, packed(links, SEEDS)), first);
      assert.deepEqual(sizes(), sizesBefore);
    }),
  );
});

test("what was found known is left out by the engine, for the crawl that found it alone (property)", () => {
  const anyOf = fc.array(urls, { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(lists, fc.array(anyOf, { minLength: 1, maxLength: 6 }), (before, pages) => {
      const { known } = thread(before, {}, false);
      // The same thread, and so the same engine, for a crawl that knows nothing.
      const other = thread([], {}, false).known;
      for (const links of pages) {
        const distinct = [...new Set(links)];
        for (const each of [known, known, other])
          assert.deepEqual(each.split(0, packed(links, SEEDS)), each.split(0, distinct));
      }
    }),
  );
});

test("of many known links some are looked up again, and none is taken for known that is not", () => {
  const all = Array.from({ length: 3000 }, (_, i) => canonicalize(`//a.example/p/${i}`, page)!);
  const { known } = thread(
    all.filter((_, i) => i % 3 > 0),
    {},
    false,
  );
  for (let round = 0; round < 3; round++)
    for (let at = 0; at < all.length; at += 500) {
      const some = all.slice(at, at + 500);
      assert.deepEqual(known.split(0, packed(some, SEEDS)), known.split(0, some));
    }
});
