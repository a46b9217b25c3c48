// Counts of a small fixed crawl that must not grow: file system calls, copies, allocations, collections, compilations.
//
// One thread crawls a synthetic web of a fixed size, several times; of counts that depend a little on timing the least
// of all runs counts. Compared with bench/results/guard.json: more than 10 % above it is a failure (exit code 1). Counts
// need no quiet machine. --save keeps what was counted as the new measure, after a change that is worth it. Counts of V8
// are only compared for the same major version of Node.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROFILES } from "../../build/src/web/profile.js";
import { startWebProcess } from "../../build/src/web/web-process.js";
import { readArguments } from "../support/arguments.mjs";
import { commandOf, flagsOf, runTimed } from "../support/command-line.mjs";
import { judgeProblems } from "../support/judge-goal.mjs";
import { keepResult, storedResult } from "../support/keep-result.mjs";

const { pages, repeat, save, smoke } = readArguments({
  result: "guard",
  options: {
    pages: { default: 400, smoke: 30, help: "pages of the crawl" },
    repeat: { default: 3, smoke: 1, help: "crawls" },
  },
});
/** How far a count may be above the stored one, and how far below it a new one should be stored. */
const MOST = 1.1;
const BETTER = 0.9;
const OF_V8 = new Set(["allocatedKiB", "collections", "compilations"]);
/** Of small counts a few more or less mean nothing. */
const SLACK = 5;

const folder = mkdtempSync(join(tmpdir(), "orbweaver-guard-"));
const web = await startWebProcess({ profile: { ...PROFILES.small, pages } });

/** Counts of one crawl. */
async function crawl(number) {
  process.env.GUARD_COUNTS = join(folder, `counts-${number}`);
  const counters = fileURLToPath(new URL("./guard-counters.cjs", import.meta.url));
  const out = join(folder, `crawl-${number}`);
  const options = { out, delay: 0, threads: 1, "links-per-thread": 8, quiet: true };
  const traces = ["--trace-gc", "--trace-gc-nvp", "--trace-opt"];
  const { stdout } = await runTimed([
    ...[...traces, "-r", counters, commandOf(), "crawl", ...web.start],
    ...flagsOf(options),
  ]);
  const counts = { ...ofV8(stdout) };
  for (const line of readFileSync(process.env.GUARD_COUNTS, "utf8").trim().split("\n"))
    for (const [name, value] of Object.entries(JSON.parse(line)))
      if (name !== "threadId") counts[name] = (counts[name] ?? 0) + value;
  const summary = JSON.parse(readFileSync(join(out, "reports", "summary.json"), "utf8"));
  if (summary.pages !== pages) throw new Error(`${summary.pages} pages instead of ${pages}`);
  return counts;
}

/** What V8 says of its heaps and its compiler; it writes between the lines of the crawl. */
function ofV8(text) {
  const times = (expression) => text.match(expression)?.length ?? 0;
  const allocated = [...text.matchAll(/\ballocated=(\d+)/g)].map(([, bytes]) => Number(bytes));
  return {
    allocatedKiB: Math.round(allocated.reduce((sum, bytes) => sum + bytes, 0) / 1024),
    collections: allocated.length,
    compilations: times(/completed optimizing/g),
  };
}

const runs = [];
try {
  for (let i = 0; i < repeat; i++) runs.push(await crawl(i));
} finally {
  await web.close();
  rmSync(folder, { recursive: true });
}
const names = Object.keys(runs[0]).sort();
const counts = Object.fromEntries(
  names.map((name) => [name, Math.min(...runs.map((run) => run[name] ?? 0))]),
);
const stored = storedResult("guard");
const isSameCrawl = stored.pages === pages;
const isSameV8 = stored.machine?.node.split(".")[0] === process.version.split(".")[0];
const problems = [];
console.log("count                     now   per page    stored   change    runs");
for (const name of names) {
  const [now, before] = [counts[name], isSameCrawl ? stored.counts?.[name] : undefined];
  const share = before === undefined ? undefined : now / Math.max(1, before);
  const change = share === undefined ? "" : `${(100 * (share - 1)).toFixed(1)} %`;
  console.log(
    name.padEnd(18),
    String(now).padStart(10),
    (now / pages).toFixed(2).padStart(10),
    String(before ?? "").padStart(9),
    change.padStart(8),
    runs.map((run) => run[name]).join(" "),
  );
  if (share === undefined || (OF_V8.has(name) && !isSameV8)) continue;
  if (now > MOST * before + SLACK) problems.push(`${name}: ${now}, more than 10 % above ${before}`);
  else if (share < BETTER) console.log(`  ${name} is better than what is stored: --save keeps it`);
}
if (save) keepResult("guard", { pages, repeat, counts });
judgeProblems(save ? [] : problems, { smoke });
