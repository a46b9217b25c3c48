import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createCrawlFolder } from "../../src/store/crawl-folder.ts";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";

test("resume refuses with a sentence that tells what to do", async (t) => {
  const folder = tempFolder(t);
  const [shared, sharded, torn] = ["shared", "sharded", "torn"].map((name) => join(folder, name));
  createCrawlFolder(shared!, 0, "shared");
  createCrawlFolder(sharded!, 0, "sharded");
  createCrawlFolder(torn!);
  writeFileSync(join(torn!, "state/crawl.json"), "{");
  const cases: [string[], number, RegExp][] = [
    [[shared!], 2, /shared frontier, which is not durable and cannot be resumed/],
    [[sharded!], 2, /cannot be resumed by this version/],
    [[folder], 2, /holds no crawl/],
    [[], 2, /takes one folder/],
    [[torn!], 5, /crawl\.json is not readable at offset 0/],
  ];
  for (const [args, expected, message] of cases) {
    const { code, stderr } = await orbweaver(["resume", ...args]);
    assert.equal(code, expected);
    assert.match(stderr, message);
  }
});
