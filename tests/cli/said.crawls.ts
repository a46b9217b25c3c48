import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { OUTPUT_SETTINGS } from "../../src/config/kept-config.ts";
import { readCrawlState, writeCrawlState } from "../../src/store/folder/crawl-folder.ts";
import { html, redirect, scriptedServer } from "../crawl/scripted-server.ts";
import { collect, MAIN, orbweaver, readReport, tempFolder } from "../support/orbweaver.ts";
import { runHere } from "./run-bin.ts";

const FAST = ["--delay", "0", "--threads", "1", "--retries", "0"];

/** Runs the program for at most a minute, as a user without rights where this test has all of them. */
async function withoutRights(...args: string[]) {
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const limits = { timeout: 60_000, killSignal: "SIGKILL" } as const;
  return collect(spawn(process.execPath, [MAIN, ...args], { ...limits, ...user })).ended;
}

/** reports/summary.json with the fields that are no numbers. */
function told(out: string) {
  const { limit, next, seedFaults, ...counts } = readReport(out) as Record<string, unknown>;
  return { limit, next, seedFaults, counts };
}

test("issue 16: a limit is named with the next command, and what a run shows belongs to it alone", async (t: TestContext) => {
  const { origin } = await scriptedServer(t, { "/": html("<a href=a>1</a>"), "/a": html("end") });
  const out = join(tempFolder(t), "out");
  const stopped = await orbweaver([
    "crawl",
    `${origin}/`,
    ...FAST,
    "--out",
    out,
    "--max-pages",
    "1",
  ]);
  assert.equal(stopped.code, 3);
  const next = `orbweaver resume ${out} --max-pages 2`;
  assert.match(stopped.stdout, /^Stopped by a limit: --max-pages 1 \(1 page\)\.\n/);
  assert.ok(stopped.stdout.includes(`\nGo on with: ${next}\n`), stopped.stdout);
  assert.match(
    readFileSync(join(out, "reports/statistics.txt"), "utf8"),
    /ended by: --max-pages 1\n/,
  );

  const again = await orbweaver(["resume", out, "--json", "--quiet", "--debug"]);
  assert.deepEqual([again.code, again.stderr], [3, ""]);
  const { limit, next: command } = JSON.parse(again.stdout);
  const reached = { option: "--max-pages", value: "1", reached: 1 };
  assert.deepEqual([limit, command], [reached, next]);
  assert.deepEqual([told(out).limit, told(out).next], [reached, next]);

  // As crawls of older versions are: their state has kept what a run showed.
  const state = readCrawlState(out)!;
  const asWritten = JSON.parse(JSON.stringify({ ...state.config, ...OUTPUT_SETTINGS }));
  assert.deepEqual(asWritten, state.config);
  writeCrawlState(out, { ...state, config: { ...state.config, json: true, quiet: true } });
  const last = await orbweaver(["resume", out, "--max-pages", "9"]);
  assert.equal(last.code, 0);
  assert.match(
    last.stdout,
    /^Finished: no URL is left\.\n +this run +all 3 runs\n {2}pages +1 .*[^\d]2 \(/,
    "neither JSON nor quiet",
  );
  assert.doesNotMatch(last.stdout, /Go on with/);

  const unknown = await runHere(["links", out, "http://unknown/"]);
  assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
  assert.match(unknown.stderr, /http:\/\/unknown\/ is neither a page of this crawl nor a link/);
  const alone = await runHere(["links", out, `${origin}/`]);
  assert.deepEqual(alone, { code: 0, stdout: "", stderr: `no page links to ${origin}/\n` });
});

test("issue 16: with --quiet an ordinary end prints nothing; without, credentials are said to be left out", async (t) => {
  const { origin } = await scriptedServer(t, { "/": redirect("/b"), "/b": html("end") });
  const seed = `${origin.replace("//", "//me:geheim@")}/`;
  const folder = tempFolder(t);
  const [quiet, loud] = await Promise.all([
    orbweaver(["crawl", seed, ...FAST, "--quiet", "--out", join(folder, "quiet")]),
    orbweaver(["crawl", seed, ...FAST, "--out", join(folder, "loud")]),
  ]);
  assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [0, "", ""]);
  assert.equal(loud.code, 0);
  assert.equal(loud.stderr.match(/name and password in a seed are left out/g)?.length, 1);
  assert.doesNotMatch(loud.stdout + loud.stderr, /geheim/);
});

