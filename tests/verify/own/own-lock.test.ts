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

test("own locks: what cannot be judged is refused in a sentence", async (t) => {
  const refused = (text: string, why: RegExp) => assert.rejects(judged(t, text), why);
  const template = shipped("mine");
  await refused("export class Sync {", /cannot load .*Unexpected/);
  await refused("export const other = 1;", /must export a class Sync/);
  await refused(template.replace("beforeTake()", "takes()"), /has no beforeTake\(\)/);
  await refused(template.replace("return 5;", "return NaN;"), /words\(1\) returned NaN/);
  await refused(`import "node:fs";\n${template}`, /must not import anything/);
  await refused(
    template.replace("beforeTake() {", "beforeTake() { [1].forEach(() => this.#lock());"),
    /a shared access in a callback/,
  );
  await refused(template.replace("beforeTake() {", "async beforeTake() {"), /asynchronous code/);
});
