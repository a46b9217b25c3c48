import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Crawl } from "../../../src/crawl/crawl.ts";
import { OrbweaverError } from "../../../src/errors.ts";
import { CheckedCrawl } from "../../support/checked-crawl.ts";
import { readLines, readLog, tempFolder } from "../../support/orbweaver.ts";
import { PAGES, type SteeredWeb, steeredConfig, steeredWeb } from "./steered-web.ts";

/** Whether a fault has this code. */
export function codeOf(code: string) {
  return (fault: unknown) => fault instanceof OrbweaverError && fault.code === code;
}

/** Settles after so many progress events: the time in which a crawl that ends by itself would have ended. */
export function ticks(crawl: Crawl, count: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    crawl.events.on("progress", () => {
      if (++seen === count) resolve();
    });
  });
}

/** Settles when every request in flight has reached the server, which answers none of them. */
export function allArrived(crawl: Crawl, web: SteeredWeb): Promise<void> {
  return new Promise((resolve) => {
    crawl.events.on("progress", ({ inFlight }) => {
      if (inFlight === web.held) resolve();
    });
  });
}

function controlLog(out: string): { event: string }[] {
  return readLines(join(out, "logs/control.jsonl"));
}

/** A crawl of the hosts that has not begun. */
export async function begin(t: TestContext, more: Record<string, unknown> = {}, robots = "") {
  const web = await steeredWeb(t, robots);
  const out = join(tempFolder(t), "out");
  const crawl = new CheckedCrawl(steeredConfig(web.port, more), out);
  return { web, out, crawl };
}

/** Pausing, blocking and adding seeds, on a frontier with so many threads. */
export function steeringTests(frontier: "sharded" | "shared", threads: number): void {
  const what = `${frontier}, T = ${threads}`;

  test(`a paused crawl asks nothing, outlives --max-wait, and goes on (${what})`, async (t) => {
    const more = { frontier, threads, maxWaitMs: 1000, linksPerThread: 2 };
    const { web, out, crawl } = await begin(t, more);
    web.hold();
    const ended = crawl.run();
    await web.untilHeld(1);
    await crawl.control.pause();
    web.letGo();
    await ticks(crawl, 2);
    const { length } = web.asked;
    assert.ok(crawl.progress().isPaused);
    await ticks(crawl, 7);
    assert.equal(web.asked.length, length, "it asked while it was paused");
    await crawl.control.goOn();
    const { ended: how, pages } = await ended;
    assert.deepEqual([how, pages], ["finished", 2 * (PAGES + 1)]);
    assert.deepEqual(
      controlLog(out).map(({ event }) => event),
      ["pause", "goOn"],
    );
    await assert.rejects(crawl.control.pause(), codeOf("OW_CONTROL_ENDED"));
  });

  test(`a blocked host is asked no more, and its URLs end as host_blocked (${what})`, async (t) => {
    const { web, out, crawl } = await begin(t, { frontier, threads, linksPerThread: 2 });
    web.hold();
    const ended = crawl.run();
    await web.untilHeld(2);
    await crawl.control.pause();
    await crawl.control.blockHost("B.TEST.");
    await allArrived(crawl, web);
    const before = web.pagesOf("b.test").length;
    await crawl.control.goOn();
    web.letGo();
    const { pages, refused } = await ended;
    const log = readLog(out);
    const blocked = log.filter(({ error }) => error === "host_blocked");
    assert.equal(web.pagesOf("b.test").length, before);
    assert.equal(refused, blocked.length);
    assert.equal(pages, PAGES + 1 + before);
    assert.ok(blocked.every(({ url }) => url.startsWith("http://b.test/")));
    assert.deepEqual(crawl.control.state().blockedHosts, ["b.test"]);
  });

  test(`added seeds are visited, widen the scope, and consent to nothing (${what})`, async (t) => {
    const { web, out, crawl } = await begin(t, { frontier, threads, exclude: ["/secret"] });
    web.hold();
    const ended = crawl.run();
    await web.untilHeld(1);
    const { added, known, refused } = await crawl.control.addSeeds([
      "http://c.test/",
      "http://a.test/",
      "http://127.0.0.1:8099/",
      "ftp://c.test/",
      "http://d.test/secret",
    ]);
    assert.deepEqual(
      [added, known, refused.map(({ code }) => code)],
      [2, 1, ["bad_url", "excluded"]],
    );
    web.letGo();
    const { ended: how, pages } = await ended;
    assert.deepEqual([how, pages], ["finished", 3 * (PAGES + 1)]);
    assert.equal(web.pagesOf("c.test").length, PAGES + 1);
    const [line] = readLog(out).filter(({ url }) => url.includes("127.0.0.1"));
    assert.deepEqual([line?.outcome, line?.error], ["refused", "blocked_private_address"]);
  });
}
