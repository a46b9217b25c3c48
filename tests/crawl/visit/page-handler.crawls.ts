import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crawl } from "../../../src/index.ts";
import { orbweaver, readPages, tempFolder } from "../../support/orbweaver.ts";
import { html, type Script, scriptedServer } from "../scripted-server.ts";

const SITE: Script = {
  "/": html("<a href=/a><a href=/b>"),
  "/a": html("<a href=/c>"),
  "/b": html(""),
  "/c": html(""),
  "/hidden": html(""),
};
const OPTIONS = ["--delay", "0", "--quiet"];

interface LogLine {
  readonly url: string;
  readonly outcome: string;
  readonly error?: string;
  readonly detail?: string;
}

function logOf(out: string): LogLine[] {
  const lines = readFileSync(join(out, "logs/crawl.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

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
    `export default async ({ request, page, links, enqueue }) => {
      enqueue([...links.filter((link) => !link.endsWith("/b")), "/hidden"]);
      return { data: { path: new URL(page.url).pathname, depth: request.depth, long: page.html.length } };
    };`,
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

test("a handler that fails costs its own page alone, which is tried again; a later run can have it", async (t) => {
  const { origin, asked } = await scriptedServer(t, SITE);
  const [module, out] = [join(tempFolder(t), "handler.mjs"), join(tempFolder(t), "out")];
  const failing = 'if (page.url.endsWith("/c")) throw new Error("no price");';
  writeFileSync(module, `export default ({ page }) => { ${failing} return { data: 1 }; };`);
  const args = ["crawl", `${origin}/`, "--out", out, ...OPTIONS, "--handler", module];
  const { code, stderr } = await orbweaver(args);
  assert.equal(code, 0, stderr);
  assert.deepEqual(dataOf(out), { "/": 1, "/a": 1, "/b": 1 });
  assert.equal(asked.filter((path) => path === "/c").length, 3);
  const line = logOf(out).find(({ url }) => url === `${origin}/c`)!;
  assert.equal(line.outcome, "failed");
  assert.equal(line.error, "handler_failed");
  assert.equal(line.detail, "no price");
});

test("a page that its handler skips is refused, and leaves neither record nor rows", async (t) => {
  const { origin } = await scriptedServer(t, SITE);
  const [module, out] = [join(tempFolder(t), "handler.mjs"), join(tempFolder(t), "out")];
  writeFileSync(
    module,
    `export default ({ page, links, push, skip, enqueue }) => {
      push({ url: page.url });
      if (page.url.endsWith("/a")) { skip("an a"); enqueue(links); }
    };`,
  );
  const args = ["crawl", `${origin}/`, "--out", out, ...OPTIONS, "--handler", module];
  const { code, stderr } = await orbweaver(args);
  assert.equal(code, 0, stderr);
  assert.deepEqual(Object.keys(dataOf(out)).sort(), ["/", "/b", "/c"]);
  const rows = readFileSync(join(out, "data/data.jsonl"), "utf8").trim().split("\n");
  assert.equal(rows.length, 3);
  const line = logOf(out).find(({ url }) => url === `${origin}/a`)!;
  assert.deepEqual([line.outcome, line.error, line.detail], ["refused", "handler_skipped", "an a"]);
});

test("a handler that never returns costs its thread and its page, and nothing else", async (t) => {
  const pages = Array.from({ length: 30 }, (_, i) => [`/p${i}`, html("")] as const);
  const links = pages.map(([path]) => `<a href=${path}>`).join("");
  const { origin } = await scriptedServer(t, { "/": html(links), ...Object.fromEntries(pages) });
  const [module, out] = [join(tempFolder(t), "handler.mjs"), join(tempFolder(t), "out")];
  writeFileSync(
    module,
    `export default ({ page, push }) => {
      if (page.url.endsWith("/p7")) for (;;);
      if (page.url.endsWith("/p11"))
        return new Promise((resolve) => setTimeout(resolve, 5)).then(() => { for (;;); });
      push({ url: page.url });
    };`,
  );
  const args = ["crawl", `${origin}/`, "--out", out, ...OPTIONS, "--handler", module];
  const { code, stderr } = await orbweaver([
    ...args,
    "--handler-timeout",
    "300ms",
    "--threads",
    "2",
  ]);
  assert.equal(code, 0, stderr);
  const log = logOf(out);
  for (const path of ["/p7", "/p11"]) {
    const line = log.find(({ url }) => url === `${origin}${path}`)!;
    assert.equal(line.error, "handler_hung", path);
  }
  assert.equal(Object.keys(dataOf(out)).length, 29);
  const rows = readFileSync(join(out, "data/data.jsonl"), "utf8").trim().split("\n");
  assert.equal(new Set(rows).size, 29);
  assert.equal(rows.length, 29);
});

test("labels and data come with a URL, through redirects, threads and a resume", async (t) => {
  const { origin } = await scriptedServer(t, {
    "/": html("<a href=/l><a href=/plain>"),
    "/l": (_, response) => response.writeHead(302, { location: "/m" }).end(),
    "/m": html(""),
    "/plain": html(""),
  });
  const [module, out] = [join(tempFolder(t), "handler.mjs"), join(tempFolder(t), "out")];
  writeFileSync(
    module,
    `export default ({ request, links, enqueue, push }) => {
      enqueue(links.slice(0, 1), { label: "detail", userData: { n: [1, "\u00e9"] } });
      enqueue(links.slice(1));
      push({ path: new URL(request.url).pathname, label: request.label, userData: request.userData });
    };`,
  );
  const args = ["crawl", `${origin}/`, "--out", out, ...OPTIONS, "--handler", module];
  const first = await orbweaver([...args, "--max-pages", "1", "--threads", "2"]);
  assert.equal(first.code, 3, first.stderr);
  const second = await orbweaver(["resume", out, "--quiet", "--max-pages", "10"]);
  assert.equal(second.code, 0, second.stderr);
  const rows = readFileSync(join(out, "data/data.jsonl"), "utf8").trim().split("\n");
  assert.deepEqual(
    rows.map((row) => JSON.parse(row)).sort((a, b) => (a.path < b.path ? -1 : 1)),
    [
      { path: "/", userData: {} },
      { path: "/m", label: "detail", userData: { n: [1, "\u00e9"] } },
      { path: "/plain", userData: {} },
    ],
  );
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
    `export default ({ page, enqueue }) =>
      enqueue(page.html.includes("/b") ? [page.links[page.status === 200 ? 1 : 0]] : []);`,
  );
  const crawled = await orbweaver(["crawl", `${origin}/`, "--out", first!, ...OPTIONS]);
  assert.equal(crawled.code, 0, crawled.stderr);
  const again = ["--out", second!, "--recrawl", first!, "--handler", module!];
  const recrawled = await orbweaver(["crawl", `${origin}/`, ...again, ...OPTIONS]);
  assert.equal(recrawled.code, 0, recrawled.stderr);
  assert.deepEqual(Object.keys(dataOf(second!)), ["/", "/b"]);
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
    handler: ({ links }) => ({ links: links.slice(0, 1), data: links.length }),
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
