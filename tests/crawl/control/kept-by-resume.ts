import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { CheckedCrawl } from "../../support/checked-crawl.ts";
import { readLog, tempFolder } from "../../support/orbweaver.ts";
import { PAGES, steeredConfig, steeredWeb } from "./steered-web.ts";

/** A process makes changes and is killed when the last one is answered: the next run knows all of them. */
export function keptTest(threads: number): void {
  test(`kill -9 after the answer: a resumed crawl keeps every change (T = ${threads})`, async (t) => {
    const web = await steeredWeb(t);
    const out = join(tempFolder(t), "out");
    web.hold();
    const module = new URL("./killed-process.js", import.meta.url);
    const child = fork(module, [String(web.port), out, String(threads)]);
    const exit = once(child, "exit");
    await web.untilHeld(2);
    child.send("now");
    assert.deepEqual(await exit, [null, "SIGKILL"]);
    web.letGo();
    const early = web.pagesOf("c.test").length;

    const crawl = new CheckedCrawl(steeredConfig(web.port, { threads }), out, true);
    const before = web.pagesOf("b.test").length;
    const ended = crawl.run();
    await new Promise<void>((resolve) => {
      let ticks = 0;
      crawl.events.on("progress", () => {
        if (++ticks === 4) resolve();
      });
    });
    assert.equal(web.pagesOf("c.test").length, early, "it is still paused");
    assert.deepEqual(crawl.control.state(), {
      isPaused: true,
      linksPerThread: 3,
      blockedHosts: ["b.test"],
      hosts: [{ host: "a.test", delayMs: 20, connections: undefined, budget: 1000 }],
      seeds: 1,
    });
    await crawl.control.goOn();
    const { ended: how } = await ended;
    assert.equal(how, "finished");
    assert.equal(web.pagesOf("b.test").length, before, "b.test was asked after it was blocked");
    assert.equal(new Set(web.pagesOf("c.test")).size, PAGES + 1);
    const blocked = readLog(out).filter(({ error }) => error === "host_blocked");
    assert.ok(blocked.length > 0);
  });
}
