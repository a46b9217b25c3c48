import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folded, wordsOf } from "../../src/report/search/search-words.ts";
import { crawlScript } from "../crawl/scripted-crawl.ts";
import { type Script, scriptedServer } from "../crawl/scripted-server.ts";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";

interface Found {
  readonly total: number;
  readonly hits: readonly {
    readonly url: string;
    readonly title: string;
    readonly snippet: string;
  }[];
}

const LONG = "filler ".repeat(200);

/** A page with a title of its own. */
function titled(title: string, body: string): Script[string] {
  return (_request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(`<!doctype html><title>${title}</title>${body}`);
  };
}

test("words have neither case nor accents, and signs of other scripts are words", () => {
  assert.equal(folded("ÜBER Straße"), "uber straße");
  assert.deepEqual([...wordsOf("Café-crème, 2 cafés; café")], ["cafe", "creme", "2", "cafes"]);
  assert.deepEqual([...wordsOf("今週 a")], ["今", "週", "a"]);
});

test("pages with all words are found in text, title and URL, the best first, with snippets", async (t) => {
  const { out, origin } = await crawlScript(t, {
    "/": titled("Start", "<a href=/bear>1</a> <a href=/polar>2</a> <a href=/evil>3</a>"),
    "/bear": titled("Animals", `<p>${LONG}<p>The pol<b>ar</b> bear lives on ice.<p>${LONG}`),
    "/polar": titled("Polar bear", "<p>Nothing else here: the P\u00f3lar B\u00e9ar."),
    "/evil": titled("Bear\u001b[31m", "<p>a grizzly bear, <script>polar</script>"),
  });
  const search = async (...words: string[]) => {
    const { code, stdout, stderr } = await orbweaver(["search", out, ...words, "--json"]);
    assert.deepEqual([code, stderr], [0, ""]);
    return JSON.parse(stdout) as Found;
  };
  const both = await search("POLAR", "bear");
  assert.deepEqual(
    both.hits.map(({ url }) => url),
    [`${origin}/polar`, `${origin}/bear`],
  );
  assert.equal(both.total, 2, "what stands in a script is no text");
  assert.match(both.hits[1]!.snippet, /^… .*The polar bear lives on ice\..* …$/);
  assert.ok(both.hits[1]!.snippet.length < 200);
  assert.equal((await search("grizzly")).total, 1);
  assert.equal((await search("unicorn")).total, 0);
  assert.equal((await search("evil")).total, 1, "words of URLs count, too");
  const { stdout } = await orbweaver(["search", out, "grizzly"]);
  assert.ok(!stdout.includes("\u001b"), "nothing steers the terminal");

  const facts = join(out, "indexes/search/search.json");
  assert.ok(existsSync(facts));
  const list = join(out, "pages/pages.jsonl");
  const line = readFileSync(list, "utf8").trimEnd().split("\n").at(-1)!;
  appendFileSync(list, `${line.replace(/"title":"[^"]*"/, '"title":"unicorn"')}\n`);
  assert.equal((await search("unicorn")).total, 1, "another list makes another index");
});

test("a resumed crawl is indexed anew, and long lines of pages are read", async (t) => {
  const page = (title: string, next: string) =>
    titled(title, `<p>about ${title} <a href=${next}>on</a>`);
  const { origin } = await scriptedServer(t, {
    ...{ "/": page("walrus", "/2"), "/2": page("penguin", "/3"), "/3": page("ostrich", "/") },
  });
  const out = join(tempFolder(t), "out");
  const limited = ["--max-pages", "1", "--quiet"];
  const first = await orbweaver(["crawl", `${origin}/`, "--out", out, "--delay", "0", ...limited]);
  assert.equal(first.code, 3, first.stderr);
  const search = async (word: string) => {
    const { code, stdout, stderr } = await orbweaver(["search", out, word, "--json"]);
    assert.deepEqual([code, stderr], [0, ""]);
    return (JSON.parse(stdout) as Found).hits.map(({ url }) => url);
  };
  assert.deepEqual([await search("walrus"), await search("penguin")], [[`${origin}/`], []]);
  const resumed = await orbweaver(["resume", out, "--max-pages", "2", "--quiet"]);
  assert.equal(resumed.code, 3, resumed.stderr);
  assert.deepEqual(await search("penguin"), [`${origin}/2`], "found after a resume");
  // What a handler adds to a page may be long.
  const list = join(out, "pages/pages.jsonl");
  const long = `"data":"${"x".repeat(300_000)}","title":"penguin"`;
  writeFileSync(list, readFileSync(list, "utf8").replace('"title":"penguin"', long));
  assert.deepEqual(await search("penguin"), [`${origin}/2`]);
});

test("searching for nothing, or nowhere, is refused with a sentence", async () => {
  for (const args of [["search"], ["search", "x"], ["search", "x", " "]]) {
    const { code, stderr } = await orbweaver(args);
    assert.equal(code, 2);
    assert.match(stderr, /search takes the folder of a crawl and words/);
  }
});
