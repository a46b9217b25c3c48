import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PROFILES } from "../../src/web/profile.ts";
import { startWebProcess } from "../../src/web/web-process.ts";
import { readRecords } from "../support/archive.ts";
import { orbweaver, readLog, readPages, tempFolder } from "../support/orbweaver.ts";
import { repeatEnding } from "./repeat-ending.ts";
import { html, scriptedServer } from "./scripted-server.ts";

const FAST = ["--delay", "0", "--json", "--quiet"];

async function slowWeb(t: Parameters<typeof tempFolder>[0], latencyMs: number) {
  const profile = { ...PROFILES.small, pages: 3000, errorRate: 0.1 };
  const web = await startWebProcess({ profile, latencyMs });
  t.after(() => web.close());
  return web;
}

test("--max-pages ends at exactly N, among failures, with any number of threads", async (t) => {
  const web = await slowWeb(t, 2);
  for (const [pages, threads] of [
    [1, 1],
    [200, 4],
  ] as const) {
    const out = join(tempFolder(t), "out");
    const limit = ["--max-pages", String(pages), "--threads", String(threads)];
    const { code, stdout } = await orbweaver([
      "crawl",
      ...web.start,
      "--out",
      out,
      ...FAST,
      ...limit,
    ]);
    assert.equal(code, 3);
    const summary = JSON.parse(stdout);
    assert.deepEqual([summary.ended, summary.pages], ["limit", pages]);
    assert.equal(readPages(out).length, pages);
    assert.ok(summary.urlsQueued > 0);
  }
});

test("a crawl that has fewer pages than its limit finishes", async (t) => {
  const { origin } = await scriptedServer(t, { "/": html("<a href=/gone>x</a>") });
  const out = join(tempFolder(t), "out");
  const { code, stdout } = await orbweaver([
    "crawl",
    `${origin}/`,
    "--out",
    out,
    ...FAST,
    "--max-pages",
    "9",
  ]);
  assert.deepEqual([code, JSON.parse(stdout).ended, JSON.parse(stdout).pages], [0, "finished", 1]);
});

test("--max-time and --max-size end a crawl as a limit", async (t) => {
  const web = await slowWeb(t, 20);
  for (const limit of [
    ["--max-time", "1s"],
    ["--max-size", "100KB"],
  ]) {
    const out = join(tempFolder(t), "out");
    const { code, stdout } = await orbweaver([
      "crawl",
      ...web.start,
      "--out",
      out,
      ...FAST,
      ...limit,
    ]);
    assert.deepEqual([code, JSON.parse(stdout).ended], [3, "limit"]);
    assert.equal(readPages(out).length, JSON.parse(stdout).pages);
  }
});

/** Resolves when the web has served so many pages. */
async function fetched(web: Awaited<ReturnType<typeof slowWeb>>, pages: number): Promise<void> {
  while ((await web.report()).pages < pages) await sleep(20);
}

for (const [signal, expected] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  test(`${signal} drains, commits and closes everything`, async (t) => {
    const web = await slowWeb(t, 30);
    const out = join(tempFolder(t), "out");
    const args = ["crawl", ...web.start, "--out", out, "--delay", "0", "--json"];
    const { code, stdout } = await orbweaver(args, (kill) => {
      void fetched(web, 50).then(() => kill(signal));
    });
    assert.equal(code, expected);
    const summary = JSON.parse(stdout);
    assert.equal(summary.ended, "interrupted");
    assert.equal(readPages(out).length, summary.pages);
    const records = readRecords(join(out, "archive"));
    assert.deepEqual(
      records.flatMap(({ problems }) => problems),
      [],
    );
    const asked = (await web.report()).pages;
    assert.equal(asked, summary.pages, "what was fetched is what was committed");
  });
}

test("a second signal stops at once, whatever a server does", async (t) => {
  let ask = () => {};
  const isAsked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const { origin } = await scriptedServer(t, { "/": () => ask() });
  const out = join(tempFolder(t), "out");
  const args = ["crawl", `${origin}/`, "--out", out, "--delay", "0", "--json"];
  let secondMs = Number.POSITIVE_INFINITY;
  const { code } = await orbweaver(args, (kill, answered) => {
    void isAsked.then(() => kill("SIGINT"));
    // The first signal is acknowledged on standard error; the server never answers.
    void answered.then(() => {
      secondMs = performance.now();
      kill("SIGINT");
    });
  });
  const tookMs = performance.now() - secondMs;
  assert.equal(code, 130);
  assert.ok(tookMs < 4500, `${tookMs} ms: it waited for the server or for the drain's end`);
});

test("hosts that only make us wait end as unavailable after --max-wait", async (t) => {
  const { origin } = await scriptedServer(t, {
    "/": (_q, r) => r.writeHead(503, { "retry-after": "3600" }).end(),
  });
  const out = join(tempFolder(t), "out");
  const { code, stdout } = await orbweaver([
    "crawl",
    `${origin}/`,
    "--out",
    out,
    ...FAST,
    "--max-wait",
    "1s",
  ]);
  const summary = JSON.parse(stdout);
  assert.deepEqual([code, summary.ended, summary.urlsQueued], [6, "finished", 1]);
  assert.deepEqual(
    readLog(out).map(({ outcome, error }) => [outcome, error]),
    [["unavailable", "host_unavailable"]],
  );
});

test("an unreachable seed is an outcome, not a crash", async (t) => {
  const out = join(tempFolder(t), "out");
  const args = ["crawl", "http://127.0.0.1:9/", "--out", out, ...FAST, "--retries", "1"];
  const refused = await orbweaver(args);
  assert.equal(refused.code, 6);
  assert.match(
    refused.stderr,
    /^orbweaver: nothing could be fetched\n {2}http:\S+: refused, blocked_port: browsers .*\n$/,
  );
  // Port 9 is on the list of ports that no browser connects to.
  assert.deepEqual(
    readLog(out).map(({ outcome, error }) => [outcome, error]),
    [["refused", "blocked_port"]],
  );
  const nobody = join(tempFolder(t), "out");
  const { code } = await orbweaver([
    "crawl",
    "http://127.0.0.1:59999/",
    "--out",
    nobody,
    ...FAST,
    "--retries",
    "1",
  ]);
  assert.equal(code, 6);
  assert.deepEqual(
    readLog(nobody).map(({ outcome, error }) => [outcome, error]),
    [["failed", "connection_refused"]],
  );
});

test("a folder that holds a crawl is refused with a sentence, and left alone", async (t) => {
  const { origin } = await scriptedServer(t, { "/": html("") });
  const out = join(tempFolder(t), "out");
  const args = ["crawl", `${origin}/`, "--out", out, ...FAST];
  assert.equal((await orbweaver(args)).code, 0);
  const again = await orbweaver(args);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /^orbweaver: .*already holds a crawl.*choose another --out/);
  assert.equal(again.stderr.split("\n").length, 2, "one line");
  assert.equal(readPages(out).length, 1);
});

test("a crawl ends promptly after its last commit, twice in a row", async (t) => {
  // Two hundred times: endings.conformance.ts.
  await repeatEnding(t, 2);
});
