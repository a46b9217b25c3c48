import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import type { PagePriority } from "../../src/config/page-handler.ts";
import { moduleOf } from "../../src/config/user-module.ts";
import { loadHandler } from "../../src/crawl/visit/load-handler.ts";
import { configOf, crawl } from "../../src/index.ts";
import { orbweaver, readPages, tempFolder } from "../support/orbweaver.ts";
import { html, type Script, scriptedServer } from "./scripted-server.ts";

const PAGE = "http://h.test/docs/1";

async function loaded(form: PagePriority): Promise<PagePriority> {
  return (await loadHandler({ priority: moduleOf("priority", form) })).priority!;
}

test("a function of a program becomes a module, however it is written", async () => {
  const owner = {
    short(url: string, depth: number) {
      return url.includes("/docs/") ? depth : 0;
    },
  };
  function named(url: string, depth: number): number {
    return url.includes("/docs/") ? depth : 0;
  }
  const forms = [
    (url: string, depth: number) => (url.includes("/docs/") ? depth : 0),
    named,
    owner.short,
  ];
  for (const form of forms) {
    const priority = await loaded(form);
    assert.deepEqual([priority(PAGE, 3), priority("http://h.test/", 3)], [3, 0], String(form));
  }
  assert.throws(() => moduleOf("priority", Number.parseInt), {
    code: "OW_USAGE",
    message: /name a module/,
  });
});

test("a module is found again from wherever the crawl is resumed", () => {
  const settings = { seeds: ["http://127.0.0.1/"], order: "opic" as const, contact: "me" };
  assert.equal(configOf({ ...settings, priority: "./x.mjs" }).priority, resolve("x.mjs"));
  assert.match(configOf({ ...settings, priority: () => 1 }).priority!, /^data:text\/javascript/);
  assert.equal(configOf(settings).priority, undefined);
});

test("what is no worth is an error that names the page, not a quiet 0", async () => {
  const outside = 7; // a function that goes to a thread leaves this behind
  const values: readonly [() => unknown, RegExp][] = [
    [() => Number.NaN, /\(a function\) gave NaN for http:\/\/h\.test\/docs\/1; a page is worth/],
    [() => -1, /gave -1/],
    [() => "3", /gave a value of type string/],
    [() => undefined, /gave a value of type undefined/],
    [async () => 1, /gave a promise/],
    [() => JSON.parse("{"), /failed for http:\/\/h\.test\/docs\/1: /],
    [() => outside, /failed for http:\/\/h\.test\/docs\/1: outside is not defined/],
  ];
  for (const [give, message] of values) {
    const priority = await loaded(give as () => number);
    assert.throws(() => priority(PAGE, 0), { code: "OW_USAGE", message });
  }
  const all = await loaded(() => Number.POSITIVE_INFINITY);
  assert.equal(all(PAGE, 0), Number.POSITIVE_INFINITY);
});

const LINKS = Array.from({ length: 12 }, (_, i) => `<a href=/p${i}>`).join("");
const SITE: Script = Object.fromEntries([
  ["/", html(LINKS)],
  ...Array.from({ length: 12 }, (_, i) => [`/p${i}`, html(`<a href=/q${i}>`)]),
  ...Array.from({ length: 12 }, (_, i) => [`/q${i}`, html("")]),
]);

test("a module that fails in the middle ends the crawl in one sentence; repaired, it goes on and loses nothing", async (t) => {
  const { origin, asked } = await scriptedServer(t, SITE);
  const folder = tempFolder(t);
  const [module, out] = [join(folder, "worth.mjs"), join(folder, "out")];
  writeFileSync(
    module,
    'export default (url) => { if (url.endsWith("q7")) throw new Error("no such page"); return 1; };',
  );
  const options = ["--order", "opic", "--delay", "0", "--threads", "1", "--quiet"];
  const first = await orbweaver([
    ...["crawl", `${origin}/`, "--out", out, ...options, "--priority", module],
  ]);
  assert.equal(first.code, 2, first.stderr);
  const sentence = `orbweaver: --priority ${module} failed for ${origin}/q7: no such page\n`;
  assert.equal(first.stderr, sentence);
  writeFileSync(module, "export default () => 1;");
  const second = await orbweaver(["resume", out, "--json", "--quiet"]);
  assert.equal(second.code, 0, second.stderr);
  assert.equal(readPages(out).length, 25);
  assert.deepEqual(new Set(asked), new Set(["/robots.txt", ...Object.keys(SITE)]));
});

test("a program gives the function itself, and gets its pages first", async (t) => {
  const { origin, asked } = await scriptedServer(t, SITE);
  await crawl({
    seeds: [`${origin}/`],
    out: join(tempFolder(t), "out"),
    order: "opic",
    priority: (url) => (/[pq]1?[13579]$/.test(url) ? 2 : 0),
    threads: 1,
    linksPerThread: 1,
    perHost: 1,
    delayMs: 0,
    allowPrivate: ["127.0.0.0/8"],
  });
  const odd = (path: string) => /[13579]$/.test(path);
  const pages = asked.filter((path) => /^\/[pq]/.test(path));
  assert.equal(pages.length, 24);
  assert.deepEqual(pages.slice(0, 12).filter(odd).length, 12, pages.join(" "));
});
