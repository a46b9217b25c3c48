import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FolderTakenError } from "../../../src/errors.ts";
import { createCrawlFolder } from "../../../src/store/folder/create-folder.ts";
import { lockFolder } from "../../../src/store/folder/folder-lock.ts";
import { root } from "../../support/conformance.ts";
import { tempFolder } from "../../support/orbweaver.ts";

const MODULE = join(root, "build/src/store/folder/folder-lock.js");

test("a folder belongs to one crawl at a time, also within one process", (t) => {
  const dir = join(tempFolder(t), "out");
  createCrawlFolder(dir);
  const unlock = lockFolder(dir);
  assert.throws(() => lockFolder(dir), FolderTakenError);
  unlock();
  lockFolder(dir)();
  assert.deepEqual(readdirSync(join(dir, "state")).sort(), [
    "crawl-copy.json",
    "crawl.json",
    "journals",
  ]);
});

test("a lock that a killed process left is stale, also when its number is in use again", (t) => {
  const dir = join(tempFolder(t), "out");
  createCrawlFolder(dir);
  const lock = join(dir, "state/lock");
  const script = `import(${JSON.stringify(MODULE)}).then((m) => { m.lockFolder(${JSON.stringify(dir)}); process.kill(process.pid, "SIGKILL"); })`;
  spawnSync(process.execPath, ["--input-type=module", "-e", script]);
  assert.ok(existsSync(lock));
  lockFolder(dir)();
  for (const left of [`${process.pid} 1`, "", "no number at all", "-5 3"]) {
    writeFileSync(lock, left);
    lockFolder(dir)();
  }
  assert.ok(!existsSync(lock));
});

test("of many processes that find a stale lock at once, one gets the folder", async (t) => {
  const dir = join(tempFolder(t), "out");
  createCrawlFolder(dir);
  writeFileSync(join(dir, "state/lock"), "999999999 1");
  const script = `import(${JSON.stringify(MODULE)}).then((m) => { m.lockFolder(${JSON.stringify(dir)}); console.log("mine"); process.stdin.resume(); }, () => {}).catch(() => {})`;
  const children = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["pipe", "pipe", "ignore"],
    }),
  );
  const answers = children.map(
    (child) =>
      new Promise<boolean>((resolve) => {
        child.stdout.once("data", () => resolve(true));
        child.once("exit", () => resolve(false));
      }),
  );
  const winners = (await Promise.all(answers)).filter(Boolean).length;
  const holder = Number(readFileSync(join(dir, "state/lock"), "utf8").split(" ")[0]);
  assert.ok(children.some(({ pid }) => pid === holder));
  for (const child of children) child.stdin.end();
  assert.equal(winners, 1);
});
