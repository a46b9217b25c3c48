import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { openPageEngine } from "../../src/page-engine/page-engine.ts";
import { engineCounts, pageEngine, parseByEngine } from "../../src/parse/engine/engine-page.ts";
import { ENGINE_TABLES } from "../../src/parse/engine/engine-tables.ts";
import { parseByReference, parsePage } from "../../src/parse/page.ts";
import { canonicalize } from "../../src/url/crawl-url.ts";
import { root } from "../support/conformance.ts";
import { agrees } from "./agrees.ts";
import { ORDINARY_PAGE } from "./mutated-pages.ts";

const url = canonicalize("http://h.example/dir/page.html")!;
const html = (text: string) => Buffer.from(text);

test("the build has an engine, and an ordinary page is read by it", () => {
  assert.notEqual(pageEngine(), undefined, "page-engine.wasm is missing: npm run build");
  assert.equal(agrees(ORDINARY_PAGE, url), true);
  assert.ok(parsePage(ORDINARY_PAGE, url).packed);
});

test("every beginning of a page gives what the reference finds in it", () => {
  let read = 0;
  for (let end = 0; end <= ORDINARY_PAGE.length; end++)
    if (agrees(ORDINARY_PAGE.subarray(0, end), url)) read++;
  assert.ok(read > ORDINARY_PAGE.length / 2, `${read} of ${ORDINARY_PAGE.length} were read`);
});

test("what the engine does not know it leaves to the reference", () => {
  const many = "<a href=x>".repeat(16400);
  const long = "<a href=0123456789012345678901234567890123456789>".repeat(30_000);
  const pages = {
    "content moved out of a table": html("<table><a href=x>y</a></table>"),
    "a frameset": html("<frameset><frame src=a></frameset>"),
    "a template": html("<template><a href=x></template>"),
    MathML: html("<math><mi>x</mi></math>"),
    "a base of another scheme": html("<base href='ftp://f.example/'><a href=x>"),
    "too many links": html(many),
    "too many bytes": html(long),
    "UTF-16": Buffer.from("\ufeff<a href=x>", "utf16le"),
  };
  for (const [name, page] of Object.entries(pages)) {
    assert.equal(parseByEngine(page, url, {}), undefined, name);
    const { links } = parseByReference(page, url);
    assert.deepEqual([...parsePage(page, url).links], [...links], name);
  }
  const unusual = [{ assets: true }, { lazy: true }, { forms: true }, { words: false }];
  for (const options of [...unusual, { budgetMs: 1 }])
    assert.equal(parseByEngine(ORDINARY_PAGE, url, options), undefined, JSON.stringify(options));
});

test("title, language and first words are those of the reference, plain or not (property)", () => {
  const odd = [
    "\n",
    "\t",
    "\r\n",
    "\0",
    "\x7f",
    "&",
    "&amp;",
    "&nbsp;",
    "ä",
    "\u00a0",
    "\ud83d\ude00",
  ];
  const text = fc
    .array(fc.constantFrom("a", "word", "~!", " ", "  ", "x".repeat(98), "x".repeat(101), ...odd), {
      maxLength: 7,
    })
    .map((pieces) => pieces.join(""));
  const repeated = fc
    .tuple(text, fc.constantFrom(1, 1, 1, 6))
    .map(([of, count]) => of.repeat(count));
  const charset = fc.constantFrom("utf-8", "windows-1252", "shift_jis");
  fc.assert(
    fc.property(repeated, text, repeated, charset, (title, language, words, label) => {
      const page = `<html lang="${language}"><title>${title}</title><p>${words}<b>${title}</b> ${words}`;
      assert.ok(agrees(html(page), url, { contentType: `text/html; charset=${label}` }), page);
      assert.ok(agrees(html(page.replace(/<title>.*<.title>|lang/gs, "")), url), page);
    }),
    { numRuns: 400 },
  );
});

test("links beyond the limit of a page are dropped as by the reference", () => {
  const page = html("<a href=1><a href=2><a href=3><a href=2><a href=4>");
  assert.equal(parsePage(page, url, { maxLinks: 3 }).linksDropped, 2);
  assert.deepEqual(parsePage(page, url, { maxLinks: 3 }).links.length, 3);
});

test("a trap fails no page: the reference reads it", () => {
  const engine = openPageEngine(ENGINE_TABLES)!;
  const before = engineCounts.trapped;
  engine.scan = () => {
    throw new Error("unreachable");
  };
  assert.equal(parseByEngine(ORDINARY_PAGE, url, {}, engine), undefined);
  assert.equal(engineCounts.trapped, before + 1);
});

test("without its file, or with one that is damaged, there is no engine", () => {
  const missing = new URL("./no-such-engine.wasm", import.meta.url);
  assert.equal(openPageEngine(ENGINE_TABLES, missing), undefined);
  assert.equal(openPageEngine(ENGINE_TABLES, new URL(import.meta.url)), undefined);
});

