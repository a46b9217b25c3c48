import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createCrawlFolder } from "../../src/store/folder/create-folder.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWeb } from "../../src/web/server.ts";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";

test("resume refuses with a sentence that tells what to do", async (t) => {
  const folder = tempFolder(t);
  const [shared, torn] = ["shared", "torn"].map((name) => join(folder, name));
  createCrawlFolder(shared!, 0, { frontier: "shared" });
  createCrawlFolder(torn!);
  writeFileSync(join(torn!, "state/crawl.json"), "{");
  const cases: [string[], number, RegExp][] = [
    [[shared!], 2, /shared frontier, which is not durable and cannot be resumed/],
    [[folder], 2, /holds no crawl/],
    [[], 2, /takes one folder/],
    [[torn!], 5, /crawl\.json:0: not the state of a crawl/],
  ];
  for (const [args, expected, message] of cases) {
    const { code, stderr } = await orbweaver(["resume", ...args]);
    assert.equal(code, expected);
    assert.match(stderr, message);
  }
});

test("a crawl that a limit stopped goes on where it was, with any number of threads", async (t) => {
  const web = await startWeb({ profile: { ...PROFILES.small, pages: 300, hosts: 5 } });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const start = ["crawl", ...web.start, "--delay", "0", "--out", out, "--json", "--quiet"];
  const first = await orbweaver([...start, "--max-pages", "40", "--threads", "2"]);
  assert.equal(first.code, 3);
  const pages = [JSON.parse(first.stdout).pages];
  const steps: [string[], number][] = [
    [["--max-pages", "90", "--threads", "3"], 3],
    [["--max-pages", "1000", "--threads", "1"], 0],
    [["--max-pages", "1000"], 0],
  ];
  for (const [options, expected] of steps) {
    const next = await orbweaver(["resume", out, "--json", "--quiet", ...options]);
    assert.equal(next.code, expected, next.stderr);
    pages.push(JSON.parse(next.stdout).pages);
  }
  const { reachable } = web.truth();
  assert.deepEqual(pages, [40, 90, reachable, reachable]);
  assert.equal(web.report().repeated, 0, "nothing is fetched twice");
  const refused = await orbweaver(["resume", out, "--frontier", "shared"]);
  assert.equal(refused.code, 2);
  assert.match(
    refused.stderr,
    /--frontier cannot change when a crawl is resumed: it is sharded and cannot become shared, because/,
  );
});

test("a damaged journal is refused with its place and exit code 5; after recover the crawl goes on without it", async (t) => {
  const web = await startWeb({ profile: { ...PROFILES.small, pages: 60, hosts: 2 } });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const start = ["crawl", ...web.start, "--delay", "0", "--out", out, "--max-pages", "20"];
  const { code } = await orbweaver([...start, "--quiet"]);
  assert.equal(code, 3);
  const folder = join(out, "state/journals");
  // Not one that is empty for what comes next.
  const name = readdirSync(folder).find((each) => statSync(join(folder, each)).size > 100)!;
  const journal = join(folder, name);
  const bytes = readFileSync(journal);
  bytes[100]! ^= 4;
  writeFileSync(journal, bytes);
  const refused = await orbweaver(["resume", out, "--quiet"]);
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /shard-\d\d\.000001\.journal:\d+: .*orbweaver recover/s);
  const recovered = await orbweaver(["recover", out]);
  assert.equal(recovered.code, 5);
  assert.match(recovered.stdout, /damaged: .*journal:\d+: .*can be resumed/s);
  assert.deepEqual(readFileSync(join(out, "state/damaged", name)), bytes);
  const resumed = await orbweaver(["resume", out, "--quiet", "--json", "--max-pages", "1000"]);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.ok(JSON.parse(resumed.stdout).pages > 20);
  assert.equal((await orbweaver(["recover", out])).code, 0);
});
