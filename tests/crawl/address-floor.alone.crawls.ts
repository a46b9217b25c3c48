import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";
import { html, type Script, scriptedServer } from "./scripted-server.ts";

const DELAY_MS = 1000;
const FLOOR_MS = DELAY_MS / 10;
const HOSTS = 14;
/** What a busy machine may add to or take from the time at which the server sees a request. */
const STALL_MS = 400;

test("hosts at one address that all come late are spaced by a tenth of the delay, as the server sees it", async (t) => {
  const startsMs: number[] = [];
  const page: Script[string] = (question, answer) => {
    startsMs.push(performance.now());
    // Both places in flight are taken while everybody else's reserved start goes by.
    if (startsMs.length <= 2) setTimeout(() => html("")(question, answer), 1500);
    else html("")(question, answer);
  };
  const { origin } = await scriptedServer(t, { "/": page });
  const port = new URL(origin).port;
  const names = Array.from({ length: HOSTS }, (_, i) => `site${i}.test`);
  const finished = await orbweaver([
    ...["crawl", ...names.map((name) => `http://${name}/`), "--out", join(tempFolder(t), "out")],
    ...names.flatMap((name) => ["--resolve", `${name}:127.0.0.1:${port}`]),
    ...["--allow-private", "127.0.0.1", "--delay", String(DELAY_MS), "--no-robots", "--quiet"],
    ...["--threads", "1", "--links-per-thread", "2"],
  ]);
  assert.deepEqual([finished.code, finished.stderr], [0, ""]);
  assert.equal(startsMs.length, HOSTS);
  for (const [i, fromMs] of startsMs.entries()) {
    for (const [j, toMs] of startsMs.entries()) {
      if (j <= i) continue;
      const leastMs = (j - i) * FLOOR_MS - STALL_MS;
      assert.ok(toMs - fromMs >= leastMs, `${j - i} starts within ${toMs - fromMs} ms`);
    }
  }
});