test("links outlive their page in the engine unless they were released", () => {
  const first = parsePage(html("<a href=one><a href=//other.example/two><a href=%20>"), url);
  const packed = first.packed!;
  const before = [packed.lines.toString(), packed.low(1), packed.high(2), packed.url(1)];
  const second = parsePage(html("<a href=three>"), url);
  assert.deepEqual([packed.lines.toString(), packed.low(1), packed.high(2), packed.url(1)], before);
  assert.deepEqual(
    [...first.links],
    ["http://h.example/dir/one", "http://other.example/two", "http://h.example/dir/%20"],
  );
  second.packed!.release();
  assert.throws(() => second.links, /released/);
});

test("origins that are no plain names are learned, and only as they are", () => {
  const page = html(
    "<a href=http://127.0.0.1:81/a><a href=http://127.0.0.1:81/b><a href=http://127.0.0.1:81x/c>" +
      "<a href=http://127.0.0.1:081/d><a href=HTTP://127.0.0.1:81/e><a href=http://127.0.0.1:8/f>" +
      "<a href=http://127.1:81/g><a href=http://127.0.0.1:81><a href='http://127.0.0.1:81/ h'>",
  );
  const asked = engineCounts.asked;
  assert.equal(agrees(page, url), true);
  assert.equal(agrees(html("<a href=http://127.0.0.1:81/i/j?k#l>"), url), true);
  assert.equal(engineCounts.asked - asked, 8, "all but the second and the last one");
});

test("origins that are linked in turn are all learned, also where their hashes meet", () => {
  const origins = Array.from({ length: 40 }, (_, i) => `http://127.0.2.${i}:8080/`);
  const links = [...origins, ...origins].map((origin) => `<a href=${origin}x>`).join("");
  parsePage(html(links), url);
  const asked = engineCounts.asked;
  assert.equal(agrees(html(links), url), true);
  assert.equal(engineCounts.asked, asked, "they are known by now");
});

test("link elements with the usual values of rel are not asked about, all others are", () => {
  const count = (page: string) => {
    const asked = engineCounts.asked;
    assert.equal(agrees(html(page), url), true, page);
    return engineCounts.asked - asked;
  };
  const link = (rel: string) => `<link ${rel} href=/x>`;
  const usual = ["stylesheet", "StyleSheet", "icon", "'SHORTCUT icon'", "preload", "preconnect"];
  for (const rel of usual) assert.equal(count(link(`rel=${rel}`)), 0, rel);
  for (const none of ["", "rel", "rel=''"]) assert.equal(count(link(none)), 0, none);
  const others = [
    "next",
    "'alternate stylesheet'",
    "' icon'",
    "&#105;con",
    "'shortcut\ticon'",
    "i\u212Aon",
  ];
  for (const rel of [
    ...others,
    "stylesheer",
    "stylesh\u0045\u00e9t",
    "preloae",
    "iconx",
    "license",
  ])
    assert.equal(count(link(`rel=${rel}`)), 1, rel);
});

test("of values of http-equiv only those are asked about that may count", () => {
  const asked = engineCounts.asked;
  const page = html(
    "<meta http-equiv=Content-Type content='text/html; charset=utf-8'><meta http-equiv=x-ua-compatible content=x>" +
      "<meta http-equiv=REFRESH content='5; url=/later'><meta http-equiv=robots content=nofollow>" +
      "<meta http-equiv=' refresh' content='5; url=/never'><meta http-equiv=content-type name=robots content=noindex>",
  );
  assert.equal(agrees(page, url), true);
  // x-ua-compatible is as long as tdm-reservation.
  assert.equal(engineCounts.asked - asked, 4);
  assert.deepEqual(parsePage(page, url).links, ["http://h.example/later"]);
});

test("only meta elements whose names may count are asked about, however those are written", () => {
  const asked = engineCounts.asked;
  const others = html(
    "<meta name=color-scheme content=x><meta property=og:title content=x><meta name=x0 content=x>" +
      "<meta name=generator-of-this-and-many-other-pages content=x><meta charset=utf-8>",
  );
  assert.equal(agrees(others, url), true);
  assert.equal(engineCounts.asked - asked, 1, "a name that is too long to tell");
  const written = ["robots", "ROBOTS", "' robots '", "&#114;obots", "MyBot", "robot\u017f"];
  for (const name of written) {
    const page = html(`<meta name=${name} content=noindex><meta name=description content=d>`);
    assert.equal(agrees(page, url, { agent: "mybot" }), true, name);
  }
  const nameless = html("<meta content=noindex><meta name='' content=nofollow>");
  assert.equal(agrees(nameless, url, { agent: "" }), true);
  assert.deepEqual(parsePage(nameless, url, { agent: "" }).robots, {
    noindex: true,
    nofollow: true,
  });
});

