import assert from "node:assert/strict";
import { test } from "node:test";
import { PROFILES } from "../../src/web/profile.ts";
import { runWeb, type WebCommandOptions } from "../../src/web/serve-command.ts";
import { startWebProcess } from "../../src/web/web-process.ts";
import { countsOf, crawlAll, fetchUrl } from "./tiny-crawler.ts";

interface Printed {
  lines: string[];
  explained: string;
}

/** Runs the command until its first line, does something with it, then ends it as a signal would. */
async function run(
  options: WebCommandOptions,
  during: (first: { port: number; start: string[] }) => Promise<unknown>,
): Promise<Printed> {
  const stop = new AbortController();
  const printed: Printed = { lines: [], explained: "" };
  let used: Promise<unknown> = Promise.resolve();
  await runWeb(options, {
    signal: stop.signal,
    stderr: { write: (text: string) => (printed.explained += text) },
    stdout: {
      write: (text: string) => {
        assert.match(text, /^\{.*\}\n$/);
        printed.lines.push(text);
        if (printed.lines.length === 1) used = during(JSON.parse(text)).finally(() => stop.abort());
      },
    },
  });
  await used;
  return printed;
}

test("the command prints the truth, serves, and prints the report when it is told to stop", async () => {
  const printed = await run({ profile: "tiny", delayMs: 5000 }, ({ start, port }) =>
    crawlAll(start, port),
  );
  assert.equal(printed.lines.length, 2);
  const [first, second] = printed.lines.map((line) => JSON.parse(line));
  assert.equal(first.origin, `http://127.0.0.1:${first.port}`);
  assert.equal(second.report.pages, first.truth.reachable);
  assert.ok(second.report.tooFastCount > 0);
  assert.match(printed.explained, /npx orbweaver crawl http:\/\/127\.0\.0\.1:\d+\/ .*--delay 5000/);
});

test("with names the command says how they are resolved", async () => {
  const printed = await run(
    { profile: "demo", names: true, latencyMs: 0, seed: 4 },
    async () => {},
  );
  const first = JSON.parse(printed.lines[0]!);
  assert.equal(first.start[0], "http://host0.test/");
  assert.deepEqual(first.resolve.slice(0, 2), ["--resolve", `host0.test:127.0.0.1:${first.port}`]);
  assert.match(printed.explained, /--seeds - --allow-private 127\.0\.0\.0\/8/);
});

test("an unknown profile is refused by name, and the help lists the known ones", async () => {
  const io = { stdout: { write() {} }, stderr: { write() {} }, signal: AbortSignal.abort() };
  await assert.rejects(runWeb({ profile: "toString" }, io), { code: "OW_USAGE", message: /tiny/ });
});

test("a web in a process of its own answers, tells its truth, and ends when it is closed", async () => {
  const web = await startWebProcess({ profile: PROFILES.tiny, delayMs: 1 });
  try {
    assert.equal((await web.report()).smallestGapMs, Number.POSITIVE_INFINITY);
    const found = await crawlAll(web.start, web.port);
    const { start, hosts, pages, ...counts } = await web.truth();
    assert.deepEqual(counts, countsOf(found));
    assert.deepEqual([start, hosts.length, pages], [web.start, 3, 60]);
    assert.equal((await web.report()).pages, found.pages.size);
    assert.ok((await web.cpuUsage()).user > 0);
  } finally {
    await web.close();
  }
  await assert.rejects(fetchUrl(web.start[0]!, web.port), { code: "ECONNREFUSED" });
  await assert.rejects(web.report(), { code: "OW_WORKER_DIED" });
  await assert.rejects(startWebProcess({ dir: "/nowhere/at/all" }), { code: "OW_USAGE" });
});
