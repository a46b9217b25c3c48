import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** A URL meets the rooms in this order; each may import only from itself and those before it. */
const LAYERS = [
  "errors",
  "runtime",
  "hash",
  "page-engine",
  "url",
  "sync",
  "config",
  "frontier",
  "fetch",
  "parse",
  "store",
  "stats",
  "crawl",
  "report",
  "text",
  "upload",
  "urlfrontier",
  "cluster",
  "web",
  "verify",
  "lab",
  "index",
  "dashboard",
  "cli",
];
/** Above this a file says why, in a comment with these words. */
const MAX_LINES = 400;
const REASON = /Longer than 400 lines because/;
const MAX_MEDIAN_LINES = 110;
const MAX_FILES_IN_FOLDER = 24;

const src = resolve(dirname(fileURLToPath(import.meta.url)), "../../src");
const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((f) => f.endsWith(".ts"))
  .map((f) => f.split(sep).join("/"));
const textOf = (file: string) => readFileSync(join(src, file), "utf8");

interface Import {
  readonly from: string;
  readonly to: string;
}

const imports: Import[] = files.flatMap((from) =>
  [...textOf(from).matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(([, path]) => {
    const to = relative(src, resolve(src, dirname(from), path!))
      .split(sep)
      .join("/");
    return { from, to };
  }),
);

const roomOf = (file: string) => file.split("/")[0]!.replace(/\.ts$/, "");
/** A subfolder of a room, or a file that stands in the room itself. */
const partOf = (file: string) => file.split("/").slice(0, 2).join("/");

test("every source file belongs to a layer", () => {
  assert.deepEqual(
    files.filter((file) => !LAYERS.includes(roomOf(file))),
    [],
  );
});

test("every import points down the layers", () => {
  const height = (file: string) => LAYERS.indexOf(roomOf(file));
  assert.deepEqual(
    imports.filter(({ from, to }) => height(to) > height(from)),
    [],
  );
});

test("the subfolders of a room import one way", () => {
  const below = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [a, b] = [partOf(from), partOf(to)];
    if (roomOf(from) !== roomOf(to) || a === b) continue;
    below.set(a, (below.get(a) ?? new Set()).add(b));
  }
  // Takes away parts that import nothing any more; what is left imports itself in a circle.
  for (let isShrinking = true; isShrinking; ) {
    isShrinking = false;
    for (const [part, targets] of below) {
      for (const target of targets) if (!below.has(target)) targets.delete(target);
      if (targets.size > 0) continue;
      below.delete(part);
      isShrinking = true;
    }
  }
  const circles = imports.filter(
    ({ from, to }) => below.get(partOf(from))?.has(partOf(to)) && partOf(from) !== partOf(to),
  );
  assert.deepEqual(circles, []);
});

test("no two source files have the same name, so that one can be spoken of", () => {
  const names = files.map((file) => basename(file)).filter((name) => name !== "index.ts");
  assert.deepEqual(
    names.filter((name, i) => names.indexOf(name) !== i),
    [],
  );
});

test("files are about 100 lines long, and one that is much longer says why", () => {
  const lengths = files.map((file) => textOf(file).split("\n").length - 1);
  const long = files.filter((file, i) => lengths[i]! > MAX_LINES && !REASON.test(textOf(file)));
  assert.deepEqual(long, []);
  const median = lengths.sort((a, b) => a - b)[lengths.length >> 1]!;
  assert.ok(median <= MAX_MEDIAN_LINES, `the median is ${median} lines`);
});

test("no folder holds so many files that its parts cannot be seen", () => {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  assert.deepEqual(
    [...counts].filter(([, count]) => count > MAX_FILES_IN_FOLDER),
    [],
  );
});

test("every room tells what comes in, what goes out and what holds", () => {
  const rooms = new Set(files.filter((file) => file.includes("/")).map(roomOf));
  const silent = [...rooms].filter((room) => !existsSync(join(src, room, "README.md")));
  assert.deepEqual(silent, []);
});

test("nothing but frontier, config and the command line knows which frontier runs", () => {
  const mayKnow = ["frontier", "config", "cli"];
  const knowing = files.filter(
    (file) => !mayKnow.includes(roomOf(file)) && /"shared"/.test(textOf(file)),
  );
  assert.deepEqual(knowing, []);
});
