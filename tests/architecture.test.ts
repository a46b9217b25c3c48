import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** A URL meets the folders in this order; each may import only from itself and those before it. */
const LAYERS = [
  "errors",
  "runtime",
  "hash",
  "url",
  "sync",
  "config",
  "frontier",
  "fetch",
  "parse",
  "store",
  "stats",
  "crawl",
  "web",
  "verify",
  "lab",
  "index",
  "dashboard",
  "cli",
];
const MAX_LINES = 300;

const src = resolve(dirname(fileURLToPath(import.meta.url)), "../../src");
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((f) =>
  f.endsWith(".ts"),
);

function layerOf(file: string): number {
  const first = relative(src, file).split(sep)[0]!.replace(/\.ts$/, "");
  return LAYERS.indexOf(first);
}

function upwardImports(): string[] {
  const found: string[] = [];
  for (const name of files) {
    const file = join(src, name);
    for (const match of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
      const target = resolve(dirname(file), match[1]!);
      if (layerOf(target) > layerOf(file)) found.push(`${name} -> ${match[1]}`);
    }
  }
  return found;
}

test("every source file belongs to a layer", () => {
  assert.deepEqual(
    files.filter((f) => layerOf(join(src, f)) < 0),
    [],
  );
});

test("every import points down the layers", () => assert.deepEqual(upwardImports(), []));

test(`no source file is longer than ${MAX_LINES} lines`, () => {
  const long = files.filter(
    (f) => readFileSync(join(src, f), "utf8").split("\n").length > MAX_LINES + 1,
  );
  assert.deepEqual(long, []);
});

test("every folder tells what comes in, what goes out and what holds", () => {
  const folders = new Set(files.filter((f) => f.includes(sep)).map((f) => f.split(sep)[0]!));
  const silent = [...folders].filter((folder) => !existsSync(join(src, folder, "README.md")));
  assert.deepEqual(silent, []);
});
