import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { crc32 } from "node:zlib";
import { tempFolder } from "../support/orbweaver.ts";

const MODULE = new URL("../../src/runtime/run-script.js", import.meta.url).href;

/** A bundle like those of the build, whose function says a word. */
function bundleSaying(word: string): string {
  return (
    `(function (require, bundleUrl) { const { sep } = require("node:path"); ` +
    `function say() { return ${JSON.stringify(word)} + sep + (bundleUrl.split("/").at(-1)); }\n` +
    `return { get answer() { return say() + require("./errors.js").mark; } };\n})`
  );
}

/** What the bundle in a folder says in a process of its own, and the names of the caches afterwards. */
function run(folder: string) {
  const file = pathToFileURL(join(folder, "part.script.js")).href;
  const program = `import { runScript } from ${JSON.stringify(MODULE)};
    console.log(runScript(new URL(${JSON.stringify(file)}), { mark: "!" }).answer);`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", program],
    { encoding: "utf8" },
  );
  assert.equal(status, 0, stderr);
  const caches = readdirSync(folder).filter((name) => name.includes(".cache"));
  return { said: stdout.trim(), caches };
}

function folderWith(t: TestContext, text: string): string {
  const folder = tempFolder(t);
  writeFileSync(join(folder, "part.script.js"), text);
  return folder;
}

const CACHE = `part.${process.version}-${process.arch}.cache`;

test("a bundle runs, and leaves its compiled code beside it for the next start", (t) => {
  const folder = folderWith(t, bundleSaying("one"));
  assert.deepEqual(run(folder), { said: "one/part.script.js!", caches: [CACHE] });
  const written = readFileSync(join(folder, CACHE));
  assert.deepEqual(run(folder).said, "one/part.script.js!");
  assert.deepEqual(readFileSync(join(folder, CACHE)), written, "what fits is not written again");
});

test("code is kept with the flags it was loaded with, whatever was set since", (t) => {
  const text = (flag: string) => `(function (require) {
    const v8 = require("node:v8");
    const before = v8.cachedDataVersionTag();
    v8.setFlagsFromString(${JSON.stringify(flag)});
    return { get answer() { return before === v8.cachedDataVersionTag() ? "same" : "other"; } };\n})`;
  const isKnown = process.versions.v8.startsWith("11.");
  const raised = folderWith(t, text("--interrupt-budget=500000"));
  assert.deepEqual(run(raised), { said: "other", caches: isKnown ? [CACHE] : [] });
  if (isKnown) assert.equal(tagOf(join(raised, CACHE)), tagOf(plainCache(t)));
  const unknown = folderWith(t, text("--expose-gc"));
  assert.deepEqual(run(unknown), { said: "other", caches: [] });
});

/** The number of the flags in a cache, behind our own eight bytes, V8's magic number, version and source hash. */
function tagOf(cache: string): number {
  return readFileSync(cache).readUInt32LE(8 + 12);
}

function plainCache(t: TestContext): string {
  const folder = folderWith(t, bundleSaying("one"));
  run(folder);
  return join(folder, CACHE);
}

test("a bundle imports at run time, also when its code comes from the cache", (t) => {
  const folder = folderWith(
    t,
    `(function (require, bundleUrl, importModule) {
      const part = async () => (await importModule("./part.mjs")).word + typeof (await importModule("node:fs")).statSync;
      return { get answer() { part().then((word) => console.log(word)); return "first"; } };\n})`,
  );
  writeFileSync(join(folder, "part.mjs"), 'export const word = "imported ";');
  assert.equal(run(folder).said, "first\nimported function");
  assert.equal(run(folder).said, "first\nimported function");
});

test("compiled code of another text of the same length is not used, and is replaced", (t) => {
  const folder = folderWith(t, bundleSaying("one"));
  run(folder);
  writeFileSync(join(folder, "part.script.js"), bundleSaying("two"));
  assert.equal(run(folder).said, "two/part.script.js!");
  // The check sum decides: with the right one in front the old code runs, so the cache really is used.
  writeFileSync(join(folder, "part.script.js"), bundleSaying("six"));
  const cache = readFileSync(join(folder, CACHE));
  cache.writeUInt32LE(crc32(bundleSaying("six")));
  writeFileSync(join(folder, CACHE), cache);
  assert.equal(run(folder).said, "two/part.script.js!");
});

test("a cache that is cut, empty or of another V8 does no harm", (t) => {
  const text = bundleSaying("one");
  const folder = folderWith(t, text);
  run(folder);
  const whole = readFileSync(join(folder, CACHE));
  const flipped = Buffer.from(whole);
  flipped[whole.length >> 1]! ^= 1;
  const otherVersion = Buffer.from(whole);
  otherVersion.fill(0x5a, 12, 16); // behind the magic number, which V8 keeps its version in
  otherVersion.writeUInt32LE(crc32(otherVersion.subarray(8)), 4);
  const cut = [Buffer.alloc(0), whole.subarray(0, 3), whole.subarray(0, 8), whole.subarray(0, 99)];
  for (const bytes of [...cut, flipped, otherVersion]) {
    writeFileSync(join(folder, CACHE), bytes);
    assert.equal(run(folder).said, "one/part.script.js!");
  }
});

test("where no cache can be written the bundle runs all the same", (t) => {
  const folder = folderWith(t, bundleSaying("one"));
  // A folder in its place: it can be neither read as a cache nor replaced by one.
  mkdirSync(join(folder, CACHE, "occupied"), { recursive: true });
  assert.deepEqual(run(folder).said, "one/part.script.js!");
});
