import assert from "node:assert/strict";
import { test } from "node:test";
import {
  RobotsBoard,
  reclaimRobots,
  robotsBoardBytes,
} from "../../../src/fetch/robots/robots-board.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

const CLAIM_MS = 1000;
const EXPIRES_MS = 50_000;

function boards(count: number): RobotsBoard[] {
  const memory = new SharedArrayBuffer(robotsBoardBytes());
  return Array.from(
    { length: count },
    (_, thread) =>
      new RobotsBoard({
        ...{ memory, thread, agent: "orbweaver" },
        ...{ seedLow: 1, seedHigh: 2, claimMs: CLAIM_MS },
      }),
  );
}

test("one thread asks, the others wait for it and read the same file", () => {
  const [a, b] = boards(2) as [RobotsBoard, RobotsBoard];
  assert.equal(a.untilTurn("http://x", 100), 0);
  assert.equal(b.find("http://x"), undefined);
  assert.equal(b.untilTurn("http://x", 100), 110);
  assert.equal(b.untilTurn("http://x", 500), 700, "seldom, when the answer takes long");
  const body = Buffer.from("User-agent: *\nDisallow: /no\nCrawl-delay: 3\n");
  a.note("http://x", { kind: "file", body, expiresAtMs: EXPIRES_MS });
  const noted = b.find("http://x");
  assert.ok(noted?.kind === "rules");
  assert.deepEqual(
    [noted.expiresAtMs, noted.rules.crawlDelayMs, noted.rules.verdict("/no").allowed],
    [EXPIRES_MS, 3000, false],
  );
  assert.equal(b.untilTurn("http://x", 600), 600, "it is there: look at once");
  assert.equal(b.untilTurn("http://x", EXPIRES_MS), 0, "a day later it is asked again");
  assert.ok(a.untilTurn("http://x", EXPIRES_MS) > EXPIRES_MS, "by one");
});

test("who is postponed keeps its turn, and loses it when it does not come back", () => {
  const [a, b] = boards(2) as [RobotsBoard, RobotsBoard];
  assert.equal(a.untilTurn("http://x", 100), 0);
  a.goesOn("http://x", 5000);
  b.goesOn("http://x", 9000);
  assert.equal(b.untilTurn("http://x", 200), 5010);
  assert.equal(a.untilTurn("http://x", 5000), 0, "it comes back");
  assert.ok(b.untilTurn("http://x", 5000 + CLAIM_MS - 1) > 5000);
  assert.equal(b.untilTurn("http://x", 5000 + CLAIM_MS), 0, "it did not answer in time");
  assert.ok(a.untilTurn("http://x", 5000 + CLAIM_MS) > 5000 + CLAIM_MS);
});

test("a file that others were led to, no file, and a failure with its tries", () => {
  const [a, b] = boards(2) as [RobotsBoard, RobotsBoard];
  const failure = {
    error: "robots_status_503",
    refused: true,
    retryAtMs: 900,
    final: false,
    tries: 1,
  };
  a.note("http://c", { kind: "none", expiresAtMs: EXPIRES_MS });
  a.note("http://b", { kind: "same", key: "http://c", expiresAtMs: EXPIRES_MS });
  a.note("http://a", { kind: "same", key: "http://b", expiresAtMs: EXPIRES_MS });
  a.note("http://ring", { kind: "same", key: "http://ring", expiresAtMs: EXPIRES_MS });
  a.note("http://ill", { kind: "unreachable", failure });
  assert.equal(b.find("http://a")?.kind, "rules");
  assert.equal(b.find("http://ring"), undefined);
  assert.deepEqual(b.find("http://ill"), { kind: "unreachable", failure });
  assert.equal(b.untilTurn("http://ill", 899), 899);
  assert.equal(b.untilTurn("http://ill", 900), 0);
  assert.ok(a.untilTurn("http://ill", 900) > 900);
});

test("without room for a file every thread asks for itself", () => {
  const [a, b] = boards(2) as [RobotsBoard, RobotsBoard];
  const body = Buffer.alloc(500 * 1024, "#");
  for (let i = 0; i < 70; i++) a.note(`http://${i}`, { kind: "file", body, expiresAtMs: 1e9 });
  assert.equal(b.find("http://0")?.kind, "rules");
  assert.deepEqual([a.untilTurn("http://69", 1), b.untilTurn("http://69", 1)], [0, 0]);
});

test("a file that leads further is followed by whoever comes, and asked for by nobody", () => {
  const [a, b] = boards(2) as [RobotsBoard, RobotsBoard];
  const url = "http://y/robots.txt" as CrawlUrl;
  assert.equal(a.untilTurn("http://x", 100), 0);
  a.note("http://x", { kind: "leads", url, expiresAtMs: EXPIRES_MS });
  assert.deepEqual([b.find("http://x"), b.untilTurn("http://x", 200)], [undefined, 0]);
  assert.equal(a.untilTurn("http://x", 200), 0, "nobody has claimed it");
  assert.deepEqual(b.leadOf("http://x"), { next: url, expiresAtMs: EXPIRES_MS });
  assert.equal(b.untilTurn("http://x", EXPIRES_MS), 0, "a day later it is asked again");
  assert.ok(a.untilTurn("http://x", EXPIRES_MS) > EXPIRES_MS, "by one");
});

test("what a thread gives up, or was asking for when it died, is anybody's", () => {
  const memory = new SharedArrayBuffer(robotsBoardBytes());
  const rules = { memory, agent: "orbweaver", seedLow: 1, seedHigh: 2, claimMs: CLAIM_MS };
  const [a, b] = [0, 1].map((thread) => new RobotsBoard({ ...rules, thread })) as [
    RobotsBoard,
    RobotsBoard,
  ];
  assert.deepEqual([a.untilTurn("http://x", 100), a.untilTurn("http://y", 100)], [0, 0]);
  b.release("http://x");
  assert.ok(b.untilTurn("http://x", 101) > 101, "only who asks gives up");
  a.release("http://x");
  assert.equal(b.untilTurn("http://x", 102), 0);
  reclaimRobots(memory, 0);
  assert.equal(b.untilTurn("http://y", 103), 0);
  assert.ok(a.untilTurn("http://x", 104) > 104, "those of the living stay");
});
