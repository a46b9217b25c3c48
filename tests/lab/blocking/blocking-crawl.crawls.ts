import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { CORRECT_TECHNIQUES } from "../../../src/frontier/shared/techniques/record-queue.ts";
import { runBlocking } from "../../../src/lab/blocking/blocking-crawl.ts";
import type { BlockingPlan } from "../../../src/lab/blocking/blocking-plan.ts";
import { Laboratory } from "../../../src/lab/blocking/laboratory.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { type RunningWeb, startWeb } from "../../../src/web/server.ts";

/** A listing: a page that links to `leaves` others and to the next listing. */
function listings(count: number, leaves: number): string {
  const pages = count * (leaves + 1);
  const lines = [String(pages)];
  for (let page = 0; page < pages; page++) {
    const isListing = page % (leaves + 1) === 0;
    const targets = isListing ? Array.from({ length: leaves + 1 }, (_, i) => page + 1 + i) : [];
    lines.push(targets.filter((target) => target < pages).join(" "));
  }
  return `${lines.join("\n")}\n`;
}

const PAGES = 3 * 9;
let folder = "";
let web: RunningWeb;
let lab: Laboratory;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "orbweaver-test-"));
  const graph = join(folder, "listings.txt");
  writeFileSync(graph, listings(3, 8));
  web = await startWeb({ graph });
  lab = await Laboratory.openFor(web.start, 16);
});

after(async () => {
  await lab.close();
  await web.close();
  rmSync(folder, { recursive: true, force: true });
});

const plan: BlockingPlan = {
  sync: "monitor",
  size: 4,
  whenFull: "wait",
  crawlers: 3,
  parser: true,
  visited: "cas",
};
const run = (changes: Partial<BlockingPlan>) =>
  runBlocking(lab, { ...plan, ...changes }, web.start as CrawlUrl[], { maxMs: 60_000 });

test("with a parser that only inserts, every technique crawls the whole web once", async () => {
  for (const sync of CORRECT_TECHNIQUES) {
    const { ended, pages, known, inserts, takes, fetchedTwice, lost, fairness } = await run({
      sync,
    });
    assert.deepEqual(
      { sync, ended, pages, known, inserts, takes, fetchedTwice, lost },
      {
        sync,
        ended: "finished",
        pages: PAGES,
        known: PAGES,
        inserts: PAGES,
        takes: PAGES,
        fetchedTwice: 0,
        lost: 0,
      },
    );
    assert.ok(fairness > 1 / 3 - 0.01 && fairness <= 1);
  }
});

test("crawlers that wait for room which only their like can make stand still, and that is a result", async () => {
  const { ended, pages, waitingToInsert, blockedInsertS } = await run({
    parser: false,
    crawlers: 1,
  });
  assert.equal(ended, "stood-still");
  assert.equal(pages, 0);
  assert.equal(waitingToInsert, 1);
  assert.ok(blockedInsertS > 0);
});

test("a limit that is reached ends the run, also while the last crawler waits for room", async () => {
  const { ended, pages } = await run({ parser: false, crawlers: 1, maxPages: 1 });
  assert.deepEqual([ended, pages], ["pages", 1]);
});

test("crawlers that keep what does not fit end, and so do those that overwrite", async () => {
  const spilling = await run({ parser: false, whenFull: "spill", crawlers: 2 });
  assert.deepEqual([spilling.ended, spilling.pages, spilling.lost], ["finished", PAGES, 0]);
  assert.ok(spilling.spilled > 0);
  const overwriting = await run({ parser: false, whenFull: "overwrite", crawlers: 1 });
  assert.equal(overwriting.ended, "finished");
  // The first listing leaves its 4 last links, the next listing among them, and so on.
  assert.equal(overwriting.overwritten, PAGES - overwriting.pages);
  assert.ok(overwriting.overwritten > 0);
});

test("a limit of pages is met exactly, and the depth is one", async () => {
  const few = await run({ maxPages: 5 });
  assert.deepEqual([few.ended, few.pages], ["pages", 5]);
  const near = await run({ maxDepth: 1 });
  assert.deepEqual([near.ended, near.pages], ["finished", 10]);
});
