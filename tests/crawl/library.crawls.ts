import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { Crawl, Crawler, crawl, createRouter, type Page } from "../../src/index.ts";
import { orbweaver, readPages, tempFolder } from "../support/orbweaver.ts";
import { html, type Script, scriptedServer } from "./scripted-server.ts";

const PAGES = 40;
const SITE: Script = {
  "/": html(Array.from({ length: PAGES }, (_, i) => `<a href=/p${i}>${i}</a>`).join("")),
  ...Object.fromEntries(
    Array.from({ length: PAGES }, (_, i) => [`/p${i}`, html(`<title>T${i}</title>text ${i}`)]),
  ),
};

async function site(t: TestContext, script: Script = SITE) {
  const { origin, asked } = await scriptedServer(t, script);
  const out = join(tempFolder(t), "out");
  const settings = { seeds: [`${origin}/`], out, delayMs: 0, allowPrivate: ["127.0.0.0/8"] };
  return { origin, asked, out, settings };
}

const pathOf = (url: string) => new URL(url).pathname;
const rowsOf = (out: string, name = "data") =>
  readFileSync(join(out, `data/${name}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("await gives the summary; a function sees variables around it and its rows are kept", async (t) => {
  const { out, settings } = await site(t);
  const seen: string[] = [];
  const summary = await crawl({
    ...settings,
    seeds: settings.seeds[0]!,
    handler: async ({ page, links, push }) => {
      seen.push(pathOf(page.url));
      await Promise.resolve();
      push({ path: pathOf(page.url), links: links.length, text: page.text });
    },
  });
  assert.equal(summary.ended, "finished");
  assert.equal(summary.pages, PAGES + 1);
  assert.equal(new Set(seen).size, PAGES + 1);
  assert.equal(rowsOf(out).length, PAGES + 1);
  assert.match(rowsOf(out).find(({ path }) => path === "/p3").text, /text 3/);
});

test("for await streams every page, lazily decoded, at the pace of the loop", async (t) => {
  const { out, settings } = await site(t);
  const pages: Page[] = [];
  let fetched = 0;
  const run = crawl(settings);
  for await (const page of run) {
    pages.push(page);
    if (pages.length === 1) await new Promise((resolve) => setTimeout(resolve, 300));
    fetched = Math.max(fetched, run.progress().pages - pages.length);
  }
  assert.equal(pages.length, PAGES + 1);
  const page = pages.find(({ url }) => url.endsWith("/p7"))!;
  assert.deepEqual([page.status, page.title, page.mime], [200, "t", "text/html"]);
  assert.match(page.html, /<title>T7/);
  assert.equal(page.bytes.length, page.html.length);
  assert.equal(page.headers["content-type"], page.header("Content-Type"));
  // Nothing is committed that the loop has not come to.
  assert.ok(fetched <= 0, `${fetched} pages ahead`);
  assert.equal((await run).pages, PAGES + 1);
  assert.equal(readPages(out).length, PAGES + 1);
});

test("breaking out of the loop stops and commits; the rest comes after a resume", async (t) => {
  const { out, settings } = await site(t);
  const seen: string[] = [];
  for await (const page of crawl(settings)) {
    seen.push(page.url);
    if (seen.length === 5) break;
  }
  assert.equal(readPages(out).length, 5);
  assert.deepEqual(new Set(readPages(out).map(({ url }) => url)), new Set(seen));
  const summary = await Crawl.resume(out).run();
  assert.equal(summary.pages, PAGES + 1);
  assert.equal(summary.runs, 2);
});

test("the iterator of a crawl that has begun, and a second one, are refused", async (t) => {
  const { settings } = await site(t);
  const run = crawl(settings);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  assert.throws(() => run[Symbol.asyncIterator](), {
    code: "OW_USAGE",
    message: /before it begins/,
  });
  run.stop();
  await run;
});

test("a fault of the crawl reaches the loop", async (t) => {
  const { settings } = await site(t);
  await crawl({ ...settings, maxPages: 1 });
  const again = async () => {
    for await (const _ of crawl(settings)) assert.fail("no page");
  };
  await assert.rejects(again, { code: "OW_FOLDER_TAKEN" });
});

test("events tell pages, failures and what is skipped; a signal stops", async (t) => {
  const { origin, settings } = await site(t, {
    "/": html("<a href=/gone><a href=/a.html><a href=http://elsewhere.test/>"),
    "/a.html": html(""),
  });
  const told: string[] = [];
  const controller = new AbortController();
  const crawler = new Crawler(
    { ...settings, signal: controller.signal, maxRequestsPerCrawl: 100 },
    {
      page: (page) => void told.push(`page ${page.url}`),
      failed: ({ url, reason }) => void told.push(`failed ${url} ${reason}`),
      skipped: ({ url, reason, parent }) => void told.push(`skipped ${url} ${reason} ${parent}`),
    },
  );
  crawler.events.on("ended", () => told.push("ended"));
  await crawler.run();
  assert.deepEqual(told.sort(), [
    "ended",
    `failed ${origin}/gone http_404`,
    `page ${origin}/`,
    `page ${origin}/a.html`,
    `skipped http://elsewhere.test/ out_of_scope ${origin}/`,
  ]);
  const stopped = new Crawler({ ...settings, out: `${settings.out}2`, signal: controller.signal });
  controller.abort();
  assert.equal((await stopped.run()).ended, "interrupted");
});

