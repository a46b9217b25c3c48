import assert from "node:assert/strict";
import { test } from "node:test";
import { type LookParts, SecondLook } from "../../../src/crawl/ending/second-look.ts";
import { depthRulesOf } from "../../../src/crawl/visit/follower.ts";
import { openScope } from "../../../src/crawl/visit/open-scope.ts";
import { runSteps } from "../../../src/crawl/workers/replace-crawlers.ts";
import type { Discovery } from "../../../src/frontier/frontier.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

const url = (text: string) => text as CrawlUrl;

function lookOf(maxDepth?: number): SecondLook {
  const scope = openScope({ scope: "host", include: [], exclude: ["secret"] }, [
    url("http://a.test/"),
  ]);
  return new SecondLook(scope, depthRulesOf({ maxDepth, maxDepthDynamic: undefined }));
}

const skipped = (text: string, more: object = {}) =>
  JSON.stringify({
    url: text,
    reason: "out_of_scope",
    parent: "http://a.test/",
    depth: 2,
    via: "link",
    ...more,
  });

/** Runs a look; returns what was admitted, and whether it came to its end. */
async function run(look: SecondLook, lines: readonly string[], lives = true) {
  const admitted: Discovery[] = [];
  const parts: LookParts = {
    lines: () => lines,
    threads: 2,
    threadOf: ({ length }) => length % 2,
    admit: (_thread, found) => {
      if (lives) admitted.push(...found);
      return lives;
    },
    rest: () => undefined,
  };
  const isDone = await runSteps(look.run(parts));
  return { isDone, urls: admitted.map((found) => found.url).sort(), admitted };
}

test("a look is due when a seed has led elsewhere since the last one, and not without", async () => {
  const look = lookOf();
  assert.equal(look.next(true), "end");
  look.widen(url("http://b.test/docs"));
  assert.equal(look.next(false), "wait");
  assert.equal(look.next(true), "look");
  const lines = [skipped("http://b.test/1"), skipped("http://b.test/2"), skipped("http://c.test/")];
  const { isDone, urls } = await run(look, lines);
  assert.deepEqual([isDone, urls], [true, ["http://b.test/1", "http://b.test/2"]]);
  assert.equal(look.next(true), "end");
  look.widen(url("http://b.test/docs"));
  assert.equal(look.next(true), "end", "nothing new");
  look.widen(url("http://c.test/"));
  assert.equal(look.next(true), "look");
});

test("a look that lost a thread is not over", async () => {
  const look = lookOf();
  look.widen(url("http://b.test/"));
  assert.equal((await run(look, [skipped("http://b.test/1")], false)).isDone, false);
  assert.equal(look.next(true), "look");
});

test("other reasons stay, a link that is too deep gets its own, and a depth is kept", async () => {
  const look = lookOf(2);
  look.widen(url("http://b.test/"));
  const lines = [
    skipped("http://b.test/secret"),
    skipped("http://b.test/trap", { reason: "trap_path" }),
    skipped("http://b.test/deep", { depth: 3 }),
    skipped("http://b.test/picture", { depth: 3, via: "asset" }),
    skipped("http://b.test/two"),
    // As older versions wrote it: nobody knows whether it is too deep.
    skipped("http://b.test/old", { depth: undefined }),
  ];
  const { admitted, urls } = await run(look, lines);
  assert.deepEqual(urls, ["http://b.test/picture", "http://b.test/two"]);
  assert.deepEqual(
    admitted.find((found) => found.url.endsWith("two")),
    {
      url: "http://b.test/two",
      parent: "http://a.test/",
      depth: 2,
      via: "link",
      seed: false,
      chain: [],
    },
  );
  assert.equal(look.judge(lines[0]!), lines[0]);
  assert.equal(look.judge(lines[1]!), lines[1]);
  assert.match(String(look.judge(lines[2]!)), /"reason":"max_depth"/);
  assert.equal(look.judge("not JSON, out_of_scope"), "not JSON, out_of_scope");
});

test("where a seed's target redirects to belongs to the seed, whoever found that target first", async () => {
  const look = lookOf();
  const line = skipped("http://c.test/", { parent: "http://a.test/moved", via: "redirect" });
  assert.equal(look.judge(line), line);
  look.widen(url("http://a.test/moved"));
  const { admitted } = await run(look, [line]);
  assert.equal(admitted[0]!.seed, true);
});
