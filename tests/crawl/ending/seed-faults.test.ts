import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { MAX_SEED_FAULTS } from "../../../src/crawl/crawl-summary.ts";
import { seedFaults } from "../../../src/crawl/ending/seed-faults.ts";
import { crawlPaths } from "../../../src/store/folder/crawl-folder.ts";
import { tempFolder } from "../../support/orbweaver.ts";

function line(url: string, outcome: string, error?: string, more: object = {}): string {
  return `${JSON.stringify({ url, outcome, depth: 0, via: "seed", error, ...more })}\n`;
}

test("issue 16: a seed's newest fault counts, and only so many are told", (t) => {
  const out = join(tempFolder(t), "out");
  const { log } = crawlPaths(out);
  mkdirSync(dirname(log), { recursive: true });
  const many = Array.from({ length: 100 }, (_, i) => line(`http://h${i}/`, "failed", "reset"));
  writeFileSync(
    log,
    [
      line("http://a/", "unavailable", "host_unavailable"),
      line("http://r/", "redirect"),
      line("http://r/é", "failed", "http_500", { via: "redirect" }),
      line("http://s/sitemap.xml", "failed", "http_404", { via: "robots" }),
      line("http://p/asset", "failed", "http_404", { depth: 1 }),
      ...many,
      line("http://a/", "refused", "robots", { detail: "line 3" }),
      '{"url":"http://torn',
    ].join(""),
  );
  const faults = seedFaults(out);
  assert.equal(faults.length, MAX_SEED_FAULTS);
  assert.deepEqual(faults.slice(0, 3), [
    {
      url: "http://a/",
      outcome: "refused",
      error: "robots",
      reason: "robots.txt forbids it (line 3)",
    },
    {
      url: "http://r/é",
      outcome: "failed",
      error: "http_500",
      reason: "the server answered with status 500",
    },
    {
      url: "http://h0/",
      outcome: "failed",
      error: "reset",
      reason: "the connection was reset or closed before the head of the response was complete",
    },
  ]);
});
