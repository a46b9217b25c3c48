import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { orbweaver, readPages, tempFolder } from "../support/orbweaver.ts";
import { html, type Script, scriptedServer } from "./scripted-server.ts";

const THREADS = 4;
const PAGES = 300;
const LATENCY_MS = 100;
const DELAY_MS = 10;
/** What a busy machine may take from the time between two requests as the server sees them. */
const STALL_MS = 500;

/** How many pages each thread fetched: it has a builder of its own, which writes an archive of its own. */
function pagesByThread(out: string): number[] {
  const counts = new Map<string, number>();
  for (const { file } of readPages(out)) counts.set(file, (counts.get(file) ?? 0) + 1);
  return [...counts.values()].sort((a, b) => a - b);
}

test("one big site uses all threads, with some connections and a delay and with no limit at all", async (t) => {
  const links = Array.from({ length: PAGES }, (_, i) => `<a href=/${i}>x</a>`).join("");
  const cases: [args: string[], least: number][] = [
    [["--per-host", "8", "--delay", String(DELAY_MS)], PAGES / THREADS / 3],
    [["--delay", "0", "--links-per-thread", "8"], PAGES / THREADS / 6],
  ];
  for (const [args, least] of cases) {
    const startsMs: number[] = [];
    const page: Script[string] = (question, answer) => {
      startsMs.push(performance.now());
      setTimeout(() => html("")(question, answer), LATENCY_MS);
    };
    const pages = Array.from({ length: PAGES }, (_, i) => [`/${i}`, page] as const);
    const { origin, asked } = await scriptedServer(t, {
      "/": html(links),
      ...Object.fromEntries(pages),
    });
    const out = join(tempFolder(t), "out");
    const threads = ["--threads", String(THREADS), "--builders", String(THREADS)];
    const finished = await orbweaver([
      ...["crawl", `${origin}/`, "--out", out, "--quiet", "--no-robots", "--no-traps"],
      ...[...threads, ...args],
    ]);
    assert.deepEqual([finished.code, finished.stderr], [0, ""]);
    assert.equal(asked.length, PAGES + 1, "each page once");
    const counts = pagesByThread(out);
    assert.equal(counts.length, THREADS, `${counts}`);
    assert.ok(counts[0]! >= least, `${counts}: one thread had less than ${least}`);
    if (!args.includes("--per-host")) continue;
    const tookMs = startsMs.at(-1)! - startsMs[0]!;
    assert.ok(tookMs >= (PAGES - 1) * DELAY_MS - STALL_MS, `${tookMs} ms: starts are not spaced`);
  }
});
