import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { scanLinks } from "../../../src/parse/links.ts";
import { PageText } from "../../../src/parse/page-text.ts";
import { makeTextRun } from "../../../src/parse/words/text-run.ts";
import { MAX_RUN_BYTES } from "../../../src/parse/words/text-run-layout.ts";
import { FIRST_WORDS, WordCounter } from "../../../src/parse/words/word-counter.ts";

const CHARSETS = ["utf-8", "windows-1252", "shift_jis"];
/** What begins, continues or ends a word, a separator or a tag, whole and in halves. */
const PIECES = [
  "a",
  "word",
  " ",
  "\t",
  "\v",
  "\f",
  "\r\n",
  "<",
  "<b>",
  "&",
  "&nbsp;",
  "&#160;",
  "&#xA0;",
  "&amp;",
]
  .map((text) => Buffer.from(text))
  .concat(
    ["\u00a0", "\u2003", "\u200a", "\u200b", "\u202f", "\u3000", "\u3001", "é"].map((text) =>
      Buffer.from(text),
    ),
  )
  .concat(
    [[0xc2], [0xe2], [0xe2, 0x80], [0xe3, 0x80], [0xa0], [0x80], [0x8a], [0xaf], [0]].map((bytes) =>
      Buffer.from(bytes),
    ),
  );
const pages = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 120 })
  .map((pieces) => Buffer.concat(pieces));

/** Offsets of all "<" that the counter stops at, and its count behind each. */
function walk(counter: WordCounter, bytes: Buffer): number[] {
  const stops: number[] = [];
  for (let p = counter.until(0); ; p = counter.until(p + 1)) {
    stops.push(p, counter.words);
    if (p >= bytes.length) return stops;
    if (bytes[p + 1] === 0x62) counter.endWord();
  }
}

test("words counted sixteen bytes at a time are those counted one by one", () => {
  const run = makeTextRun(new Uint8Array(256))!;
  assert.ok(run !== undefined, "this platform has WebAssembly");
  fc.assert(
    fc.property(pages, fc.constantFrom(...CHARSETS), (page, charset) => {
      // The first words are collected as text; what follows is counted.
      const bytes = Buffer.concat([Buffer.from("first ".repeat(FIRST_WORDS)), page]);
      run.page.fill(0xa0, 0, bytes.length + 64);
      run.page.set(bytes);
      run.page[bytes.length] = run.page[bytes.length + 1] = 0;
      const copy = run.page.subarray(0, bytes.length);
      const fast = new WordCounter(copy, new PageText(copy, charset), charset, run);
      const slow = new WordCounter(bytes, new PageText(bytes, charset), charset);
      assert.deepEqual(walk(fast, bytes), walk(slow, bytes));
    }),
    { numRuns: 2000 },
  );
});

test("half a wide space before a tag does not hide the tag", () => {
  const page = Buffer.concat([
    Buffer.from("<p>".concat("word ".repeat(FIRST_WORDS))),
    Buffer.from([0xe2, 0x80]),
    Buffer.from('<a href="/found">x</a>'),
  ]);
  const { links, words } = scanLinks(page, { contentType: "text/html;charset=utf-8", words: true });
  assert.deepEqual(
    links.map(({ value }) => value),
    ["/found"],
  );
  assert.equal(words, FIRST_WORDS + 1);
});

test("a page longer than the fast memory is counted all the same", () => {
  const page = Buffer.from(`<p>${"word ".repeat(300_000)}<a href="/end">x</a>`);
  const { links, words } = scanLinks(page, { words: true });
  assert.deepEqual([links[0]?.value, words], ["/end", 300_001]);
});

const MARKUP = [
  "<p>", "</p>", "<B>", "</b >", "<li class=x>", '<td class="a b">', "</td>", "<table>", "</table>", "<tr>", "<h1/>",
  "<i x='>'>", '<em a="1"b>', '<u ="<a href=/no>">', "<q a =\"b\">", '<s"=">', "<b\0>", "<b:c>", "<3>", "<a", "< p>",
  '<a href="/x">', "</a>", "<select>", "</select>", "<svg>", "</svg>", "<div data-a=\"<p>\">", "<p/x=\"y\">", "<hr\f>",
  "<abcd>", "<abcde>", "<aside>", "<bside>", "</", "</>", "<br", "<li a=\"", "<dd a='", "text", " ", "&nbsp;", "\u2003", "<script>", "</script>",
].map((text) => Buffer.from(text)); // biome-ignore format: a table

test("tags that are passed over change nothing", () => {
  // Up to the first tag the first words are collected.
  const first = Buffer.from(`${"word ".repeat(FIRST_WORDS)}<p>`);
  // Longer than the fast memory: read byte by byte.
  const long = Buffer.concat([
    Buffer.from("<!--"),
    Buffer.alloc(MAX_RUN_BYTES, "x"),
    Buffer.from("-->"),
  ]);
  const compare = (pieces: readonly Buffer[]) => {
    const page = Buffer.concat([first, ...pieces]);
    const options = { contentType: "text/html;charset=utf-8", words: true };
    assert.deepEqual(scanLinks(page, options), scanLinks(Buffer.concat([long, page]), options));
  };
  const text = Buffer.from("text");
  const wide = Buffer.from("\u2003");
  for (const piece of MARKUP) {
    // Wherever blocks of sixteen bytes begin and end.
    for (let i = 0; i < 16; i++) compare([Buffer.alloc(i, "x"), text, piece, text, wide]);
  }
  const pages = fc.array(fc.constantFrom(...MARKUP), { maxLength: 40 });
  fc.assert(fc.property(pages, compare), { numRuns: 1000 });
});
