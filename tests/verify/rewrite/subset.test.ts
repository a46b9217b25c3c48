import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shippedRoot } from "../../../src/verify/rewrite/modules.ts";
import { outsideSubset } from "../../../src/verify/rewrite/subset.ts";

for (const file of readdirSync(join(shippedRoot, "sync"))) {
  if (!file.endsWith(".js")) continue;
  test(`sync/${file} keeps to what the explorer can run`, () => {
    const source = readFileSync(join(shippedRoot, "sync", file), "utf8");
    assert.deepEqual(outsideSubset(source), []);
  });
}

test("each rule of the subset is noticed", () => {
  const cases: [string, string][] = [
    ["async function f() {}", "asynchronous code"],
    ["function* f() { yield 1; }", "a generator"],
    ["const f = (w) => Atomics.load(w, 0);", "a shared access in a callback"],
    ["class A { constructor(w) { Atomics.load(w, 0); } }", "a shared access in a constructor"],
    ["function f(w) { return Atomics.pause(w); }", "Atomics.pause"],
    ["class A { #n = 0; f() { this.#n++; } }", "a field that changes after construction"],
  ];
  for (const [source, rule] of cases) assert.deepEqual(outsideSubset(source), [rule]);
});
