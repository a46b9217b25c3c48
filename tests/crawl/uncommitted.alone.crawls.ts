import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";
import { html, type Script, scriptedServer } from "./scripted-server.ts";

const WIDTH = 100;
/** A busy machine may take so long between the end of a page and the builder that notes its time. */
const STALL_MS = 2500;

/**
 * A site of `WIDTH` chains of pages without an end. When the server has had enough it kills the crawl; then the chains
 * end, and the next run finishes. Answers the pages that were asked for again, with the times of both requests.
 */
async function killOnce(
  t: TestContext,
  args: readonly string[],
  isEnough: (pages: number, forMs: number) => boolean,
): Promise<{ killedMs: number; again: number[][] }> {
  const times = new Map<string, number[]>();
  let kill = () => {};
  let startMs: number | undefined;
  let killedMs: number | undefined;
  const page = (url: string): Script[string] => {
    const nowMs = performance.now();
    startMs ??= nowMs;
    times.set(url, [...(times.get(url) ?? []), nowMs]);
    if (killedMs === undefined && isEnough(times.size, nowMs - startMs)) {
      killedMs = nowMs;
      kill();
    }
    const number = Number(url.slice(1));
    const next =
      url === "/" ? Array.from({ length: WIDTH }, (_, i) => i + 1) : killedMs === undefined ? [number + WIDTH] : []; // biome-ignore format: one thought
    const answer = html(next.map((each) => `<a href=/${each}>x</a>`).join(""));
    return (question, response) => setTimeout(() => answer(question, response), 10);
  };
  const get = (_script: Script, url: string) => (url === "/robots.txt" ? undefined : page(url));
  const { origin } = await scriptedServer(t, new Proxy<Script>({}, { get }));
  const out = join(tempFolder(t), "out");
  const start = ["crawl", `${origin}/`, "--out", out, "--delay", "0", "--no-traps", "--quiet"];
  const killed = await orbweaver([...start, ...args], (signal) => {
    kill = () => signal("SIGKILL");
  });
  assert.equal(killed.code, null, killed.stderr);
  const resumed = await orbweaver(["resume", out, "--quiet", "--max-uncommitted", "1000"]);
  assert.deepEqual([resumed.code, resumed.stderr], [0, ""]);
  assert.ok(times.size > WIDTH);
  return { killedMs: killedMs!, again: [...times.values()].filter((each) => each.length > 1) };
}

test("a crash costs at most --max-uncommitted pages, also those that another thread was lent", async (t) => {
  const cases: [most: number, args: string[]][] = [
    [40, ["--threads", "4"]],
    [40, ["--threads", "3", "--hand-off", "full"]],
    [8, ["--threads", "4", "--builders", "2"]],
    // Fewer than threads.
    [1, ["--threads", "2", "--per-host", "4"]],
  ];
  for (const [i, [most, args]] of cases.entries()) {
    const bound = ["--max-uncommitted", String(most), "--sync-every", "1m"];
    const { again } = await killOnce(t, [...args, ...bound], (pages) => pages >= 150 + 40 * i);
    assert.ok(again.length <= most, `${again.length} pages were fetched again, not ${most}`);
  }
});

test("a page waits for its commit no longer than --sync-every, however busy the crawl is", async (t) => {
  const syncMs = 300;
  // One thread that never has a place free: nothing else than time makes it commit.
  const args = ["--threads", "1", "--links-per-thread", "8", "--max-uncommitted", "1000000"];
  const { killedMs, again } = await killOnce(
    t,
    [...args, "--sync-every", `${syncMs}ms`],
    (_pages, forMs) => forMs > 2 * (syncMs + STALL_MS),
  );
  for (const [firstMs] of again) {
    const waitedMs = killedMs - firstMs!;
    assert.ok(waitedMs <= syncMs + STALL_MS, `not committed for ${waitedMs} ms`);
  }
});

test("commits come also while a builder writes more slowly than its crawlers fetch", async (t) => {
  const web = await startWeb({ profile: { ...PROFILES.small, pages: 4000, hosts: 1 } });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const { log, journals } = crawlPaths(out);
  const start = ["crawl", ...web.start, "--out", out, "--quiet", "--delay", "0", "--no-traps"];
  const busy = ["--threads", "1", "--links-per-thread", "64", "--max-uncommitted", "1000000"];
  const killed = await orbweaver(
    [...start, ...busy, "--store", "tree", "--sync-every", "50ms"],
    async (kill) => {
      while (!existsSync(log) || readFileSync(log, "latin1").split("\n").length < 600)
        await sleep(5);
      kill("SIGKILL");
    },
  );
  assert.equal(killed.code, null, killed.stderr);
  let bytes = 0;
  for (const file of readdirSync(journals)) bytes += statSync(join(journals, file)).size;
  // Files that were begun and hold the first page have some 1,500 bytes.
  assert.ok(bytes > 20_000, `${bytes} bytes are known of 600 pages`);
});
