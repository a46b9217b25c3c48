import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { judgeOwnLock } from "../../../src/verify/own/watch-own-lock.ts";
import { MAIN, tempFolder } from "../../support/orbweaver.ts";

const FOLDER = join(MAIN, "../../../../docs/lab/own-lock");
const shipped = (name: string) => readFileSync(join(FOLDER, `${name}.mjs`), "utf8");

/** The grade and what was said of a lock with this text. */
async function judged(t: TestContext, text: string, budgetSeconds = 20) {
  const file = join(tempFolder(t), "mine.mjs");
  writeFileSync(file, text);
  const { grade, results, fault } = await judgeOwnLock(file, budgetSeconds, () => {});
  return { grade, fault, said: results.map(({ violation }) => violation ?? "holds").join("\n") };
}

test("own locks: the template passes, and so does every exercise once it is repaired", async (t) => {
  const template = shipped("mine");
  assert.equal((await judged(t, template)).grade, "passes");
  const repairs: Record<string, readonly [find: RegExp, replace: string]> = {
    "exercise-1": [
      /if \(Atomics\.load\(this\.#words, LOCK\) === 0\) \{[^}]*\}/,
      "if (Atomics.compareExchange(this.#words, LOCK, 0, 1) === 0) return;",
    ],
    "exercise-2": [/this\.#unlock\(\);\s*(const seen = .*;)/, "$1\n this.#unlock();"],
    // The second way out: everybody is woken.
    "exercise-3": [
      /Atomics\.notify\(this\.#words, condition, 1\)/,
      "Atomics.notify(this.#words, condition)",
    ],
  };
  for (const [name, [find, replace]] of Object.entries(repairs)) {
    const broken = shipped(name);
    assert.match(broken, find, name);
    assert.equal((await judged(t, broken.replace(find, replace))).grade, "passes", name);
  }
});

test("own locks: every exercise fails for the reason it names, with the names of its words", async (t) => {
  assert.match((await judged(t, shipped("exercise-1"))).said, /data race on payload/);
  assert.match((await judged(t, shipped("exercise-2"))).said, /deadlock: .* sleeps on notEmpty/);
  assert.match((await judged(t, shipped("exercise-3"))).said, /deadlock: .* sleeps on changed/);
});

test("own locks: what throws, hands out foreign slots or never comes back fails, and nothing hangs", async (t) => {
  const template = shipped("mine");
  const changed = (find: string, replace: string) => {
    assert.ok(template.includes(find), find);
    return template.replace(find, replace);
  };
  const thrown = await judged(t, changed("afterTake() {", 'afterTake() { throw new Error("no");'));
  assert.equal(thrown.grade, "fails");
  assert.match(thrown.said, /no/);
  const foreign = await judged(t, changed("HEAD) % this.#size;", "HEAD) % this.#size + 7;"));
  assert.equal(foreign.grade, "fails");
  assert.match(foreign.said, /slot 7 of 1/);
  const endless = await judged(t, changed("afterTake() {", "afterTake() { for (;;) {}"), 1);
  assert.equal(endless.grade, "fails");
  assert.match(endless.fault ?? "", /does not come back/);
});
