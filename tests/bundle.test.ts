import assert from "node:assert/strict";
import { accessSync, constants, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROFILES } from "../src/web/profile.ts";
import { startWeb } from "../src/web/server.ts";
import { runBin } from "./cli/run-bin.ts";
import { MAIN, tempFolder } from "./support/orbweaver.ts";

/** Only `npm run build` makes bundles; with `npx tsc` alone there are none. */
const isBundled = readFileSync(MAIN, "utf8").includes("\n// build/src/");
const wantsBundles = isBundled || process.env.npm_lifecycle_event === "test";

test("a crawl loads few files, and the schema library is none of them", {
  skip: wantsBundles ? false : "built by tsc alone: every module is a file",
}, async (t) => {
  const web = await startWeb({ profile: { ...PROFILES.small, pages: 3 } });
  t.after(() => web.close());
  const out = join(tempFolder(t), "out");
  const args = ["crawl", ...web.start, "--out", out, "--delay", "0", "--threads", "1", "--json"];
  const { stdout, stderr } = await runBin(args, "", { NODE_DEBUG: "esm" });
  assert.equal(JSON.parse(stdout).pages, 3);
  const loaded = [...stderr.matchAll(/Storing file:\S*\/(\S+) \(implicit type\)/g)];
  assert.deepEqual(
    loaded.map(([, name]) => name).sort(),
    [
      ...["crawl-command.js", "crawl-commands.js", "crawl-worker.js"],
      ...["errors.js", "errors.js", "main.js"],
    ],
    stderr.slice(0, 2000),
  );
});

/** Code that a crawl pays for at every start, in a thread that has no use for it. */
const NOT_IN = [
  [
    "crawl/crawler/crawl-worker",
    "build/src/config/schema.js",
    "the schema: a thread gets a checked configuration",
  ],
  ["crawl/builder/build-worker", "build/src/config/schema.js", "the same"],
  ["cli/commands/crawl-commands", "build/src/parse/tree/", "a parser: pages are read in threads"],
] as const;

test("a thread does not load what it has no use for", {
  skip: wantsBundles ? false : "built by tsc alone: there are no scripts",
}, () => {
  for (const [script, part, what] of NOT_IN) {
    const text = readFileSync(join(MAIN, "..", "..", `${script}.script.js`), "utf8");
    assert.ok(text.includes("\n// build/src/"), `${script} names its parts`);
    assert.ok(!text.includes(`// ${part}`), `${script} holds ${what}`);
  }
});

test("the command can be run as a program, also after a second build", {
  skip: wantsBundles ? false : "built by tsc alone: nobody made it executable",
}, () => {
  assert.doesNotThrow(() => accessSync(MAIN, constants.X_OK));
});