test("a page that lies in the engine's memory already is read there, and not changed", () => {
  const engine = pageEngine()!;
  for (const mark of ["", "\ufeff"]) {
    const page = Buffer.concat([Buffer.from(mark), ORDINARY_PAGE]);
    parsePage(Buffer.alloc(10_000, "<a href=rest>"), url);
    engine.page.set(page);
    const inPlace = engine.page.subarray(0, page.length);
    assert.equal(agrees(inPlace, url), true);
    assert.deepEqual(inPlace, page);
    assert.deepEqual([...parsePage(inPlace, url).links], [...parseByReference(page, url).links]);
  }
});

test("no code has an endless loop or a continue, which their compiler gets wrong", () => {
  const forbidden = /\bcontinue\b|\bfor\s*\(|\bwhile\s*\(\s*(?:true|1)\s*\)|\bdo\s*\{/;
  const all = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const files = all.filter((file) => /\bassembly\b.*\.ts$/.test(file));
  for (const code of ["seen-code.ts", "sip-hash-code.ts", "text-run-code.ts", "scan-page.ts"])
    assert.ok(
      files.some((file) => file.endsWith(code)),
      code,
    );
  for (const file of files) {
    const text = readFileSync(join(root, "src", file), "utf8");
    const code = text.replace(/\/\/.*$|\/\*[\s\S]*?\*\//gm, "");
    assert.equal(forbidden.exec(code)?.[0], undefined, file);
  }
});

/** Enough words for the counter to leave its slow beginning behind it. */
const WORDS = "w ".repeat(24);

test("a separator of several bytes counts wherever it begins", () => {
  const separators = [
    "&nbsp;",
    "&#160;",
    "&#xa0;",
    "\u00a0",
    "\u3000",
    "\u2009",
    "&nbs",
    "\u200b",
    "\v",
  ];
  for (const type of ["utf-8", "iso-8859-1", "gbk"])
    for (const separator of separators)
      for (let before = 0; before < 70; before++) {
        const text = html(
          `${WORDS + "x".repeat(before) + separator}y ${separator}<b>z</b>${separator}`,
        );
        assert.equal(agrees(text, url, { contentType: `text/html; charset=${type}` }), true);
      }
});

test("a tag ends where the reference says, however long it is and whatever its values hold", () => {
  const tails = [
    '"',
    '">',
    "'>",
    '" href="b">',
    '"href="b">',
    '" href>',
    '" href=b>',
    '" =">',
    '"/>',
    "\">'>",
  ];
  for (const name of ["a", "p", "svg", "/p", "meta"])
    for (const tail of tails)
      for (let length = 0; length < 80; length++)
        for (const value of ["v", ">", "'"]) {
          const tag = `<${name} title="${value.repeat(length)}${tail}`;
          agrees(html(`${WORDS}${tag}t<i>u v</i>"> <a href="c">w</a>`), url);
        }
});

test("names of tags are told apart as the reference does", () => {
  const names = [
    "h1",
    "H1",
    "h\u0011",
    "p",
    "P",
    "\u0050",
    "p\0",
    "[p",
    "p[",
    "BlockQuote",
    "blockquotes",
    "textarea",
  ];
  const others = [
    "TITLE",
    "title_",
    "titl\u0005",
    "annotation-xml",
    "annotation\rxml",
    "plaintext",
    "PLAINTEXTS",
  ];
  for (const name of [...names, ...others])
    for (const rest of ["", " href=x", ' href="x"'])
      agrees(html(`${WORDS}a<${name}${rest}>b<a href=c>d</a></${name}>e<a href=f>`), url);
});

test("a path of any length is copied, or left to the parser, as the reference does", () => {
  const tails = [
    "/.",
    "/./y",
    "/../y",
    ".",
    "..",
    "/.y",
    "a.b",
    "//",
    "%20",
    "%2e",
    "/%2E/y",
    "?q=/.",
    "?",
  ];
  const others = [
    "#f",
    "\u00e9",
    "|",
    "^",
    "'",
    "\\",
    " y",
    "&amp;/.",
    "&",
    ":",
    "\t",
    "\u007f",
    "{",
  ];
  const links = [...tails, ...others].flatMap((tail) =>
    Array.from({ length: 40 }, (_, length) => `${"x".repeat(length)}${tail}`),
  );
  for (const start of ["", "/", "../", "http://other.example/", "http://h.example/d/", "./"])
    for (const quote of ['"', "'"]) {
      const page = links.map((link) => `<a href=${quote}${start}${link}${quote}>y</a> `).join("");
      assert.equal(agrees(html(page), url), true);
    }
});

test("a link that looks like one to its own origin and leads elsewhere has the other origin", () => {
  const page = html('<a href="\\/other.example/x"><a href="two"><a href="http://h.example/three">');
  const { packed } = parsePage(page, url);
  assert.deepEqual(
    [0, 1, 2].map((link) => packed!.originText(link)),
    ["http://other.example", "http://h.example", "http://h.example"],
  );
  assert.notEqual(packed!.origin(0), packed!.origin(1));
  assert.equal(packed!.origin(1), packed!.origin(2));
});
