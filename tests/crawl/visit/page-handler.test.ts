import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { moduleOf } from "../../../src/config/user-module.ts";
import { loadHandler } from "../../../src/crawl/visit/load-handler.ts";
import { crawl } from "../../../src/index.ts";
import { orbweaver, readPages, tempFolder } from "../../support/orbweaver.ts";
import { html, type Script, scriptedServer } from "../scripted-server.ts";
import { pageHandlerContract } from "./page-handler.contract.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-handler-"));
after(() => rmSync(folder, { recursive: true }));
let modules = 0;

pageHandlerContract("a function of a program", (handler) =>
  loadHandler({ handler: moduleOf("handler", handler) }),
);

pageHandlerContract("a module", (handler) => {
  const file = join(folder, `${modules++}.mjs`);
  writeFileSync(file, `export default ${String(handler)};`);
  return loadHandler({ handler: file });
});

const SITE: Script = {
  "/": html("<a href=/a><a href=/b>"),
  "/a": html("<a href=/c>"),
  "/b": html(""),
  "/c": html(""),
  "/hidden": html(""),
};
const OPTIONS = ["--delay", "0", "--quiet"];

/** Data of the pages by path. */
function dataOf(out: string): Record<string, unknown> {
  const lines = readPages(out) as unknown as { url: string; data?: unknown }[];
  return Object.fromEntries(lines.map(({ url, data }) => [new URL(url).pathname, data]));
}

test("--handler adds and removes links and keeps data; recover brings the data back", async (t) => {
  const { origin, asked } = await scriptedServer(t, SITE);
  const [module, out] = [join(tempFolder(t), "handler.mjs"), join(tempFolder(t), "out")];
  writeFileSync(
    module,
    `export default async (page) => ({
      links: [...page.links.filter((link) => !link.endsWith("/b")), "/hidden"],
      data: { path: new URL(page.url).pathname, depth: page.depth, long: (await page.text()).length },
    });`,
  );
  const args = ["crawl", `${origin}/`, "--out", out, ...OPTIONS, "--threads", "2"];
  const { code, stderr } = await orbweaver([...args, "--handler", module]);
  assert.equal(code, 0, stderr);
  const expected = {
    "/": { path: "/", depth: 0, long: 53 },
    "/a": { path: "/a", depth: 1, long: 42 },
    "/hidden": { path: "/hidden", depth: 1, long: 31 },
    "/c": { path: "/c", depth: 2, long: 31 },
  };
  assert.deepEqual(dataOf(out), expected);
  assert.ok(!asked.includes("/b"));
  rmSync(join(out, "pages/pages.jsonl"));
  const recovered = await orbweaver(["recover", out]);
  assert.equal(recovered.code, 0, recovered.stderr);
  assert.deepEqual(dataOf(out), expected);
});

test("a handler that fails ends the crawl in one sentence; repaired, it goes on and loses nothing", async (t) => {
  const { origin } = await scriptedServer(t, SITE);
  const [module, out] = [join(tempFolder(t), "handler.mjs"), join(tempFolder(t), "out")];
  const failing = 'if (page.url.endsWith("/c")) throw new Error("no price");';
  writeFileSync(module, `export default (page) => { ${failing} return { data: 1 }; };`);
  const args = ["crawl", `${origin}/`, "--out", out, ...OPTIONS, "--handler", module];
  const first = await orbweaver(args);
  assert.equal(first.code, 2, first.stderr);
  assert.equal(first.stderr, `orbweaver: --handler ${module} failed for ${origin}/c: no price\n`);
  writeFileSync(module, "export default () => ({ data: 2 });");
  const second = await orbweaver(["resume", out, "--quiet"]);
  assert.equal(second.code, 0, second.stderr);
  const data = dataOf(out);
  assert.deepEqual(Object.keys(data).sort(), ["/", "/a", "/b", "/c"]);
  assert.equal(data["/c"], 2);
});

test("of a page that has not changed a handler sees what the earlier crawl got", async (t) => {
  const { origin } = await scriptedServer(t, {
    "/": (request, response) => {
      const isKnown = request.headers["if-none-match"] === '"1"';
      response.writeHead(isKnown ? 304 : 200, { etag: '"1"', "content-type": "text/html" });
      response.end(isKnown ? undefined : "<a href=/a><a href=/b>");
    },
    "/a": html(""),
    "/b": html(""),
  });
  const folder = tempFolder(t);
  const [module, first, second] = ["handler.mjs", "1", "2"].map((name) => join(folder, name));
  writeFileSync(
    module!,
    `export default async (page) => ({
      links: (await page.text()).includes("/b") ? [page.links[page.status === 200 ? 1 : 0]] : [],
    });`,
  );
  const crawled = await orbweaver(["crawl", `${origin}/`, "--out", first!, ...OPTIONS]);
  assert.equal(crawled.code, 0, crawled.stderr);
  const again = ["--out", second!, "--recrawl", first!, "--handler", module!];
  const recrawled = await orbweaver(["crawl", `${origin}/`, ...again, ...OPTIONS]);
  assert.equal(recrawled.code, 0, recrawled.stderr);
  assert.deepEqual(Object.keys(dataOf(second!)), ["/b"]);
});

test("a module that is missing or exports no function is refused before anything is fetched", async (t) => {
  const { origin, asked } = await scriptedServer(t, SITE);
  const out = join(tempFolder(t), "out");
  const module = join(tempFolder(t), "handler.mjs");
  const args = ["crawl", `${origin}/`, "--out", out, ...OPTIONS, "--handler", module];
  const missing = await orbweaver(args);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /^orbweaver: --handler .*handler\.mjs cannot be loaded: /);
  writeFileSync(module, "export const page = () => {};");
  const empty = await orbweaver([...args.slice(0, 3), `${out}2`, ...args.slice(4)]);
  assert.equal(empty.code, 2);
  assert.match(
    empty.stderr,
    /has no default export that is a function; for example export default/,
  );
  assert.deepEqual(asked, []);
});

test("a program gives the function itself, together with a priority", async (t) => {
  const { origin } = await scriptedServer(t, SITE);
  const out = join(tempFolder(t), "out");
  await crawl({
    seeds: [`${origin}/`],
    out,
    order: "opic",
    handler: (page) => ({ links: page.links.slice(0, 1), data: page.links.length }),
    priority: () => 1,
    delayMs: 0,
    allowPrivate: ["127.0.0.0/8"],
  });
  assert.deepEqual(dataOf(out), { "/": 2, "/a": 1, "/c": 0 });
  assert.ok(existsSync(join(out, "pages/pages.jsonl")));
  assert.match(
    readFileSync(join(out, "pages/pages.jsonl"), "utf8"),
    /"data":2,"file":.*"priority"/,
  );
});
