import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { tempFolder } from "../support/orbweaver.ts";
import { runHere } from "./run-bin.ts";

const missing = (shell: string) =>
  spawnSync(shell, ["--version"]).error === undefined ? false : `${shell} is not installed`;

async function scriptFor(t: TestContext, shell: string): Promise<[folder: string, file: string]> {
  const { code, stdout } = await runHere(["completion", shell]);
  assert.equal(code, 0);
  const folder = tempFolder(t);
  const file = join(folder, `orbweaver.${shell}`);
  writeFileSync(file, stdout);
  mkdirSync(join(folder, "crawls"));
  writeFileSync(join(folder, "seeds.txt"), "");
  return [folder, file];
}

/** Lines with the cursor at their end, and what the shell must offer: all of it, or the named ones among others. */
const CASES: readonly (readonly [line: string, all: readonly string[]])[] = [
  ["orbweaver cr", ["crawl"]],
  ["orbweaver re", ["resume", "recover", "report", "replay"]],
  ["orbweaver crawl --max-p", ["--max-pages", "--max-pages-per-site"]],
  ["orbweaver crawl --no-rob", ["--no-robots"]],
  ["orbweaver crawl --scope p", ["page", "prefix"]],
  ["orbweaver crawl --seeds se", ["seeds.txt"]],
  ["orbweaver resume --go", ["--go-on"]],
  // It would refuse that.
  ["orbweaver resume --seed", []],
  ["orbweaver export crawls --to pa", ["parquet"]],
  ["orbweaver completion f", ["fish"]],
];

test("bash completes commands, options, choices and files", {
  skip: missing("bash"),
}, async (t) => {
  const [folder, file] = await scriptFor(t, "bash");
  for (const [line, offered] of CASES) {
    const words = line.split(" ");
    const script = `source ${file}; COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _orbweaver; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], { cwd: folder });
    assert.equal(String(stderr), "", line);
    assert.deepEqual(String(stdout).split("\n").filter(Boolean).sort(), [...offered].sort(), line);
  }
});

test("fish completes commands, options, choices and files", {
  skip: missing("fish"),
}, async (t) => {
  const [folder, file] = await scriptFor(t, "fish");
  for (const [line, offered] of CASES) {
    const script = `source ${file}; complete -C '${line}'`;
    const { stdout, stderr } = spawnSync("fish", ["--no-config", "-c", script], { cwd: folder });
    assert.equal(String(stderr), "", line);
    const words = String(stdout)
      .split("\n")
      .map((row) => row.split("\t")[0]!)
      .filter(Boolean);
    assert.deepEqual(words.sort(), [...offered].sort(), line);
  }
});

test("zsh accepts the script and knows every command", { skip: missing("zsh") }, async (t) => {
  const [folder, file] = await scriptFor(t, "zsh");
  const probe = `autoload -Uz compinit; compinit -u -d ${join(folder, "dump")}; source ${file}
_describe() { print -rl -- \${(P)2%%:*} }
_arguments() { print -rl -- "$@" }
words=(orbweaver cr); CURRENT=2; _orbweaver
for c in ${Object.keys(COMMANDS).join(" ")}; do words=(orbweaver $c --); CURRENT=3; _orbweaver; done`;
  const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", probe], { cwd: folder });
  assert.equal(String(stderr), "");
  const rows = String(stdout).split("\n");
  assert.deepEqual(rows.slice(0, Object.keys(COMMANDS).length), Object.keys(COMMANDS));
  for (const part of [
    "--max-pages[",
    "--no-robots[",
    "--go-on[",
    ":value:(page prefix host domain any)",
  ])
    assert.ok(
      rows.some((row) => row.includes(part)),
      part,
    );
});

test("completion needs one of the shells", async () => {
  for (const words of [[], ["tcsh"], ["bash", "zsh"]]) {
    const { code, stderr } = await runHere(["completion", ...words]);
    assert.equal(code, 2);
    assert.match(stderr, /completion takes one of bash, zsh, fish/);
  }
});
