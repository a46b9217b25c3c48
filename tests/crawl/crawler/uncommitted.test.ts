import assert from "node:assert/strict";
import { test } from "node:test";
import { Uncommitted } from "../../../src/crawl/crawler/uncommitted.ts";
import { type Account, HURRY_LEVELS } from "../../../src/crawl/shared-memory.ts";
import type { Doorbell } from "../../../src/sync/doorbell.ts";

type FrontierName = "sharded" | "engine";

/** What one thread has asked its builder for, after each of so many visits. */
function asked(frontier: FrontierName, visits: number, maxUncommitted = 1000): number[] {
  const account = {
    hurried: HURRY_LEVELS.none as number,
    hurry(level: number) {
      this.hurried = level;
      return true;
    },
  };
  const bell = { ring: () => {} } as Doorbell;
  const config = { maxUncommitted, threads: 1, frontier };
  const uncommitted = new Uncommitted(config, account as unknown as Account, bell);
  return Array.from({ length: visits }, () => {
    // The builder has begun a commit, which takes longer than a round.
    account.hurried = HURRY_LEVELS.none;
    uncommitted.add(100);
    uncommitted.hurry(false, false, 0);
    return account.hurried;
  });
}

const nowAt = (levels: readonly number[]) =>
  levels.flatMap((level, i) => (level === HURRY_LEVELS.now ? i + 1 : []));

test("on an engine every eighth visit asks for a commit, however many are under way", () => {
  assert.deepEqual(nowAt(asked("engine", 40)), [8, 16, 24, 32, 40]);
});

test("an embedded crawl asks for a commit when half of the room is used", () => {
  assert.deepEqual(nowAt(asked("sharded", 40)), []);
  assert.deepEqual(nowAt(asked("sharded", 12, 20)), [10, 11, 12]);
});