test("a listener that throws stops and commits the crawl, which rejects with a code", async (t) => {
  const { out, settings } = await site(t);
  const mine = new Error("mine");
  let calls = 0;
  const failing = crawl(settings, {
    page: async () => {
      if (++calls === 3) throw mine;
    },
  });
  await assert.rejects(failing, { code: "OW_LISTENER_FAILED", cause: mine });
  assert.ok(readPages(out).length >= 3);
  assert.equal((await Crawl.resume(out).run()).pages, PAGES + 1);
});

test("a router tells pages apart; names of Crawlee mean the same", async (t) => {
  const { out, settings } = await site(t);
  const router = createRouter();
  router.on("detail", ({ page, request, pushData }) =>
    pushData({ path: pathOf(page.url), from: request.userData.from }),
  );
  router.otherwise(({ links, enqueueLinks }) =>
    enqueueLinks({ urls: links.slice(0, 3), label: "detail", userData: { from: "/" } }),
  );
  await crawl({ ...settings, requestHandler: router, maxRequestsPerCrawl: 100 });
  const rows = rowsOf(out).sort((a, b) => (a.path < b.path ? -1 : 1));
  assert.deepEqual(
    rows,
    [0, 1, 2].map((i) => ({ path: `/p${i}`, from: "/" })),
  );
  const none = `${out}2`;
  await crawl({ ...settings, out: none, requestHandler: () => {} });
  assert.equal(readPages(none).length, 1);
  const unknown = createRouter().on("x", () => {});
  const failed: string[] = [];
  await crawl(
    { ...settings, out: `${out}3`, handler: unknown, retries: 0 },
    { failed: ({ reason, detail }) => void failed.push(`${reason} ${detail}`) },
  );
  assert.deepEqual(failed, ["handler_failed the router has no handler for pages without a label"]);
});

test("a module and the program see the same page; without out there is a folder below crawls", async (t) => {
  const { settings } = await site(t);
  const folder = tempFolder(t);
  const module = join(folder, "handler.mjs");
  writeFileSync(module, "export default ({ page, push }) => push({ url: page.url });");
  const before = process.cwd();
  process.chdir(folder);
  t.after(() => process.chdir(before));
  const { out: _out, ...rest } = settings;
  let pages = 0;
  const run = crawl({ ...rest, handler: module, include: [/\/p\d$/, "nothing"] });
  for await (const _ of run) pages++;
  const { out } = await run;
  assert.match(out, /^crawls\/\d{8}-\d{6}/);
  assert.equal(pages, 11);
  assert.equal(rowsOf(join(folder, out)).length, 11);
  assert.throws(() => crawl({ ...settings, include: /A/i }), {
    code: "OW_USAGE",
    message: /the flag i,/,
  });
});

test("two crawls at once, and one inside a worker thread", async (t) => {
  const { out, settings } = await site(t);
  const both = await Promise.all(["a", "b"].map((name) => crawl({ ...settings, out: out + name })));
  assert.deepEqual(
    both.map(({ pages }) => pages),
    [PAGES + 1, PAGES + 1],
  );
  const index = new URL("../../src/index.js", import.meta.url).href;
  const text = `import { parentPort, workerData } from "node:worker_threads";
    const { crawl } = await import(${JSON.stringify(index)});
    let pages = 0;
    for await (const page of crawl(workerData)) pages += page.status === 200 ? 1 : 0;
    parentPort.postMessage(pages);`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
  const worker = new Worker(url, { workerData: { ...settings, out: `${out}w` } });
  const pages = await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  assert.equal(pages, PAGES + 1);
});

test("a crawl with a function cannot be resumed without it, and says so", async (t) => {
  const { out, settings } = await site(t);
  await crawl({ ...settings, maxPages: 3, handler: ({ push, page }) => push({ url: page.url }) });
  assert.equal(rowsOf(out).length, 3);
  await assert.rejects(Crawl.resume(out, { maxPages: 5 }).run(), {
    message: /is a function of a program/,
  });
  const { code, stderr } = await orbweaver(["resume", out, "--max-pages", "5", "--quiet"]);
  assert.equal(code, 2);
  assert.match(stderr, /is a function of a program: resume it there/);
  const handler = ({ push, page }: { push: (row: object) => void; page: Page }) =>
    push({ url: page.url });
  assert.equal((await Crawl.resume(out, { maxPages: 5, handler }).run()).pages, 5);
  assert.equal(rowsOf(out).length, 5);
  assert.ok(existsSync(join(out, "state/rows.json")));
});
