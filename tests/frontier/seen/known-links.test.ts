import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PageTable } from "../../../src/frontier/cash/page-table.ts";
import { admissionFingerprint, linkFingerprint } from "../../../src/frontier/seen/admission-key.ts";
import { KnownLinks } from "../../../src/frontier/seen/known-links.ts";
import { SeenSet } from "../../../src/frontier/seen/seen-set.ts";
import { ShardNumbers } from "../../../src/frontier/shard-numbers.ts";
import { lastFingerprint } from "../../../src/hash/fingerprint.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

const SHARDS = 4;
const SEEDS = { seedLow: 7, seedHigh: -8 };
const POLICIES = [{}, { dropSessionIds: true }, { trailingSlash: "ignore" }] as const;

const urls = fc
  .tuple(
    fc.constantFrom("a.example", "b.example", "c.example", "d.example"),
    fc.nat({ max: 40 }),
    fc.constantFrom("", "/", "?", "%41", "?jsessionid=1"),
  )
  .map(([host, page, end]) => `http://${host}/${page}${end}` as CrawlUrl);

test("exactly the links that an own shard would not admit are left out", () => {
  const lists = fc.array(urls, { maxLength: 200 });
  const owned = fc.subarray([0, 1, 2, 3]);
  fc.assert(
    fc.property(lists, lists, owned, fc.constantFrom(...POLICIES), (before, links, own, policy) => {
      const rules = { ...SEEDS, ...policy };
      const numbers = new ShardNumbers(SHARDS);
      const shards = own.map((number) => ({
        number,
        state: { seen: new SeenSet() },
      }));
      const seenOf = (url: CrawlUrl) =>
        shards.find(({ number }) => number === numbers.of(url).shard)?.state.seen;
      const fingerprintOf = (url: CrawlUrl) => {
        const texts = { url, parent: undefined, via: "link" } as const;
        admissionFingerprint({ ...texts, depth: 1, seed: false, chain: [] }, rules);
        return [lastFingerprint.low, lastFingerprint.high] as const;
      };
      for (const url of before) seenOf(url)?.addFingerprint(...fingerprintOf(url));
      const known = new KnownLinks(SHARDS, shards, rules);
      assert.deepEqual(
        known.split(0, links).left,
        links.filter((url) => seenOf(url)?.hasFingerprint(...fingerprintOf(url)) !== true),
      );
    }),
  );
});

test("ordered by cash, known links are told by shard and fingerprint, but not those of a borrowed page", () => {
  const lists = fc.array(urls, { maxLength: 200 });
  fc.assert(
    fc.property(lists, lists, (before, links) => {
      const numbers = new ShardNumbers(SHARDS);
      const pages = new Map([0, 2].map((number) => [number, new PageTable()]));
      const owned = [...pages].map(([number, table]) => ({
        number,
        state: { seen: new SeenSet(), cash: { pages: table } },
      }));
      const place = (url: CrawlUrl) => {
        linkFingerprint(url, SEEDS);
        return [numbers.of(url).shard, lastFingerprint.low, lastFingerprint.high] as const;
      };
      const isKnown = (url: CrawlUrl) => {
        const [shard, low, high] = place(url);
        return pages.get(shard)?.hasFingerprint(low, high) === true;
      };
      for (const url of before) {
        const [shard, low, high] = place(url);
        pages.get(shard)?.add(low, high);
      }
      const split = new KnownLinks(SHARDS, owned, SEEDS).split(2, links);
      assert.deepEqual(
        split.left,
        links.filter((url) => !isKnown(url)),
      );
      const { own, others, length } = split.known!;
      const places = links.filter(isKnown).map(place);
      const isOwn = ([shard]: readonly [number, number, number]) => shard === 2;
      assert.equal(length, places.length);
      assert.deepEqual(
        own,
        places.filter(isOwn).map(([, low, high]) => pages.get(2)!.find(low, high)),
      );
      const signed = places
        .filter((one) => !isOwn(one))
        .flat()
        .map((word) => word | 0);
      assert.deepEqual(others, signed);
      const borrowed = new KnownLinks(SHARDS, owned, SEEDS).split(1, links);
      assert.deepEqual([borrowed.left, borrowed.known], [links, undefined]);
    }),
  );
});
