import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { looseFingerprint } from "../../../../src/crawl/visit/traps/content-fingerprint.ts";
import { isVariable, shapeOf } from "../../../../src/crawl/visit/traps/url-shape.ts";
import type { ParsedPage } from "../../../../src/parse/page.ts";
import type { CrawlUrl } from "../../../../src/url/crawl-url.ts";

type Page = Pick<ParsedPage, "title" | "firstText" | "firstWords" | "words" | "linkCount">;

/** What the loose fingerprint stands for, as a text: every run of digits as "#", the page's own address as "@". */
function looseText(page: Page, at: CrawlUrl): string {
  const path = at.slice(at.indexOf("/", 8));
  let plain = `${page.title}\n${page.firstText ?? page.firstWords.join(" ")}`;
  if (path.length >= 2) {
    plain = plain.replaceAll(path, "@");
    for (const part of path.slice(1).split("?")[0]!.split("/"))
      if (part.length >= 4 && isVariable(part)) plain = plain.replaceAll(part, "@");
  }
  return `${plain.replace(/\d+/g, "#")}\n${page.words} ${page.linkCount}`;
}

const word = fc.constantFrom(
  ...["Page", "page", "0-0", "17", "3", "ünï", "日本", "да", "/", "a", "#", "@", "12345"],
);
const segment = fc.constantFrom(
  ...["a", "12345", "17", "3f2a9c81d0", "3f2a9c81d1", "x;y", "ab=17", "top-10-things", "(S(abc))"],
);
const path = fc
  .tuple(fc.array(segment, { maxLength: 3 }), fc.constantFrom("", "?a=/x/12345"))
  .map(([all, query]) => `/${all.join("/")}${query}`);
const pages = fc
  .tuple(
    fc.array(word, { maxLength: 3 }),
    fc.array(word, { maxLength: 3 }),
    path,
    fc.nat(1),
    fc.nat(1),
    // Many pages hold their address, or the id in it.
    fc.constantFrom("nothing", "path", "segments"),
    fc.boolean(),
  )
  .map(([title, first, target, words, linkCount, own, isText]) => {
    const more = own === "nothing" ? [] : own === "path" ? [target] : target.split(/[/?]/);
    const all = [...first, ...more];
    const texts = isText ? { firstText: all.join(" "), firstWords: [] } : { firstWords: all };
    const page: Page = {
      title: [...title, ...more.slice(-1)].join(" "),
      ...texts,
      words,
      linkCount,
    };
    return { page: page as ParsedPage, at: `http://h.example${target}` as CrawlUrl };
  });

test("the loose fingerprint is that of the text without digits and without the page's own address", () => {
  const known = new Map<number, string>();
  const texts = new Map<string, number>();
  for (const { page, at } of fc.sample(pages, { numRuns: 40_000, seed: 3 })) {
    const hasVariable = shapeOf(at).pattern.endsWith("*");
    const print = looseFingerprint(page, at, hasVariable);
    const text = looseText(page, at);
    assert.equal(looseFingerprint(page, at, true), print);
    assert.equal(texts.get(text) ?? print, print, text);
    assert.equal(known.get(print) ?? text, text);
    texts.set(text, print);
    known.set(print, text);
  }
  assert.ok(texts.size > 5_000 && texts.size < 38_000, `${texts.size} different ones`);
});

test("runs of digits are equal, whatever stands around them and however long texts are", () => {
  const at = "http://h.example/" as CrawlUrl;
  const print = (title: string) =>
    looseFingerprint({ title, firstText: "", words: 1, linkCount: 1 } as ParsedPage, at, false);
  for (let length = 0; length < 70; length++) {
    const before = "é".repeat(length % 3) + "x".repeat(length);
    assert.equal(
      print(`${before}7${before}`),
      print(`${before}${"1234567890".repeat(3)}${before}`),
    );
    assert.equal(print(`${before}7`), print(`${before}#`));
    assert.notEqual(print(`${before}7`), print(before));
    assert.notEqual(print(`${before}7x`), print(`${before}7y`));
  }
  assert.equal(print("日本1".repeat(30_000)), print("日本23".repeat(30_000)));
  assert.notEqual(print("日本1".repeat(30_000)), print("日本1".repeat(29_999)));
});
