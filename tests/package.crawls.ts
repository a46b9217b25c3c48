import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { COMMANDS } from "../src/cli/command-table.ts";
import { html, scriptedServer } from "./crawl/scripted-server.ts";
import { root } from "./support/conformance.ts";
import { collect, tempFolder } from "./support/orbweaver.ts";
import { pack, packedProject } from "./support/packed-project.ts";

const run = promisify(execFile);

/** Code blocks of the README's section about the library. */
function readmeBlocks(): string[] {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const section = readme.slice(readme.indexOf("## As a library"));
  const text = section.slice(0, section.indexOf("\n## ", 4));
  return [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code!);
}

test("in a fresh project the README's examples have types and run at the first try", async (t) => {
  const { origin } = await scriptedServer(t, {
    "/": html("<a href=/a>a</a><a href=/b?x=1>b</a>"),
    "/a": html("<a href=/enough>c</a>"),
    "/b?x=1": html(""),
    "/enough": html(""),
  });
  const folder = await packedProject(t, ["@types/node"]);
  const local = (code: string) =>
    code
      .replaceAll("https://example.org/", `${origin}/`)
      .replaceAll(/contact: "[^"]*"/g, '$&, delayMs: 0, allowPrivate: ["127.0.0.0/8"]');
  const [first, handler, withHandler, stream, ...more] = readmeBlocks().map(local);
  assert.deepEqual(more, []);
  const files = { "first.ts": first, "with-handler.ts": withHandler, "stream.ts": stream };
  for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code!);
  writeFileSync(join(folder, "handler.mjs"), handler!);
  const typed = handler!.replace("export default", "const handler: PageFunction =");
  writeFileSync(
    join(folder, "handler-types.ts"),
    `import type { PageFunction } from "orbweaver";\n${typed}\nexport { handler };\n`,
  );
  writeFileSync(
    join(folder, "exports.ts"),
    `import { createRouter } from "orbweaver/handler";
import { RobotsRules } from "orbweaver/robots";
import { canonicalize } from "orbweaver/url";
import { readWarc, WarcFile } from "orbweaver/warc";
import { startWeb } from "orbweaver/web";
import * as lab from "orbweaver/lab";
console.log([createRouter, RobotsRules, canonicalize, readWarc, WarcFile, startWeb].every((each) => typeof each === "function"), Object.keys(lab).length > 0);
`,
  );
  const options = {
    target: "es2023",
    module: "nodenext",
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    types: ["node"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options }));
  const tsc = join(root, "node_modules/.bin/tsc");
  const checked = await run(tsc, ["-p", folder], { cwd: folder }).catch((error) => error);
  assert.equal(checked.stdout, "");
  await run(tsc, ["-p", folder, "--noEmit", "false", "--outDir", "js"], { cwd: folder });
  const runs = async (name: string) =>
    (await run(process.execPath, [join("js", name)], { cwd: folder })).stdout;
  assert.match(await runs("first.js"), /^4 pages in crawls\/example\n$/);
  await runs("with-handler.js");
  const rows = readFileSync(join(folder, "crawls/titles/data/data.jsonl"), "utf8")
    .trim()
    .split("\n");
  assert.equal(rows.length, 3);
  assert.match(await runs("stream.js"), new RegExp(`^200 ${origin}/ t\n`));
  assert.equal(await runs("exports.js"), "true true\n");
  const bin = join(folder, "node_modules/orbweaver/build/package/cli/main.js");
  const { stdout } = await run(process.execPath, [bin, "--version"], { cwd: folder });
  assert.match(stdout, /\d+\.\d+\.\d+/);
  assert.ok(readdirSync(join(folder, "crawls")).includes("example"));
});

test("the package is small: what runs and its types, and nothing that runs when it is installed", async (t) => {
  const { size, entryCount, files } = await pack(tempFolder(t));
  assert.ok(size <= 1_520_000, `${size} bytes`);
  assert.ok(entryCount <= 900, `${entryCount} files`);
  const KINDS =
    /^(build\/package\/.*(\.d\.ts|\.js|\.wasm|\.proto)|build\/package\/dashboard\/public\/.*|models\/.*|package\.json|README\.md|LICENSE)$/;
  assert.deepEqual(
    files.map(({ path }) => path).filter((path) => !KINDS.test(path)),
    [],
  );
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // npm warns of these when somebody installs the package; `prepare` only where it does not come from a registry.
  for (const name of ["preinstall", "install", "postinstall", "prepare"])
    assert.equal(manifest.scripts[name], undefined, name);
  for (const name of ["keywords", "license"]) assert.ok(manifest[name], name);
  assert.equal(manifest.publishConfig.provenance, true);
});

