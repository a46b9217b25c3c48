import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalize } from "../../src/url/crawl-url.ts";
import { PARTITIONS, partitionOf, shardOf, siteHash, siteOf } from "../../src/url/site.ts";
import { hostnameOf } from "../../src/url/url-parts.ts";
import { conformanceJson, noConformance } from "../support/conformance.ts";

test("a site is the registrable domain, private suffixes included", () => {
  const sites = [
    ["www.example.co.uk", "example.co.uk"],
    ["a.b.example.com", "example.com"],
    ["alice.github.io", "alice.github.io"],
    ["x.alice.github.io", "alice.github.io"],
    ["under_score.example.com", "example.com"],
    ["example.com.", "example.com"],
  ];
  for (const [host, site] of sites) assert.equal(siteOf(host!), site);
});

test("what has no registrable domain is its own site", () => {
  for (const host of [
    "127.0.0.1",
    "[::1]",
    "[2001:db8::1]",
    "localhost",
    "github.io",
    "co.uk",
    "com",
  ]) {
    assert.equal(siteOf(host), host);
  }
  assert.equal(siteOf("printer.local"), "printer.local");
  assert.equal(siteOf("a.wiki.corp"), "wiki.corp"); // an unknown suffix counts as one label
  assert.equal(siteOf("localhost."), "localhost");
});

test("the memory of sites is bounded and does not change answers", () => {
  for (let i = 0; i < 20_000; i++) assert.equal(siteOf(`a.host${i}.org`), `host${i}.org`);
  assert.equal(siteOf("a.host0.org"), "host0.org");
});

interface SuffixCase {
  host: string | null;
  registrable: string | null;
}

test("sites agree with the cases of the public suffix list", { skip: noConformance }, () => {
  let compared = 0;
  for (const { host, registrable } of conformanceJson<SuffixCase[]>(
    "url/psl_registrable_domain.json",
  )) {
    // What no URL can hold does not reach us: no host at all. A leading dot is valid in a URL.
    const url = host === null ? undefined : canonicalize(`http://${host}/`);
    if (url === undefined || host!.startsWith(".")) continue;
    compared++;
    const expected = canonicalize(`http://${registrable ?? host}/`)!;
    assert.equal(siteOf(hostnameOf(url)), hostnameOf(expected), host!);
  }
  assert.equal(compared, 47);
});

test("the hash of a site never changes", () => {
  // Journals, shards and cluster partitions of existing crawls rest on these numbers; they were computed by an
  // independent implementation of FNV-1a (32 bits, over the bytes) and of Murmur3's fmix32.
  const vectors: [string, number][] = [
    ["", 2_872_998_923],
    ["a", 444_641_715],
    ["example.com", 4_057_309_619],
    ["example.org", 2_753_394_979],
    ["127.0.0.1", 2_377_737_407],
    ["[::1]", 1_492_025_766],
    ["xn--bcher-kva.example", 2_200_382_829],
  ];
  assert.deepEqual(
    vectors.map(([site]) => [site, siteHash(site)]),
    vectors,
  );
});

test("a shard is a run of whole partitions, so the partition decides the shard", () => {
  for (const shards of [1, 2, 3, 7, 16, 64, 1000, PARTITIONS]) {
    let previous = 0;
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const first = shardOf((partition * 2 ** 22) >>> 0, shards);
      const last = shardOf((partition * 2 ** 22 + 2 ** 22 - 1) >>> 0, shards);
      assert.equal(first, last);
      assert.ok(first === previous || first === previous + 1);
      previous = first;
    }
    assert.equal(previous, shards - 1);
  }
});

/** Sum of squared deviations over the expectation; for k cells about k - 1, and rarely above k + 4 sqrt(2k). */
function chiSquare(counts: Uint32Array, total: number): number {
  const expected = total / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

test("sites spread evenly, even when their names differ in one digit", () => {
  for (const name of [
    (i: number) => `host${i}.example`,
    (i: number) => `127.0.${i >> 8}.${i & 255}`,
  ]) {
    const total = 40_000;
    const partitions = new Uint32Array(PARTITIONS);
    const shards = new Uint32Array(16);
    for (let i = 0; i < total; i++) {
      const hash = siteHash(name(i));
      partitions[partitionOf(hash)]!++;
      shards[shardOf(hash, 16)]!++;
    }
    assert.ok(chiSquare(partitions, total) < PARTITIONS + 4 * Math.sqrt(2 * PARTITIONS));
    assert.ok(chiSquare(shards, total) < 16 + 4 * Math.sqrt(32));
  }
});
