import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { lastFingerprint } from "../../src/hash/fingerprint.ts";
import { makePlainSipHash, SIP_PAGE_BYTES, type SipHash } from "../../src/hash/sip-hash.ts";
import { LENGTHS_AT, MARKS_AT, PRINTS_AT, TEXT_AT } from "../../src/hash/sip-hash-layout.ts";
import { makeWasmSipHash } from "../../src/hash/sip-hash-wasm.ts";
import {
  MAX_URLS,
  marks,
  urlFingerprint,
  urlFingerprints,
} from "../../src/hash/url-fingerprint.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";

function fingerprintOf(
  url: string,
  seedLow: number,
  seedHigh: number,
): [low: number, high: number] {
  urlFingerprint(url as CrawlUrl, seedLow, seedHigh);
  return [lastFingerprint.low, lastFingerprint.high];
}

/** SipHash-c-d straight from its definition, in big integers and with any number of rounds. */
function sipHash(bytes: Uint8Array, keys: [bigint, bigint], c: number, d: number): bigint {
  const constants = [0x736f6d6570736575n, 0x646f72616e646f6dn, 0x6c7967656e657261n];
  const v = [...constants, 0x7465646279746573n].map((each, i) => each ^ keys[i % 2]!);
  const left = (x: bigint, n: bigint) => BigInt.asUintN(64, (x << n) | (x >> (64n - n)));
  const half = (a: number, b: number, turn: bigint) => {
    v[a] = BigInt.asUintN(64, v[a]! + v[b]!);
    v[b] = left(v[b]!, turn) ^ v[a]!;
  };
  const rounds = (n: number) => {
    for (let i = 0; i < n; i++) {
      half(0, 1, 13n);
      v[0] = left(v[0]!, 32n);
      half(2, 3, 16n);
      half(0, 3, 21n);
      half(2, 1, 17n);
      v[2] = left(v[2]!, 32n);
    }
  };
  const padded = new Uint8Array((bytes.length >> 3) * 8 + 8);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length;
  const view = new DataView(padded.buffer);
  for (let i = 0; i < padded.length; i += 8) {
    v[3]! ^= view.getBigUint64(i, true);
    rounds(c);
    v[0]! ^= view.getBigUint64(i, true);
  }
  v[2]! ^= 0xffn;
  rounds(d);
  return v[0]! ^ v[1]! ^ v[2]! ^ v[3]!;
}

/** What `urlFingerprint` is to give: the key is the seed, and the seed with its halves swapped. */
function expectedPrint(text: string, seedLow: number, seedHigh: number): [number, number] {
  const [low, high] = [BigInt(seedLow >>> 0), BigInt(seedHigh >>> 0)];
  const keys: [bigint, bigint] = [low | (high << 32n), high | (low << 32n)];
  const hash = sipHash(new TextEncoder().encode(text), keys, 1, 3);
  return [Number(hash & 0xffffffffn), Number(hash >> 32n)];
}

const KEY: [bigint, bigint] = [0x0706050403020100n, 0x0f0e0d0c0b0a0908n];
const counting = (length: number) => Uint8Array.from({ length }, (_, i) => i);

test("the test's own SipHash gives the published values", () => {
  // 2-4: the authors' vectors for 0, 1, 2, 3 and 15 bytes.
  const authors = {
    0: 0x726fdb47dd0e0e31n,
    1: 0x74f839c593dc67fdn,
    2: 0x0d6c8009d9a94f5an,
    3: 0x85676696d7fb7e2dn,
    15: 0xa129ca6149be45e5n,
  };
  for (const [length, expected] of Object.entries(authors)) {
    assert.equal(sipHash(counting(Number(length)), KEY, 2, 4), expected);
  }
  // 1-3: the first value that Rust's standard library checks its own with.
  assert.equal(sipHash(counting(0), KEY, 1, 3), 0xabac0158050fc4dcn);
});

test("a fingerprint is SipHash-1-3 of the URL's bytes, for any URL and seed, and tells of escapes", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary-ascii", maxLength: 300 }),
    fc.webUrl({ withQueryParameters: true }),
    // Neighbours of "%" in every place of a word.
    fc
      .array(fc.constantFrom("$", "%", "&", "\u0001", "\x7f"), { maxLength: 20 })
      .map((all) => all.join("")),
  );
  fc.assert(
    fc.property(texts, fc.integer(), fc.integer(), (text, low, high) => {
      assert.deepEqual(fingerprintOf(text, low, high), expectedPrint(text, low, high));
      assert.equal(urlFingerprint(text as CrawlUrl, low, high), isMarked(text));
    }),
    { numRuns: 1000 },
  );
});

const isMarked = (text: string) => text.includes("%") || text.endsWith("?");

