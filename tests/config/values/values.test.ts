import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nearest } from "../../../src/config/nearest.ts";
import { printable } from "../../../src/config/printable.ts";
import { contactRefusal, productToken, userAgentRefusal } from "../../../src/config/user-agent.ts";
import {
  formatDuration,
  humanDuration,
  parseDuration,
} from "../../../src/config/values/durations.ts";
import {
  allowPrivateRefusal,
  isLoopbackHost,
  parseResolve,
} from "../../../src/config/values/network-values.ts";
import { formatSize, humanSize, parseSize } from "../../../src/config/values/sizes.ts";

const whole = fc.oneof(
  fc.maxSafeNat(),
  fc.nat(1_000_000),
  fc.nat(400).map((n) => n * 3_600_000),
);

test("a duration that is written can be read back", () => {
  fc.assert(fc.property(whole, (ms) => parseDuration(formatDuration(ms)) === ms));
});

test("durations are read as people write them", () => {
  const good = { "500ms": 500, "3s": 3000, "10m": 600_000, "24h": 86_400_000, "7d": 604_800_000 };
  const mixed = {
    "1h30m": 5_400_000,
    "1.5h": 5_400_000,
    "0s": 0,
    "0.001s": 1,
    "1d2h3m4s5ms": 93_784_005,
  };
  for (const [text, ms] of Object.entries({ ...good, ...mixed })) {
    assert.equal(parseDuration(text), ms, text);
  }
  for (const text of [
    "",
    "30",
    "s",
    "-3s",
    "3 s",
    "3x",
    "3s ",
    "3m2h",
    "1s1s",
    "1e3s",
    "٣s",
    `${"9".repeat(30)}d`,
  ]) {
    assert.equal(parseDuration(text), undefined, text);
  }
});

test("a size that is written can be read back", () => {
  fc.assert(fc.property(whole, (bytes) => parseSize(formatSize(bytes)) === bytes));
});

test("decimal and binary sizes are told apart", () => {
  const good = {
    "10GB": 1e10,
    "500MiB": 524_288_000,
    "1.5 kB": 1500,
    "1KiB": 1024,
    "7": 7,
    "1tb": 1e12,
    "3B": 3,
  };
  for (const [text, bytes] of Object.entries(good)) assert.equal(parseSize(text), bytes, text);
  assert.equal(formatSize(10_485_760), "10MiB");
  assert.equal(formatSize(1_000_000_000), "1GB");
  for (const text of ["", "GB", "-1GB", "10G", "1e9", "1 000", "10 XB", "9007199254740993TB"]) {
    assert.equal(parseSize(text), undefined, text);
  }
});

test("figures for people are short", () => {
  assert.deepEqual([0, 450, 59_990, 65_000, 7_440_000].map(humanDuration), [
    "0.0 s",
    "0.4 s",
    "59.9 s",
    "1 m 05 s",
    "2 h 04 m",
  ]);
  assert.deepEqual([0, 999, 1000, 999_949, 999_951, 4.2e12].map(humanSize), [
    "0 B",
    "999 B",
    "1.0 kB",
    "999.9 kB",
    "1.0 MB",
    "4.2 TB",
  ]);
});

test("nothing that can steer a terminal survives (row W1)", () => {
  const steers = (c: string) => {
    const point = c.codePointAt(0)!;
    if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return true;
    return /[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\p{Cs}/u.test(c);
  };
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
      return ![...printable(text)].some(steers);
    }),
  );
  assert.equal(printable("\x1b[2Ja\u202eb"), "\\u{1b}[2Ja\\u{202e}b");
  assert.equal(printable("grüße, 日本 😀"), "grüße, 日本 😀");
  assert.equal(printable("x".repeat(300)).length, 201);
});

test("the nearest word is the one that was meant, or none", () => {
  const words = ["threads", "max-pages", "max-depth", "seeds", "strict-seeds", "json"];
  const meant = {
    thread: "threads",
    maxPages: "max-pages",
    max_depht: "max-depth",
    seed: "seeds",
    jsno: "json",
  };
  for (const [typed, word] of Object.entries(meant))
    assert.equal(nearest(typed, words), word, typed);
  for (const typed of ["", "x", "colour", "zzzzzzzz"])
    assert.equal(nearest(typed, words), undefined, typed);
});

test("one slip in a long word is always found", () => {
  const words = ["links-per-thread", "max-uncommitted", "first-byte-timeout", "allow-private"];
  fc.assert(
    fc.property(
      fc.constantFrom(...words),
      fc.nat(),
      fc.constantFrom("q", ""),
      (word, at, letter) => {
        const i = at % word.length;
        return nearest(word.slice(0, i) + letter + word.slice(i + 1), words) === word;
      },
    ),
  );
});

test("--resolve is HOST:ADDR:PORT, and curl's order is recognised", () => {
  assert.deepEqual(parseResolve("A.test:127.0.0.1:80"), {
    host: "a.test",
    address: "127.0.0.1",
    port: 80,
  });
  assert.deepEqual(parseResolve("a:[::1]:8080"), { host: "a", address: "::1", port: 8080 });
  assert.match(
    String(parseResolve("a.test:8080:127.0.0.1")),
    /swapped; did you mean a\.test:127\.0\.0\.1:8080\?/,
  );
  for (const bad of [
    "",
    "a",
    "a:b",
    "a:b:1",
    "a:127.0.0.1:0",
    "a:127.0.0.1:65536",
    "a b:127.0.0.1:1",
    ":127.0.0.1:1",
    "a:::1:80",
  ]) {
    assert.equal(typeof parseResolve(bad), "string", bad);
  }
});

test("--allow-private takes addresses, ranges and names", () => {
  for (const good of [
    "10.0.0.0/8",
    "::1",
    "[::1]",
    "fc00::/7",
    "0.0.0.0/0",
    "intranet",
    "a.example.",
  ]) {
    assert.equal(allowPrivateRefusal(good), undefined, good);
  }
  for (const bad of [
    "",
    "10.0.0.0/33",
    "10.0.0.0/",
    "fc00::/129",
    "name/8",
    "a b",
    "10.0.0.0/-1",
    "-a.example",
  ]) {
    assert.equal(typeof allowPrivateRefusal(bad), "string", bad);
  }
});

test("loopback is told by the host alone", () => {
  for (const host of [
    "127.0.0.1",
    "127.8.9.1",
    "localhost",
    "localhost.",
    "a.localhost",
    "[::1]",
  ]) {
    assert.ok(isLoopbackHost(host), host);
  }
  for (const host of [
    "127.example.org",
    "localhost.example.org",
    "10.0.0.1",
    "[::2]",
    "notlocalhost",
    "",
  ]) {
    assert.ok(!isLoopbackHost(host), host);
  }
});

test("nothing typed can start a second header", () => {
  for (const bad of ["", " ", "a\r\nX: y", "a\u00e9", "(x)", "a\\b", " a", "x".repeat(201)]) {
    assert.equal(typeof contactRefusal(bad), "string", JSON.stringify(bad));
  }
  for (const bad of ["", "1bot", "bot\n", "bot\u0000", `b${"x".repeat(400)}`]) {
    assert.equal(typeof userAgentRefusal(bad), "string", JSON.stringify(bad));
  }
  assert.equal(contactRefusal("you@example.org"), undefined);
  assert.equal(userAgentRefusal("Examplebot/1.0 (+https://example.org/bot)"), undefined);
  assert.equal(productToken("Examplebot/1.0 (+x)"), "Examplebot");
});
