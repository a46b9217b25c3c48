import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readSeeds } from "../../../src/config/seeds/seed-file.ts";

const LIST = [
  "\ufeff# my seeds",
  "",
  "https://example.org/a   # the start",
  "  http://example.org/a#fragment\t",
  "HTTPS://EXAMPLE.org:443/a",
  "example.org/x",
  "ftp://example.org/",
  "https://",
  "not a url",
  "https://example.org/with space",
  "https://exa mple.org/",
  "   ",
  "127.0.0.1:8080/x",
];

const EXPECTED = {
  seeds: [
    { url: "https://example.org/a", line: 3 },
    { url: "http://example.org/a", line: 4 },
  ],
  duplicates: 1,
  reasons: [
    [6, "it has no scheme; did you mean https://example.org/x?"],
    [7, "only http and https are crawled, not ftp"],
    [8, "it has no host"],
    [9, "it contains white space (a space in a URL is written %20)"],
    [10, "it contains white space (a space in a URL is written %20)"],
    [11, "it contains white space (a space in a URL is written %20)"],
    [13, "it has no scheme; did you mean http://127.0.0.1:8080/x?"],
  ],
};

for (const [name, lineEnd] of [
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
] as const) {
  test(`every line is a seed, a reason, a duplicate or nothing (${name})`, () => {
    const text = LIST.join(lineEnd) + lineEnd;
    for (const input of [text, Buffer.from(text), Buffer.from(text, "utf16le")]) {
      const { seeds, rejected, duplicates } = readSeeds(input);
      assert.deepEqual(seeds, EXPECTED.seeds);
      assert.equal(duplicates, EXPECTED.duplicates);
      assert.deepEqual(
        rejected.map(({ line, reason }) => [line, reason]),
        EXPECTED.reasons,
      );
    }
  });
}

test("text and bytes are read alike, and every line is accounted for", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "https://a.example/",
      "https://a.example/#x",
      "b.example",
      "",
      " ",
      "# no",
      "x\u0000y",
      "https://b.example/é",
    ),
    fc.string({ maxLength: 20 }),
  );
  const file = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 12 });
  fc.assert(
    fc.property(file, (parts) => {
      const text = parts.flat().join("");
      const fromText = readSeeds(text);
      assert.deepEqual(readSeeds(Buffer.from(text)), fromText);
      const told = fromText.seeds.length + fromText.rejected.length + fromText.duplicates;
      const lines = text
        .split(/\r\n|\r|\n/)
        .map((each) => each.replace(/(?:^|\s)#.*$/s, "").trim());
      assert.equal(told, lines.filter((each) => each !== "").length);
      const urls = fromText.seeds.map(({ url }) => url);
      assert.equal(new Set(urls).size, urls.length);
    }),
  );
});

test("bytes that are not UTF-8 spoil their own line only", () => {
  const bytes = Buffer.concat([
    Buffer.from([0xff, 0x80, 0x0a]),
    Buffer.from("https://example.org/\n"),
  ]);
  const { seeds, rejected } = readSeeds(bytes);
  assert.deepEqual(seeds, [{ url: "https://example.org/", line: 2 }]);
  assert.deepEqual(
    rejected.map(({ line }) => line),
    [1],
  );
});

test("an empty file holds nothing", () => {
  for (const input of ["", "\n\n", "#", new Uint8Array()]) {
    assert.deepEqual(readSeeds(input), { seeds: [], rejected: [], duplicates: 0, credentials: 0 });
  }
});

test("issue 16: lines with credentials are counted, and no rejected line keeps a password", () => {
  const { seeds, rejected, credentials } = readSeeds(
    "https://me:geheim@h/\nhttps://me@h/a\nhttps://h/@b\nftp://me:geheim@h/\n",
  );
  assert.deepEqual(
    [credentials, seeds.map(({ url }) => url), rejected.map(({ text }) => text)],
    [2, ["https://h/", "https://h/a", "https://h/@b"], ["ftp://h/"]],
  );
});
