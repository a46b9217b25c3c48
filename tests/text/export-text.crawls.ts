import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parquetReadObjects } from "hyparquet";
import { readWarc } from "../../src/store/warc/warc-reader.ts";
import { extractPages } from "../../src/text/extract-pages.ts";
import { crawlScript } from "../crawl/scripted-crawl.ts";
import { html, type Script } from "../crawl/scripted-server.ts";
import { orbweaver, readLines } from "../support/orbweaver.ts";

const SENTENCE =
  "The crawler waits for its turn, asks politely, keeps what it was given, and goes on to the next page of the site.";
const GERMAN =
  "Der Roboter wartet, bis er an der Reihe ist, fragt höflich, behält, was man ihm gab, und geht weiter zur nächsten Seite.";

const LIST = SENTENCE.toLowerCase().match(/\w+/g)!;
const words = (n: number) =>
  Array.from({ length: n }, (_, i) => LIST[(i * i + 5 * i) % LIST.length]).join(" ");
const page = (main: string) =>
  html(
    `<nav><a href="/a">Menu one</a> <a href="/b">Menu two</a></nav><main>${main}</main><footer>All rights reserved</footer>`,
  );

const SCRIPT: Script = {
  "/": page(
    `<h1>Start</h1><p>${SENTENCE}</p>${["a", "b", "near", "c", "d", "short"].map((to) => `<a href="/${to}">${to}</a>`).join(" ")}`,
  ),
  "/a": page(
    `<h1>Turns</h1><p>${SENTENCE} ${words(300)}</p><h2>Steps</h2><ul><li>ask <a href="/b">the gate</a></li><li>wait</li></ul><table><tr><th>Name</th><th>Value</th></tr><tr><td>delay</td><td>1 s</td></tr></table><pre>if (a < b) wait();</pre>`,
  ),
  "/b": page(`<h1>German</h1><p>${GERMAN}</p><p>${GERMAN} Und noch ein Satz.</p>`),
  "/near": page(
    `<h1>Turns</h1><p>${SENTENCE} ${words(300)} more</p><h2>Steps</h2><ul><li>ask <a href="/b">the gate</a></li><li>wait</li></ul><table><tr><th>Name</th><th>Value</th></tr><tr><td>delay</td><td>1 s</td></tr></table><pre>if (a < b) wait();</pre>`,
  ),
  "/c": page(`<h1>Same</h1><p>${SENTENCE} Twice, and exactly so.</p>`),
  "/d": page(`<h1>Same</h1><p>${SENTENCE} Twice, and exactly so.</p><!-- other bytes -->`),
  "/short": page("<p>Three short words</p>"),
};

interface Line {
  readonly url: string;
  readonly language: string | null;
  readonly text?: string;
  readonly markdown?: string;
  readonly words: number;
  readonly digest: string;
  readonly cluster: string | null;
}

