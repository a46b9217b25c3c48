import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "./support/conformance.ts";

const run = promisify(execFile);
const folder = join(root, "examples");
const EXPECTED: Record<string, RegExp> = {
  "01-first-crawl.js": /^(\d+) pages of \1, results in /,
  "02-watch-and-stop.js": /that is enough\ninterrupted with \d+ pages\n$/,
  "04-bulk-queue.js":
    /^binary heap: best (\d+), worst taken (\d+), .*\nQuickheap: best \1, worst taken \2, .*\nbuckets: best \1, worst taken \2, .*\n$/,
  "05-predict-batch.js":
    /^pagerank: tolerance 50 makes R = \d+, error .*\npagerank: .*\nopic: tolerance 50 makes R = \d+, error .*\nopic: .*\n$/,
  "06-page-handler.js": /^20 pages with [1-9]\d* headings\n$/,
  "03-read-the-archive.js": /^warcinfo .*\nresponse .* http:\/\/127\.0\.0\.1:\d+\/.*\n/,
};

for (const name of readdirSync(folder)) {
  test(`examples/${name} is short and does what it says`, async () => {
    assert.ok(readFileSync(join(folder, name), "utf8").split("\n").length <= 40);
    const { stdout } = await run(process.execPath, [join(folder, name)], { cwd: root });
    assert.match(stdout, EXPECTED[name]!);
  });
}
