import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";
import { html, type Script, scriptedServer } from "./scripted-server.ts";

const PAGES = 40;
const LINKS = Array.from({ length: PAGES }, (_, i) => `<a href=/${i}>x</a>`).join("");
/** So long a server waits for requests that never come. */
const PATIENCE_MS = 10_000;

/** One site whose server answers nothing before `wanted` requests are in flight at once; tells how many there were. */
async function gatheringServer(t: TestContext, wanted: number) {
  const held: (() => void)[] = [];
  const seen = { most: 0 };
  let inFlight = 0;
  let hasGivenUp = false;
  const letGo = () => {
    for (const answer of held.splice(0)) answer();
  };
  const page: Script[string] = (request, response) => {
    seen.most = Math.max(seen.most, ++inFlight);
    response.once("close", () => inFlight--);
    const answer = () => html("")(request, response as ServerResponse);
    if (seen.most >= wanted || hasGivenUp) {
      answer();
      letGo();
    } else held.push(answer);
  };
  const late = setTimeout(() => {
    hasGivenUp = true;
    letGo();
  }, PATIENCE_MS);
  t.after(() => clearTimeout(late));
  const pages = Array.from({ length: PAGES }, (_, i) => [`/${i}`, page] as const);
  const { origin } = await scriptedServer(t, { "/": html(LINKS), ...Object.fromEntries(pages) });
  return { origin, seen };
}

async function crawl(t: TestContext, origin: string, args: readonly string[]) {
  const out = join(tempFolder(t), "out");
  const start = ["crawl", `${origin}/`, "--out", out, "--quiet", "--no-robots", "--delay", "0"];
  return orbweaver([...start, ...args]);
}

for (const [most, args] of [
  [8, ["--threads", "8", "--links-per-thread", "1", "--per-host", "8"]],
  [4, ["--threads", "4", "--links-per-thread", "1"]],
  [6, ["--threads", "3", "--links-per-thread", "2"]],
] as const) {
  test(`one site has ${most} requests in flight: ${args.join(" ")}`, async (t) => {
    const { origin, seen } = await gatheringServer(t, most);
    const { code, stderr } = await crawl(t, origin, args);
    assert.deepEqual([code, stderr, seen.most], [0, "", most]);
  });
}

for (const [threads, links, size] of [
  [1, 1, 1],
  [4, 1, 2],
  [2, 2, 1],
]) {
  test(`no sleep until --sync-every: ${threads} threads, ${links} links each, a buffer of ${size}`, async (t) => {
    const pages = Array.from({ length: PAGES }, (_, i) => [`/${i}`, html("")] as const);
    const { origin } = await scriptedServer(t, { "/": html(LINKS), ...Object.fromEntries(pages) });
    const startMs = performance.now();
    const { code } = await crawl(t, origin, [
      ...["--threads", String(threads), "--links-per-thread", String(links)],
      ...["--buffer-size", String(size), "--max-pages", "30", "--sync-every", "2m"],
    ]);
    const tookMs = performance.now() - startMs;
    assert.equal(code, 3);
    assert.ok(tookMs < 60_000, `it took ${Math.round(tookMs)} ms`);
  });
}