test("a corpus has every page once, or says why not", async (t) => {
  const { out, origin } = await crawlScript(t, SCRIPT);
  const run = async (...args: string[]) => {
    const { code, stderr } = await orbweaver(["export", out, "--threads", "1", ...args]);
    assert.deepEqual([code, stderr], [0, ""]);
  };
  const paths = (lines: readonly { url: string }[]) =>
    lines.map(({ url }) => url.slice(origin.length)).sort();
  const leftOut = (name: string) =>
    readLines<{ url: string; reason: string; of?: string }>(
      join(out, `exports/${name}.left-out.jsonl`),
    );

  await run("--to", "text");
  const all = readLines<Line>(join(out, "exports/text.jsonl"));
  assert.deepEqual(leftOut("text"), []);
  assert.deepEqual(paths(all), Object.keys(SCRIPT).sort());
  assert.ok(!existsSync(join(out, "exports/text.jsonl.part")));
  const at = (path: string) => all.find(({ url }) => url === origin + path)!;
  assert.ok(!/Menu|rights/.test(all.map(({ text }) => text).join()), "menus and footers are out");
  assert.match(at("/a").text!, /^Turns\n[^\n]*\nSteps\nask the gate\nwait\nName\tValue\n/s);
  assert.deepEqual([at("/b").language, at("/a").words > 300], ["de", true]);
  const [a, near, c, d] = ["/a", "/near", "/c", "/d"].map(at);
  assert.ok(a!.cluster !== null && a!.cluster === near!.cluster, "near duplicates are a group");
  assert.equal(c!.digest, d!.digest);
  assert.equal(at("/b").cluster, null);

  await run("--to", "markdown", "--dedupe", "near", "--min-words", "5", "--language", "en");
  const kept = readLines<Line>(join(out, "exports/markdown.jsonl"));
  const others = leftOut("markdown");
  assert.equal(kept.length + others.length, all.length, "the numbers add up");
  const reasons = Object.fromEntries(
    others.map(({ url, reason }) => [url.slice(origin.length), reason]),
  );
  assert.equal(reasons["/b"], "other_language");
  assert.equal(reasons["/short"], "few_words");
  assert.deepEqual(Object.values(reasons).filter((r) => r === "duplicate").length, 2);
  assert.equal(others.find(({ url }) => url === `${origin}/d`)?.of, `${origin}/c`);
  const markdown = kept.find(({ url }) => url === `${origin}/a`)!.markdown!;
  assert.match(markdown, /\n\n## Steps\n\n- ask \[the gate\]\(http:.*\/b\)\n- wait\n\n/);
  assert.match(markdown, /\| Name \| Value \|\n\| --- \| --- \|\n\| delay \| 1 s \|/);
  assert.match(markdown, /```\nif \(a < b\) wait\(\);\n```/);

  await run("--to", "text", "--split", "3", "--dedupe", "exact");
  assert.deepEqual(readdirSync(join(out, "exports/text")).length, 2);

  await run("--to", "wet");
  const [file] = readdirSync(join(out, "exports/wet"));
  const records = [...readWarc(join(out, "exports/wet", file!))].filter(
    ({ type }) => type === "conversion",
  );
  assert.deepEqual(
    records.map(({ block }) => block.toString()).sort(),
    all.map(({ text }) => text).sort(),
  );

  await run("--to", "text", "--format", "parquet");
  const bytes = readFileSync(join(out, "exports/text.parquet"));
  const rows = await parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
  });
  assert.deepEqual(
    rows.map(({ url, text }) => [url, text]),
    all.map(({ url, text }) => [url, text]),
  );

  const useless = await orbweaver(["export", out, "--to", "csv", "--split", "3"]);
  assert.equal(useless.code, 2);
  assert.match(useless.stderr, /--split is for a corpus of texts, not for --to csv/);
  const bad = await orbweaver(["export", out, "--to", "text", "--dedupe", "some"]);
  assert.deepEqual([bad.code, /--dedupe some is not allowed/.test(bad.stderr)], [2, true]);
});

test("an interrupted extraction goes on, and a page that takes for ever costs only itself", async (t) => {
  // Every level looks at all links below it.
  const deep = 1500;
  const hostile = `${"<div class=x><p>some text</p>".repeat(deep)}${'<a href="/n">n</a> text '.repeat(60_000)}`;
  const { out, origin } = await crawlScript(t, {
    "/": html(`<main><p>${SENTENCE}</p><a href="/bad">x</a><a href="/good">y</a></main>`),
    "/bad": html(hostile),
    "/good": html(`<main><p>${SENTENCE} ${SENTENCE}</p></main>`),
  });
  const work = join(out, "work");
  const pages = join(out, "pages/pages.jsonl");
  const options = { isMarkdown: false, threads: 1, pageMs: 3000 };
  assert.equal(await extractPages(out, pages, work, options), 3);
  const whole = readFileSync(work, "utf8");
  const lines = whole
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line));
  const bad = lines.find(({ url }) => url === `${origin}/bad`);
  assert.equal(bad.leftOut, "time_limit");
  assert.deepEqual(lines.filter(({ text }) => text?.includes(SENTENCE)).length, 2);
  // As a kill leaves it: a whole line or two, and half of one.
  truncateSync(work, whole.length - 20);
  assert.equal(await extractPages(out, pages, work, options), 1);
  assert.equal(readFileSync(work, "utf8"), whole);
  assert.equal(await extractPages(out, pages, work, options), 0);
});
