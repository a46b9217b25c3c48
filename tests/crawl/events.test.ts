import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CrawlBus } from "../../src/crawl/events.ts";
import { root } from "../support/conformance.ts";

test("docs/events.md lists exactly the declared events", () => {
  const source = readFileSync(join(root, "src/crawl/events.ts"), "utf8");
  const declaration = /interface CrawlEvents \{([^}]*)\}/.exec(source)![1]!;
  const declared = [...declaration.matchAll(/^ {2}(\w+): \[/gm)].map(([, name]) => name);
  const table = readFileSync(join(root, "docs/events.md"), "utf8");
  const documented = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  assert.ok(declared.length > 0);
  assert.deepEqual(documented, declared);
});

test("the first error of a listener is the crawl's, and no listener is called after it", async () => {
  for (const isAsync of [false, true]) {
    const bus = new CrawlBus();
    const faults: unknown[] = [];
    bus.onFault = (error) => faults.push(error);
    const mine = new Error("mine");
    let calls = 0;
    bus.on("diskFree", () => {
      calls++;
      if (isAsync) return Promise.reject(mine) as unknown as undefined;
      throw mine;
    });
    bus.tell("diskFree");
    if (isAsync) bus.tell("diskFree");
    await new Promise(setImmediate);
    bus.tell("diskFree");
    assert.deepEqual([faults, calls], [[mine], isAsync ? 2 : 1]);
  }
});

test("outside a run nothing is emitted", () => {
  const bus = new CrawlBus();
  bus.on("diskFree", () => assert.fail("called"));
  bus.tell("diskFree");
});
