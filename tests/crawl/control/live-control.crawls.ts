import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { OrbweaverError } from "../../../src/errors.ts";
import { readLog } from "../../support/orbweaver.ts";
import { keptTest } from "./kept-by-resume.ts";
import { PAGES } from "./steered-web.ts";
import { allArrived, begin, codeOf, steeringTests, ticks } from "./steering-tests.ts";

for (const threads of [1, 2, 4]) steeringTests("sharded", threads);
steeringTests("shared", 2);
for (const threads of [1, 4]) keptTest(threads);

test("a seed that comes when nothing is left is visited or refused with a code", async (t) => {
  const { web, out, crawl } = await begin(t, { threads: 1 });
  const answers: Promise<unknown>[] = [];
  // As late as it can be: while the supervisor closes the crawl, or just before.
  crawl.events.on("progress", () => {
    answers.push(
      crawl.control.addSeeds(["http://d.test/"]).then(
        () => "added",
        (fault: OrbweaverError) => fault.code,
      ),
    );
  });
  await crawl.run();
  const said = await Promise.all(answers);
  const wasAsked = web.pagesOf("d.test").length > 0;
  assert.ok(said.every((each) => each === "added" || each === "OW_CONTROL_ENDED"));
  assert.equal(wasAsked, said.includes("added"));
  assert.equal(readLog(out).filter(({ url }) => url === "http://d.test/").length, wasAsked ? 1 : 0);
});

test("a delay that is set holds, unless the site asks for a longer one", async (t) => {
  const robots = "User-agent: *\nCrawl-delay: 0.2\n";
  const more = { delayMs: 1, robots: true, threads: 2, maxPages: 9 };
  const { web, crawl } = await begin(t, more, robots);
  crawl.events.once("started", () => {
    void crawl.control.setHost("a.test", { delayMs: 0 });
    void crawl.control.setHost("b.test", { delayMs: 400 });
  });
  await crawl.run();
  for (const [host, leastMs] of [
    ["a.test", 200],
    ["b.test", 400],
  ] as const) {
    const own = web.asked.filter((one) => one.host === host);
    assert.ok(own.length > 3, `${host} was hardly asked`);
    // What began before the change was heard may be closer: robots.txt and the start page.
    const gaps = own.length - 3;
    const tookMs = own.at(-1)!.startMs - own[2]!.startMs;
    // A busy machine may let the server see the first of them late.
    assert.ok(tookMs > (gaps - 0.75) * leastMs, `${host}: ${gaps} requests in ${tookMs} ms`);
  }
});

test("a host gets the connections and the budget that were set", async (t) => {
  const { web, out, crawl } = await begin(t, { perHost: 1, delayMs: 1, threads: 2 });
  web.hold();
  const ended = crawl.run();
  await web.untilHeld(2);
  await crawl.control.setHost("a.test", { connections: 4 });
  // One of b.test, and four at once of a.test, none of which is answered.
  await web.untilHeld(5);
  await crawl.control.setHost("b.test", { budget: 3 });
  web.letGo();
  await ended;
  const pages = readLog(out).filter(
    ({ url, outcome }) => url.includes("b.test") && outcome === "page",
  );
  // Its start page was there before the budget, and is not counted; one more was on its way.
  assert.equal(pages.length, 4);
  const spent = readLog(out).filter(({ error }) => error === "max_pages_per_site");
  assert.equal(spent.length, PAGES + 1 - 4);
  assert.deepEqual(crawl.control.state().hosts, [
    { host: "a.test", delayMs: undefined, connections: 4, budget: undefined },
    { host: "b.test", delayMs: undefined, connections: undefined, budget: 3 },
  ]);
});

test("more links per thread are used at once", async (t) => {
  const { web, crawl } = await begin(t, { threads: 1, linksPerThread: 1, perHost: 16 });
  web.hold();
  const ended = crawl.run();
  await web.untilHeld(1);
  await crawl.control.setLinksPerThread(16);
  // Each of two sites may hold a quarter of the places.
  await web.untilHeld(8);
  assert.equal(crawl.control.state().linksPerThread, 16);
  web.letGo();
  await ended;
});

test("a thread that dies does not undo a change", async (t) => {
  const { web, crawl } = await begin(t, { threads: 2, linksPerThread: 2 });
  web.hold();
  const ended = crawl.run();
  await web.untilHeld(2);
  await crawl.control.blockHost("b.test");
  await crawl.control.pause();
  await allArrived(crawl, web);
  const { added } = await crawl.control.addSeeds(["http://c.test/"]);
  assert.equal(added, 1);
  const replaced = new Promise<void>((resolve) => {
    let deaths = 0;
    crawl.events.on("workerReplaced", () => {
      if (++deaths === 2) resolve();
    });
  });
  const before = web.pagesOf("b.test").length;
  await crawl.killWorker("crawler 0");
  await crawl.killWorker("crawler 1");
  await replaced;
  web.letGo();
  await ticks(crawl, 3);
  assert.equal(web.pagesOf("b.test").length, before);
  assert.equal(web.pagesOf("c.test").length, 0, "it is paused");
  await crawl.control.goOn();
  await ended;
  assert.equal(web.pagesOf("b.test").length, before);
  assert.equal(web.pagesOf("c.test").length, PAGES + 1);
});

test("bad input is refused with a code, and changes nothing", async (t) => {
  const { web, out, crawl } = await begin(t);
  const { control } = crawl;
  await assert.rejects(control.pause(), codeOf("OW_CONTROL_ENDED"));
  web.hold();
  const ended = crawl.run();
  await web.untilHeld(1);
  const bad: (() => Promise<unknown>)[] = [
    () => control.blockHost(""),
    () => control.blockHost("a.test/x"),
    () => control.blockHost("a.test:80"),
    () => control.blockHost("x".repeat(300)),
    () => control.blockHost(7 as unknown as string),
    () => control.setHost("a.test", {}),
    () => control.setHost("a.test", { delayMs: -1 }),
    () => control.setHost("a.test", { delayMs: 0.5 }),
    () => control.setHost("a.test", { connections: 0 }),
    () => control.setHost("a.test", { budget: Number.POSITIVE_INFINITY }),
    () => control.setHost("a.test", { __proto__: null, delay: 1 } as object),
    () => control.setLinksPerThread(0),
    () => control.setLinksPerThread(1e6),
    () => control.addSeeds([]),
    () => control.addSeeds("http://a.test/" as unknown as string[]),
    () => control.addSeeds(Array.from({ length: 1001 }, (_, i) => `http://a.test/${i}`)),
  ];
  for (const call of bad) await assert.rejects(call, codeOf("OW_CONTROL_INPUT"));
  const { added, refused } = await control.addSeeds([
    "http://u:p@",
    `http://a.test/${"x".repeat(9000)}`,
  ]);
  assert.equal(added, 0);
  assert.ok(refused.every(({ url }) => url.length <= 201));
  assert.throws(() => readFileSync(join(out, "logs/control.jsonl")), /ENOENT/);
  await control.stop();
  web.letGo();
  assert.equal((await ended).ended, "interrupted");
});

test("settings of hosts are refused where hosts have no owner", async (t) => {
  const { web, crawl } = await begin(t, { frontier: "shared" });
  web.hold();
  const ended = crawl.run();
  await web.untilHeld(1);
  await assert.rejects(
    crawl.control.setHost("a.test", { delayMs: 5 }),
    codeOf("OW_CONTROL_UNSUPPORTED"),
  );
  web.letGo();
  await ended;
});