test("issue 16: a crawl without a page says why, seed by seed, and exits with 6", async (t) => {
  const { origin } = await scriptedServer(t, {
    "/robots.txt": (_q, r) => r.writeHead(200).end("User-agent: *\nDisallow: /private"),
    "/moved": redirect("/gone"),
  });
  const out = join(tempFolder(t), "out");
  const seeds = ["/private", "/gone2", "/moved"].map((path) => origin + path);
  const { code, stdout } = await orbweaver(["crawl", ...seeds, ...FAST, "--out", out]);
  assert.equal(code, 6);
  const lines = [
    `  ${origin}/private: refused, robots: robots.txt forbids it (line 2)`,
    `  ${origin}/gone2: failed, http_404: the server answered with status 404`,
    `  ${origin}/gone: failed, http_404: the server answered with status 404`,
  ];
  assert.ok(stdout.startsWith("Nothing could be fetched.\n"), stdout);
  assert.deepEqual(stdout.split("\n").slice(1, 4).sort(), [...lines].sort());
  const faults = told(out).seedFaults as { url: string; error: string }[];
  assert.deepEqual(faults.map(({ error }) => error).sort(), ["http_404", "http_404", "robots"]);
});

test("issue 16: an unsynchronised frontier says what it lost, on the terminal and in the report", async (t) => {
  const links = Array.from({ length: 40 }, (_, i) => `<a href=p${i}>x</a>`).join("");
  const pages = Array.from({ length: 40 }, (_, i) => [`/p${i}`, html(links)] as const);
  const script = { "/": html(links), ...Object.fromEntries(pages) };
  const { origin } = await scriptedServer(t, script);
  const out = join(tempFolder(t), "out");
  const shared = ["--frontier", "shared", "--sync", "unsynchronised", "--frontier-size", "4"];
  const { code, stdout } = await orbweaver([
    ...["crawl", `${origin}/`, "--delay", "0", "--threads", "4", ...shared, "--out", out],
  ]);
  assert.equal(code, 0);
  const row = /^ {2}lost +([\d,]+) URLs?, ([\d,]+) taken twice$/m.exec(stdout);
  assert.ok(row !== null, stdout);
  const { urlsLost, urlsTakenTwice } = told(out).counts;
  assert.deepEqual([Number(row[1]), Number(row[2])], [urlsLost, urlsTakenTwice]);
});

test("issue 16: a folder that cannot be used is one sentence and exit code 2", async (t) => {
  if ((await withoutRights("--version")).code !== 0)
    return t.skip("skipped: a user without rights cannot read the program here");
  const folder = tempFolder(t);
  chmodSync(folder, 0o755);
  const others = join(folder, "others");
  mkdirSync(others, { mode: 0o555 });
  const closed = join(folder, "closed");
  mkdirSync(closed, { mode: 0o000 });
  const crawl = ["crawl", "http://127.0.0.1:9/", "--out"];
  const cases: [args: string[], said: RegExp][] = [
    [[...crawl, others], /others cannot hold a crawl: permission denied; choose another --out/],
    [[...crawl, join(closed, "x")], /closed\/x cannot hold a crawl: permission denied/],
    // Node's own way to make folders tries for ever there.
    [[...crawl, "/proc/x"], /no folder can be made at \/proc\/x/],
    [["resume", closed], /cannot use \S+closed: permission denied/],
    [["recover", closed], /cannot use \S+closed: permission denied/],
  ];
  await Promise.all(
    cases.map(async ([args, said]) => {
      const { code, stderr, signal } = await withoutRights(...args);
      assert.deepEqual([code, signal], [2, null], `${args}: ${stderr}`);
      assert.match(stderr, /^orbweaver: [^\n]+\n$/);
      assert.match(stderr, said);
    }),
  );
});
