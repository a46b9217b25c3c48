import assert from "node:assert/strict";
import { test } from "node:test";
import {
  limitReached,
  rejoinCommand,
  resumeCommand,
} from "../../../src/crawl/ending/limit-reached.ts";

test("issue 16: a limit is named as it is typed, and the next command goes beyond it", () => {
  const limits = { maxPages: 5, maxBytes: 10_000_000, maxTimeMs: 1000 };
  const cases: [pages: number, bytes: number, shown: string, command: string][] = [
    [5, 0, "--max-pages 5", "--max-pages 10"],
    [0, 10_500_000, "--max-size 10MB", "--max-size 20MB"],
    [0, 0, "--max-time 1s", ""],
  ];
  for (const [pages, bytes, shown, more] of cases) {
    const limit = limitReached(limits, { pages, bytes }, 1.5);
    assert.equal(`${limit.option} ${limit.value}`, shown);
    assert.equal(limit.reached, pages + bytes || 1.5);
    assert.equal(resumeCommand("a b", limits, limit), `orbweaver resume 'a b' ${more}`.trim());
  }
  assert.equal(resumeCommand("out", {}, null), "orbweaver resume out");
});

test("a worker of a crawl on an engine goes on under its folder, and no password is shown", () => {
  const config = { engine: "redis://me:secret@127.0.0.1:6379", crawlName: "news" };
  assert.equal(
    rejoinCommand("a b", config),
    "orbweaver worker --engine redis://127.0.0.1:6379 --crawl news --out 'a b'",
  );
});
