import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { html, scriptedServer } from "./crawl/scripted-server.ts";
import { root } from "./support/conformance.ts";
import { tempFolder } from "./support/orbweaver.ts";

const run = promisify(execFile);

/** Code blocks of the README's section about the library. */
function readmeBlocks(): string[] {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const section = readme.slice(readme.indexOf("## As a library"));
  const text = section.slice(0, section.indexOf("\n## ", 4));
  return [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code!);
}

/** A project that has nothing but the package, as its tarball holds it, and its dependencies. */
async function project(t: TestContext): Promise<string> {
  const folder = tempFolder(t);
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", pack, { cwd: root });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "orbweaver"), { recursive: true });
  const tar = ["-xzf", join(folder, filename), "-C", join(modules, "orbweaver")];
  await run("tar", [...tar, "--strip-components=1"]);
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const name of [...Object.keys(dependencies), "@types/node"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  return folder;
}

test("in a fresh project the README's examples have types and run at the first try", async (t) => {
  const { origin } = await scriptedServer(t, {
    "/": html("<a href=/a>a</a><a href=/b?x=1>b</a>"),
    "/a": html("<a href=/enough>c</a>"),
    "/b?x=1": html(""),
    "/enough": html(""),
  });
  const folder = await project(t);
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
  const bin = join(folder, "node_modules/orbweaver/build/src/cli/main.js");
  const { stdout } = await run(process.execPath, [bin, "--version"], { cwd: folder });
  assert.match(stdout, /\d+\.\d+\.\d+/);
  assert.ok(readdirSync(join(folder, "crawls")).includes("example"));
});
