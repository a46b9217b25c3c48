import assert from "node:assert/strict";
import { test } from "node:test";
import v8, { cachedDataVersionTag } from "node:v8";
import {
  compileAsUsual,
  compileLeast,
  compileLess,
  mayCompileLess,
} from "../../src/runtime/compile-less.ts";

// V8's own number of its version and flags: code that was kept under another one is not used.
const USUAL = cachedDataVersionTag();
const LONG_MS = 1000;

test("flags change only where that is allowed, after the first pages, until the process has worked for long", {
  skip: process.versions.v8.startsWith("11.") ? false : "another V8: nothing is changed",
}, (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const { mock: set } = t.mock.method(v8, "setFlagsFromString");
  const isSet = (flag: string) => set.calls.some(({ arguments: [text] }) => text === flag);
  let cpuSeconds = 0.5;
  t.mock.method(process, "cpuUsage", () => ({
    user: 0.7e6 * cpuSeconds,
    system: 0.3e6 * cpuSeconds,
  }));
  compileLess(2);
  compileLeast();
  t.mock.timers.tick(LONG_MS);
  assert.equal(cachedDataVersionTag(), USUAL, "nobody has allowed it");
  assert.equal(set.callCount(), 0);
  mayCompileLess();
  compileLess(2);
  assert.equal(cachedDataVersionTag(), USUAL, "at once Node still loads modules");
  t.mock.timers.tick(LONG_MS);
  assert.notEqual(cachedDataVersionTag(), USUAL);
  assert.ok(isSet("--no-parallel-scavenge"));
  compileAsUsual();
  assert.equal(cachedDataVersionTag(), USUAL, "a thread that starts now finds its kept code");
  compileLess(2);
  compileAsUsual();
  t.mock.timers.tick(LONG_MS);
  assert.equal(cachedDataVersionTag(), USUAL, "a thread has started meanwhile");
  compileLess(2);
  t.mock.timers.tick(LONG_MS);
  assert.notEqual(cachedDataVersionTag(), USUAL);
  cpuSeconds = 3.5;
  set.resetCalls();
  t.mock.timers.tick(LONG_MS);
  assert.equal(set.callCount(), 0, "two threads have to work twice as long");
  cpuSeconds = 4.5;
  t.mock.timers.tick(LONG_MS);
  assert.ok(isSet("--interrupt-budget=67584"), "optimising pays now");
  compileAsUsual();
  assert.equal(cachedDataVersionTag(), USUAL, "both flags are as V8 has them by itself");
  set.resetCalls();
  compileLess(2);
  t.mock.timers.tick(LONG_MS);
  assert.ok(isSet("--max-inlined-bytecode-size-cumulative=300"), "threads have started");
  assert.ok(!isSet("--interrupt-budget=500000"), "and optimising pays from now on");
  compileLeast();
  t.mock.timers.tick(LONG_MS);
  assert.ok(isSet("--interrupt-budget=1000000"), "what follows is done once");
  compileAsUsual();
  assert.equal(cachedDataVersionTag(), USUAL);
  assert.ok(!isSet("--parallel-scavenge"), "kept code is taken with or without it");
});
