import assert from "node:assert/strict";
import { test } from "node:test";
import { type CountedTwice, SelfCheck } from "../../../src/crawl/ending/self-check.ts";
import { OUTCOME, OUTCOMES } from "../../../src/frontier/finish.ts";
import type { Totals } from "../../../src/stats/counters.ts";

/** 10 URLs: a seed, 5 pages found, a redirect, a failure, a refusal, one that waits. */
function counted(changes: Partial<CountedTwice> = {}): CountedTwice {
  const journal = new Float64Array(OUTCOMES);
  journal[OUTCOME.page] = 6;
  journal[OUTCOME.redirect] = 1;
  journal[OUTCOME.failed] = 1;
  journal[OUTCOME.refused] = 1;
  const ended = { pages: 6, redirects: 1, failed: 1, refused: 1, sitemaps: 0, unchanged: 0 };
  const totals = { ...ended, known: 10, bytes: 600 } as Totals;
  return {
    totals,
    lists: { crawled: 6, uncrawled: 3, seeds: 1, allCrawled: 7, allFailed: 2, waiting: 1 },
    journal,
    statistics: new Map([
      ["total new URLs", "9"],
      ["crawled", "6"],
      ["not crawled", "3"],
      ["seeds", "1"],
      ["pages", "6"],
    ]),
    hourly: { stored: 6, bytes: 600, added: 10, removed: 9 },
    buffers: { size: 1000, mostPages: 12, left: 0 },
    isBrokenOff: false,
    isDamaged: false,
    losesUrls: false,
    isElsewhere: false,
    ...changes,
  };
}

test("numbers that add up have no problem", () => {
  assert.deepEqual(new SelfCheck(counted()).problems, []);
});

test("one number that differs is told, whichever it is", () => {
  const { totals, lists, hourly, buffers } = counted();
  const wrong: Partial<CountedTwice>[] = [
    { totals: { ...totals, known: 11 } },
    { totals: { ...totals, pages: 5 } },
    { lists: { ...lists, allCrawled: 8 } },
    { lists: { ...lists, waiting: 0 } },
    { journal: new Float64Array(OUTCOMES) },
    { statistics: new Map() },
    { hourly: { ...hourly, stored: 7 } },
    { hourly: { ...hourly, removed: 8 } },
    { buffers: { ...buffers, mostPages: 1001 } },
    { buffers: { ...buffers, left: 1 } },
  ];
  for (const change of wrong)
    assert.ok(new SelfCheck(counted(change)).problems.length > 0, JSON.stringify(change));
});

test("of a damaged folder the journals do not decide, and what is missing is lost", () => {
  const { lists } = counted();
  const damaged = counted({
    isDamaged: true,
    journal: new Float64Array(OUTCOMES),
    lists: { ...lists, waiting: 0, uncrawled: 2 },
    statistics: new Map([...counted().statistics, ["total new URLs", "8"], ["not crawled", "2"]]),
  });
  const check = new SelfCheck(damaged);
  assert.deepEqual(check.problems, []);
  assert.equal(check.lost, 1);
});

test("a worker's folder holds its own visits: all but what is known and waits is judged", () => {
  const { lists, hourly, totals, statistics } = counted();
  const part = counted({
    isElsewhere: true,
    totals: { ...totals, known: 4000 },
    lists: { ...lists, waiting: 0, uncrawled: 2 },
    statistics: new Map([...statistics, ["total new URLs", "8"], ["not crawled", "2"]]),
    hourly: { ...hourly, added: 4000 },
  });
  assert.deepEqual(new SelfCheck(part).problems, []);
  const wrong: Partial<CountedTwice>[] = [
    { totals: { ...part.totals, pages: 5 } },
    { lists: { ...part.lists, allCrawled: 8 } },
    { lists: { ...part.lists, allFailed: 1 } },
    { journal: new Float64Array(OUTCOMES) },
    { statistics },
    { hourly: { ...part.hourly, stored: 7 } },
    { buffers: { size: 1, mostPages: 2, left: 0 } },
  ];
  for (const change of wrong)
    assert.ok(new SelfCheck({ ...part, ...change }).problems.length > 0, JSON.stringify(change));
});