test("many URLs at once have the fingerprints and marks of each alone, whatever their lengths", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 100 }),
    fc.webUrl({ withQueryParameters: true }),
    fc.constantFrom("%", "?", "a?", "?a", "a".repeat(37), "a".repeat(3000)),
  );
  const lists = fc.array(text, { maxLength: MAX_URLS, size: "max" });
  fc.assert(
    fc.property(lists, fc.integer(), fc.integer(), (texts, low, high) => {
      const seeds = { seedLow: low, seedHigh: high };
      const into = new Uint32Array(2 * MAX_URLS);
      const marked = urlFingerprints(texts as CrawlUrl[], 0, texts.length, seeds, into);
      assert.equal(marked, texts.filter(isMarked).length);
      for (const [i, one] of texts.entries()) {
        assert.deepEqual([...into.subarray(2 * i, 2 * i + 2)], expectedPrint(one, low, high));
        if (marked > 0) assert.equal(marks[i] === 1, isMarked(one));
      }
    }),
    { numRuns: 100 },
  );
});

test("where there is no WebAssembly the fingerprints are the same", () => {
  const hashes = [makeWasmSipHash(), makePlainSipHash()];
  const lists = fc.array(fc.string({ unit: "binary-ascii", maxLength: 100 }), { maxLength: 5 });
  fc.assert(
    fc.property(lists, fc.integer(), fc.integer(), (texts, low, high) => {
      const results = hashes.map((each) => hashTexts(each, texts, low, high));
      assert.deepEqual(results[0], results[1]);
      const plain = texts.map((text) => text.replaceAll("%", "$"));
      const all = hashTexts(hashes[0]!, plain, low, high);
      for (const each of hashes)
        assert.deepEqual(hashTexts(each, plain, low, high, each.hashUnescaped), all);
    }),
  );
  const plain = makePlainSipHash();
  Buffer.from(plain.memory.buffer).write("a%", TEXT_AT);
  assert.equal(plain.memory.grow(2), 1);
  assert.equal(plain.memory.buffer.byteLength, 3 * SIP_PAGE_BYTES);
  assert.equal(Buffer.from(plain.memory.buffer).toString("latin1", TEXT_AT, TEXT_AT + 2), "a%");
  assert.deepEqual(hashTexts(plain, ["a%"], 1, 2), [1, 1, ...expectedPrint("a%", 1, 2)]);
});

test("runs of digits become one #, with WebAssembly and without it", () => {
  const hashes = [makeWasmSipHash(), makePlainSipHash()];
  const part = fc.constantFrom(
    "1",
    "0",
    "9",
    "/",
    ":",
    "#",
    "x",
    "long enough for a block",
    "é",
    "日",
  );
  const texts = fc.array(part, { maxLength: 40 }).map((all) => all.join(""));
  fc.assert(
    fc.property(texts, (text) => {
      for (const { memory, foldNumbers } of hashes) {
        const bytes = Buffer.from(memory.buffer);
        const length = foldNumbers(bytes.write(text, TEXT_AT));
        const folded = bytes.toString("utf8", TEXT_AT, TEXT_AT + length);
        assert.equal(folded, text.replace(/\d+/g, "#"));
      }
    }),
    { numRuns: 1000 },
  );
});

/** How many are marked, the marks and the fingerprints. */
function hashTexts(
  sip: SipHash,
  texts: readonly string[],
  low: number,
  high: number,
  hash = sip.hashAll,
): number[] {
  const { buffer } = sip.memory;
  Buffer.from(buffer).write(texts.join(""), TEXT_AT, "latin1");
  new Uint32Array(buffer, LENGTHS_AT).set(texts.map(({ length }) => length));
  const marked = hash(texts.length, low, high);
  const marks = new Uint8Array(buffer, MARKS_AT, texts.length);
  return [marked, ...marks, ...new Uint32Array(buffer, PRINTS_AT, 2 * texts.length)];
}

test('a length whose last byte is that of "%" is no escape', () => {
  for (const length of [37, 37 + 256])
    assert.equal(urlFingerprint("a".repeat(length) as CrawlUrl, 1, 2), false);
});

test("the end of a very long URL counts, and what was hashed before does not", () => {
  for (const length of [65_519, 65_520, 65_521, 65_527, 65_528, 65_529, 200_000, 74]) {
    const text = "a".repeat(length);
    assert.deepEqual(fingerprintOf(text, 1, 2), expectedPrint(text, 1, 2));
    assert.notDeepEqual(fingerprintOf(`${text}x`, 1, 2), fingerprintOf(`${text}y`, 1, 2));
  }
});

test("another seed gives another fingerprint", () => {
  const seeds: [number, number][] = [
    [1, 2],
    [3, 2],
    [1, 3],
    [0, 0],
  ];
  const fingerprints = seeds.map((seed) => fingerprintOf("http://a/", ...seed).join(":"));
  assert.equal(new Set(fingerprints).size, 4);
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
      fingerprintOf(family(i), 1, 2);
      lows.add(lastFingerprint.low);
      highs.add(lastFingerprint.high);
      tops[0]![lastFingerprint.low >>> 24]!++;
      tops[1]![lastFingerprint.high >>> 24]!++;
      for (let bit = 0; bit < 32; bit++) {
        ones[bit]! += (lastFingerprint.low >>> bit) & 1;
        ones[32 + bit]! += (lastFingerprint.high >>> bit) & 1;
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
