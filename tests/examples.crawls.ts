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
  "07-stream-pages.js": /^10 pages with [1-9]\d+ words, interrupted\n$/,
  "08-router.js": /^[2-4] pages, [1-3] of them details\n$/,
  "09-url-and-robots.js":
    /^http:\/\/www\.example\.co\.uk\/b\?x=1 example\.co\.uk uk,co,example\)\/b\?x=1\n\/b forbidden 2000\n\/b\?x=1 allowed 2000\n$/,
  "10-write-a-warc.js": /^warcinfo {2}\d+ 0\nresponse http:\/\/example\.org\/ 50 0\n$/,
  "11-hooks.js": /^10 pages, then 15 in 2 runs\n$/,
  "03-read-the-archive.js":
    /^warcinfo .*\nresource .*\/robots\.txt\nresponse .* http:\/\/127\.0\.0\.1:\d+\/.*\n/,
};

for (const name of readdirSync(folder)) {
  test(`examples/${name} is short and does what it says`, async () => {
    assert.ok(readFileSync(join(folder, name), "utf8").split("\n").length <= 40);
    const { stdout } = await run(process.execPath, [join(folder, name)], { cwd: root });
    assert.match(stdout, EXPECTED[name]!);
  });
}
