import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { root } from "../support/conformance.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-bench-"));
after(() => rmSync(folder, { recursive: true }));

const support = pathToFileURL(join(root, "bench/support/arguments.mjs")).href;
const bench = join(folder, "sample.bench.mjs");
writeFileSync(
  bench,
  `// Measures nothing.
import { readArguments } from ${JSON.stringify(support)};
console.log(JSON.stringify(readArguments({
  result: "sample",
  options: {
    pages: { default: 1e6, smoke: 10, help: "pages" },
    "small-sizes": { default: [1, 2], help: "sizes" },
    order: { default: "bfs", choices: ["bfs", "opic"] },
    quick: { default: false },
  },
})));`,
);

async function run(...args: string[]) {
  const ended = await promisify(execFile)(process.execPath, [bench, ...args]).catch((e) => e);
  return { code: ended.code ?? 0, stdout: String(ended.stdout), stderr: String(ended.stderr) };
}

async function valuesOf(...args: string[]): Promise<Record<string, unknown>> {
  const { save, help, ...values } = JSON.parse((await run(...args)).stdout);
  return values;
}

test("options of a bench have the type of their default, and a smoke run its own values", async () => {
  const defaults = { pages: 1e6, smallSizes: [1, 2], order: "bfs", quick: false, smoke: false };
  assert.deepEqual(await valuesOf(), defaults);
  assert.deepEqual(await valuesOf("--pages", "2e3", "--small-sizes", "3,4e2", "--quick"), {
    ...defaults,
    pages: 2000,
    smallSizes: [3, 400],
    quick: true,
  });
  assert.deepEqual(await valuesOf("--smoke"), { ...defaults, pages: 10, smoke: true });
  assert.equal((await valuesOf("--smoke", "--pages", "7")).pages, 7);
});

test("a wrong option of a bench is exit code 2 and one sentence", async () => {
  for (const [args, sentence] of [
    [["--page", "3"], /Unknown option '--page'/],
    [["--pages", "many"], /--pages takes numbers, not "many"/],
    [["--order", "random"], /--order is bfs, opic, not random/],
    [["--smoke", "--save"], /--smoke saves nothing/],
    [["extra"], /Unexpected argument 'extra'/],
  ] as const) {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, sentence);
    assert.equal(stderr.trim().split("\n").length, 1);
  }
});

test("--help of a bench prints its first comment and its options", async () => {
  const { code, stdout } = await run("--help");
  assert.equal(code, 0);
  assert.match(stdout, /Measures nothing\./);
  assert.match(stdout, /--pages +pages \(1000000\)/);
  assert.match(stdout, /--save +write bench\/results\/sample\.json/);
});
