import { join } from "node:path";
import { test } from "node:test";
import { tempFolder } from "../support/orbweaver.ts";
import { politeCrawl } from "./polite-crawl.ts";

test("40 hosts with latency and errors: complete, each page once, no host too fast", async (t) => {
  const out = join(tempFolder(t), "out");
  const profile = { hosts: 40, pages: 800, latencyMs: { median: 10, spread: 0.5 } };
  await politeCrawl(out, profile, { delayMs: 40, args: ["--threads", "2"] });
});