test("every file that the code names by its address is in the package, and so is what each export names", () => {
  const src = join(root, "src");
  const published = join(root, "build", "package");
  const named = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => {
      const text = readFileSync(join(src, path), "utf8");
      // The ending of a thread's file is sometimes put together.
      const addresses = text.matchAll(
        /new URL\(\s*["`](\.[^"`$]*[^"`$/])(?:\$\{[^}]*\})?["`],\s*import\.meta\.url/g,
      );
      return [...addresses].map(([, name]) =>
        join(dirname(path), /\.\w+$/.test(name!) ? name! : `${name}.js`),
      );
    })
    .filter((path) => !path.startsWith(".."));
  assert.ok(named.length > 15, String(named.length));
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const exported = Object.values(exports as Record<string, string | Record<string, string>>)
    .flatMap((one) => (typeof one === "string" ? [] : Object.values(one)))
    .map((path) => path.replace("./build/package/", ""));
  assert.deepEqual(
    [...named, ...exported].filter((path) => !existsSync(join(published, path.replace(/\/$/, "")))),
    [],
  );
});

/** What is run of each command, in this order, and what it says; the web is at ORIGIN. */
const USES: readonly (readonly [line: string, says: RegExp, code?: number])[] = [
  ["demo --out crawls/demo", /0 of them more than once/],
  ["crawl ORIGIN/ --delay 0 --max-pages 2 --out crawls/c --json --debug --report", /"pages":2/, 3],
  ["crawl ORIGIN/ --delay 0 --frontier shared --sync monitor --out crawls/s --json", /"pages":4/],
  [
    "crawl ORIGIN/ --delay 0 --frontier shared --schedule rounds --out crawls/r --json",
    /"pages":\s*4/,
  ],
  ["resume crawls/c --max-pages 9", /Finished/],
  ["recover crawls/c", /never committed/],
  ["report crawls/c --json", /"pages"/],
  ["links crawls/c ORIGIN/a", /127\.0\.0\.1/],
  ["search crawls/c t", /127\.0\.0\.1/],
  ...["wacz", "tree", "csv", "parquet", "graph", "text", "markdown", "wet"].map(
    (to) => [`export crawls/c --to ${to}`, /exports/] as const,
  ),
  ["check links ORIGIN/", /\/a/],
  ["check url http://h/x", /shard/],
  ["lab predictor --quick --out lab", /Figure 7/],
  ["verify ring --quick", /exhaustive/],
  ["verify --seed 5", /all promises kept/],
  ["replay doorbell-2x1+lost-wake-up:c3a4b2c", /sleeps/],
  ["replay race --times 2", /race/],
  ["worker --engine redis://127.0.0.1:1 --crawl x", /engine/, 2],
  ["cluster status x --engine redis://127.0.0.1:1", /engine/, 2],
  ["upload crawls/c s3://bucket/prefix", /client-s3/, 2],
  ["completion bash", /complete -o filenames -F/],
];

test("every command runs from the tarball", async (t) => {
  const { origin } = await scriptedServer(t, {
    "/": html("<a href=/a>a</a><a href=/b?x=1>b</a>"),
    "/a": html("<a href=/enough>c</a>"),
    "/b?x=1": html(""),
    "/enough": html(""),
  });
  const folder = await packedProject(t);
  const bin = join(folder, "node_modules/orbweaver/build/package/cli/main.js");
  for (const [line, says, code = 0] of USES) {
    const args = line.replaceAll("ORIGIN", origin).split(" ");
    const ended = await run(process.execPath, [bin, ...args], { cwd: folder }).catch(
      (error) => error,
    );
    const said = `${ended.stdout}${ended.stderr}`;
    assert.deepEqual([line, ended.code ?? 0], [line, code], said);
    assert.match(said, says, line);
  }
  // These serve until they are told to stop.
  const serving = { web: ["--port", "0"], dashboard: ["crawls/c"], frontier: ["--grpc", "0"] };
  for (const [name, args] of Object.entries(serving)) {
    const child = spawn(process.execPath, [bin, name, ...args], { cwd: folder });
    const { written, ended } = collect(child);
    t.after(() => child.kill("SIGKILL"));
    await Promise.race([once(child.stdout, "data"), once(child.stderr, "data")]);
    child.kill("SIGINT");
    await ended;
    const said = `${written.stdout}${written.stderr}`;
    assert.match(said, name === "frontier" ? /npm install @grpc/ : /127\.0\.0\.1/, name);
  }
  const used = new Set([...USES.map(([line]) => line.split(" ")[0]!), ...Object.keys(serving)]);
  assert.deepEqual(
    Object.keys(COMMANDS).filter((name) => !used.has(name)),
    [],
  );
});
