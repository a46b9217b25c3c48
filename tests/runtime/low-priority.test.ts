import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { getPriority } from "node:os";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

const module = new URL("../../src/runtime/low-priority.js", import.meta.url).href;
const CODE = `
  const { parentPort } = require("node:worker_threads");
  const { readlinkSync } = require("node:fs");
  import(${JSON.stringify(module)}).then(({ runInBackground }) => {
    runInBackground();
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    parentPort.postMessage(require("node:os").getPriority(thread));
  });`;

test("a thread steps back alone: the others of its process keep their priority", {
  skip: existsSync("/proc/thread-self") ? false : "threads have no numbers here",
}, async () => {
  const before = getPriority();
  const worker = new Worker(CODE, { eval: true });
  const priority = await new Promise<number>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  assert.equal(priority, Math.max(before, 10));
  assert.equal(getPriority(), before);
});
