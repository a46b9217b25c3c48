import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";
import { checkLists } from "../support/result-lists.ts";

// One request at a time, each answered late, so that there is time for the signal on any machine.
const FLAGS = [
  ...["--delay", "0", "--json", "--quiet", "--sync-every", "20ms"],
  ...["--threads", "1", "--links-per-thread", "1"],
];

function endedBy(out: string): string | undefined {
  return /^ended by: (.*)$/m.exec(
    readFileSync(join(out, "reports", "statistics.txt"), "utf8"),
  )?.[1];
}

// After a kill and `recover`: results.crawls.ts.
test("found = crawled + uncrawled - 1 = statistics = journal after a limit, after SIGINT, and at the end", async (t) => {
  const web = await startWeb({
    profile: { ...PROFILES.small, pages: 100, errorRate: 0.1 },
    latencyMs: 30,
  });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const limited = ["crawl", ...web.start, "--out", out, ...FLAGS, "--max-pages", "20"];
  assert.equal((await orbweaver(limited)).code, 3);
  const atLimit = checkLists(out);
  assert.ok(atLimit.crawled >= 19 && atLimit.uncrawled > 0);
  assert.equal(endedBy(out), "--max-pages 20");

  const { log } = crawlPaths(out);
  const size = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length : 0);
  const before = size();
  const more = ["resume", out, "--json", "--quiet", "--max-pages", "1000"];
  const stopped = await orbweaver(more, async (kill) => {
    while (size() < before + 5) await sleep(2);
    kill("SIGINT");
  });
  assert.equal(stopped.code, 130, stopped.stderr);
  const atStop = checkLists(out);
  assert.ok(atStop.crawled > atLimit.crawled && atStop.uncrawled > 0);
  assert.equal(endedBy(out), "interrupted");

  const finished = await orbweaver([
    ...["resume", out, "--json", "--quiet", "--links-per-thread", "16"],
  ]);
  assert.equal(finished.code, 0, finished.stderr);
  const atEnd = checkLists(out);
  assert.equal(atEnd.crawled + atEnd.uncrawled + 1, JSON.parse(finished.stdout).urlsKnown);
  assert.equal(endedBy(out), "no URL was left");
});
