import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { print } from "../../src/frontier/fingerprint.ts";
import { urlPrint } from "../../src/frontier/url-print.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";

function printOf(url: string, seedLow: number, seedHigh: number): [low: number, high: number] {
  urlPrint(url as CrawlUrl, seedLow, seedHigh);
  return [print.low, print.high];
}

/** HalfSipHash-c-d straight from its definition, over bytes and with any number of rounds. */
function halfSipHash(
  bytes: Uint8Array,
  keys: [number, number],
  c: number,
  d: number,
  wide: boolean,
) {
  const v = [keys[0], keys[1], keys[0] ^ 0x6c796765, keys[1] ^ 0x74656462];
  const left = (x: number, n: number) => (x << n) | (x >>> (32 - n));
  const half = (a: number, b: number, turn: number) => {
    v[a] = (v[a]! + v[b]!) | 0;
    v[b] = left(v[b]!, turn) ^ v[a]!;
  };
  const rounds = (n: number) => {
    for (let i = 0; i < n; i++) {
      half(0, 1, 5);
      v[0] = left(v[0]!, 16);
      half(2, 3, 8);
      half(0, 3, 7);
      half(2, 1, 13);
      v[2] = left(v[2]!, 16);
    }
  };
  if (wide) v[1]! ^= 0xee;
  const padded = new Uint8Array((bytes.length >> 2) * 4 + 4);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length;
  const view = new DataView(padded.buffer);
  for (let i = 0; i < padded.length; i += 4) {
    v[3]! ^= view.getInt32(i, true);
    rounds(c);
    v[0]! ^= view.getInt32(i, true);
  }
  v[2]! ^= wide ? 0xee : 0xff;
  rounds(d);
  const low = (v[1]! ^ v[3]!) >>> 0;
  v[1]! ^= 0xdd;
  rounds(d);
  return [low, (v[1]! ^ v[3]!) >>> 0] as const;
}

const KEY: [number, number] = [0x03020100, 0x07060504];
const counting = (length: number) => Uint8Array.from({ length }, (_, i) => i);

test("the test's own HalfSipHash gives the published values", () => {
  // 2-4 with 64 bits: the authors' vectors for 0, 1, 2, 3, 4 and 9 bytes.
  const authors = { 0: "218d1f59b9b83cc8", 1: "be552412f8387315", 2: "064f39ef7c50eb57" };
  const longer = { 3: "ce0f1a45f7060679", 4: "d5e78a175be52ea1", 9: "5b51cccc13888307" };
  for (const [length, expected] of Object.entries({ ...authors, ...longer })) {
    const out = Buffer.alloc(8);
    const [low, high] = halfSipHash(counting(Number(length)), KEY, 2, 4, true);
    out.writeUInt32LE(low, 0);
    out.writeUInt32LE(high, 4);
    assert.equal(out.toString("hex"), expected);
  }
  // 1-3 with 32 bits: the values Linux checks its own with, for 0 to 5 bytes.
  const linux = [0x5814c896, 0xe7e864ca, 0xbc4b0e30, 0x01539939, 0x7e059ea6, 0x88e3d89b];
  linux.forEach((expected, length) => {
    assert.equal(halfSipHash(counting(length), KEY, 1, 3, false)[0], expected);
  });
});

test("a fingerprint is HalfSipHash-1-3 of the URL's bytes, for any URL and seed", () => {
  const texts = fc.oneof(fc.string({ unit: "binary-ascii", maxLength: 300 }), fc.webUrl());
  fc.assert(
    fc.property(texts, fc.integer(), fc.integer(), (text, low, high) => {
      const expected = halfSipHash(new TextEncoder().encode(text), [low, high], 1, 3, true);
      assert.deepEqual(printOf(text, low, high), [...expected]);
    }),
    { numRuns: 1000 },
  );
});

test("the end of a very long URL counts, and what was hashed before does not", () => {
  for (const length of [4091, 4092, 4093, 4095, 4096, 4097, 100_000]) {
    const text = "a".repeat(length);
    const expected = halfSipHash(Buffer.from(text), [1, 2], 1, 3, true);
    assert.deepEqual(printOf(text, 1, 2), [...expected]);
    assert.notDeepEqual(printOf(`${text}x`, 1, 2), printOf(`${text}y`, 1, 2));
  }
});

test("another seed gives another fingerprint", () => {
  const seeds: [number, number][] = [
    [1, 2],
    [3, 2],
    [1, 3],
    [0, 0],
  ];
  const prints = seeds.map((seed) => printOf("http://a/", ...seed).join(":"));
  assert.equal(new Set(prints).size, 4);
});

const FAMILIES: Record<string, (i: number) => string> = {
  pages: (i) => `http://example.org/list?page=${i}&sort=asc`,
  "one bit": (i) => `http://example.org/${i.toString(2).padStart(17, "0")}`,
  repeated: (i) => `http://example.org/${"a/".repeat(i % 317)}${"b/".repeat(Math.floor(i / 317))}`,
  hosts: (i) => `http://h${i}.example.org/`,
  "words swapped": (i) =>
    `http://e.org/${["abcd", "dcba"][i & 1]}/${i >> 1}/${["dcba", "abcd"][i & 1]}`,
};
for (const [name, family] of Object.entries(FAMILIES)) {
  test(`similar URLs (${name}) spread evenly in both halves`, () => {
    const count = 60_000;
    const lows = new Set<number>();
    const highs = new Set<number>();
    const ones = new Int32Array(64);
    const tops = [new Int32Array(256), new Int32Array(256)];
    for (let i = 0; i < count; i++) {
      printOf(family(i), 1, 2);
      lows.add(print.low);
      highs.add(print.high);
      tops[0]![print.low >>> 24]!++;
      tops[1]![print.high >>> 24]!++;
      for (let bit = 0; bit < 32; bit++) {
        ones[bit]! += (print.low >>> bit) & 1;
        ones[32 + bit]! += (print.high >>> bit) & 1;
      }
    }
    // By chance 0.4 pairs of 60,000 32-bit values are equal; a weak hash shows thousands.
    assert.ok(lows.size > count - 8 && highs.size > count - 8, `${lows.size} and ${highs.size}`);
    // Each bit is 1 for half of them, within six standard deviations.
    for (const n of ones) assert.ok(Math.abs(n - count / 2) < 3 * Math.sqrt(count), `${n} ones`);
    // Chi-square with 255 degrees of freedom: 255 expected, standard deviation 22.6.
    for (const top of tops) {
      const mean = count / 256;
      const chi = top.reduce((sum, n) => sum + (n - mean) ** 2 / mean, 0);
      assert.ok(chi > 140 && chi < 400, `chi-square ${chi}`);
    }
  });
}
