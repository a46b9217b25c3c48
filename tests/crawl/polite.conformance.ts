import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../support/orbweaver.ts";
import { politeCrawl } from "./polite-crawl.ts";

test("200 hosts, 50 ms latency, 5 % errors, 20,000 pages: complete, polite, below 200 MiB", async (t) => {
  const out = join(tempFolder(t), "out");
  const { maxRssMiB, seconds, cpuSeconds } = await politeCrawl(out, {}, { delayMs: 100 });
  t.diagnostic(`${seconds} s, ${cpuSeconds} s of CPU, ${maxRssMiB} MiB`);
  assert.ok(maxRssMiB < 200, `${maxRssMiB} MiB`);
});
