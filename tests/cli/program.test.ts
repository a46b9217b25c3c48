import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { parseArguments } from "../../src/cli/arguments.ts";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { describeFailure } from "../../src/cli/failure.ts";
import { commandHelp, fullHelp, programHelp, shortHelp, wrap } from "../../src/cli/help.ts";
import { usageOf } from "../../src/config/option.ts";
import { settings } from "../../src/config/schema.ts";
import { packageVersion } from "../../src/config/version.ts";
import { DiskFullError } from "../../src/errors.ts";
import { MAIN } from "../support/orbweaver.ts";
import { runBin, runHere } from "./run-bin.ts";

test("the program tells its version and its commands", async () => {
  const [version, short, help, none] = await Promise.all([
    runBin(["--version"]),
    runBin(["-v"]),
    runBin(["--help"]),
    runBin([]),
  ]);
  assert.deepEqual(version, { code: 0, stdout: `${packageVersion()}\n`, stderr: "" });
  assert.deepEqual(short, version);
  assert.deepEqual(help, { code: 0, stdout: programHelp(), stderr: "" });
  for (const name of Object.keys(COMMANDS))
    assert.match(help.stdout, new RegExp(`(^|, | )${name}(,| |$)`, "m"));
  assert.equal(none.code, 2);
  assert.equal(none.stdout, "");
  assert.match(none.stderr, /orbweaver: a command is missing/);
});

test("a command explains itself alike in three forms", async () => {
  const forms = [
    ["help", "crawl"],
    ["crawl", "--help"],
    ["crawl", "--threads", "0", "-h"],
  ];
  const [first, ...others] = await Promise.all(forms.map((argv) => runBin(argv)));
  assert.equal(first!.code, 0);
  for (const other of others) assert.deepEqual(other, first);
});

test("help names every setting of the schema and fits its width", async () => {
  const { command } = await COMMANDS.crawl!.load();
  for (const columns of [40, 80, undefined]) {
    const help = commandHelp(command, columns);
    for (const option of settings.values())
      assert.ok(help.includes(`  ${usageOf(option)}\n`), option.flag);
    const width = columns ?? 100;
    for (const line of help.split("\n")) {
      // Usage and examples are to be copied, so they are never broken.
      const prose = line.startsWith("      ") || /^[A-Z]/.test(line);
      if (prose && !line.startsWith("Usage") && line.trim().includes(" "))
        assert.ok(line.length <= Math.max(width, 57), line);
    }
  }
});

test("the short help fits a screen of 24 lines and 80 columns, with no sentence cut off", async () => {
  const fits = (text: string, name: string) => {
    const lines = text.trimEnd().split("\n");
    assert.ok(lines.length <= 23, `${name}: ${lines.length} lines`);
    for (const line of lines)
      assert.ok(line.length <= 80 && !line.endsWith("…"), `${name}: ${line}`);
  };
  fits(programHelp(), "orbweaver");
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const { command } = await load();
    fits(shortHelp(command), name);
    const flags = command.options.map(({ flag }) => flag);
    assert.deepEqual(command.often?.filter(([flag]) => !flags.includes(flag)) ?? [], [], name);
  }
});

test("--help lists what a command takes and no more, --help all explains everything", async () => {
  const { stdout } = await runBin(["--help", "all"]);
  assert.equal(stdout, await fullHelp(undefined));
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const { command } = await load();
    const all = await runHere([name, "--help", "all"]);
    assert.ok(stdout.includes(all.stdout), name);
    const taken = command.options.filter(({ group }) => group !== "What a crawl keeps");
    const listed = [...all.stdout.matchAll(/^ {2}((?:--|URL)\S.*)$/gm)].map(([, usage]) => usage!);
    assert.deepEqual(new Set(listed), new Set(taken.map(usageOf)), name);
    const short = await runHere([name, "--help"]);
    for (const [, usage] of short.stdout.matchAll(/^ {2}(--[a-z-]+)/gm))
      assert.ok(
        taken.some((option) => usageOf(option).split(" ")[0] === usage),
        `${name} ${usage}`,
      );
  }
  const resume = await runHere(["resume", "--help", "all"]);
  assert.doesNotMatch(resume.stdout, /--seeds|cannot change/);
});

test("every example of every command parses", async () => {
  for (const [name, entry] of Object.entries(COMMANDS)) {
    const { command } = await entry.load();
    assert.equal(command.name, name);
    for (const [line] of command.examples) {
      const argv = line.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", ""));
      assert.deepEqual(argv.slice(0, 2), ["orbweaver", name]);
      assert.ok(parseArguments(argv.slice(2), command.options), line);
    }
  }
});

test("text is broken between words only", () => {
  assert.equal(wrap("aa bb cccccccccc d", 2, 8), "  aa bb\n  cccccccccc\n  d");
});

test("--version and --help load neither the schema nor the engine", async () => {
  const { stderr } = await runBin(["--help"], "", { NODE_DEBUG: "esm,module" });
  assert.doesNotMatch(stderr, /node_modules[\\/](yaml|tldts)|cli[\\/]commands/);
  const control = await runBin(["crawl", "--help"], "", { NODE_DEBUG: "esm,module" });
  assert.match(control.stderr, /cli[\\/]commands[\\/]crawl/, "the probe sees what is loaded");
  assert.doesNotMatch(control.stderr, /node_modules[\\/]yaml|run-crawl/);
});

test("a reader that goes away is not an error", async () => {
  const child = spawn(process.execPath, [MAIN, "crawl", "--help"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  const errors: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const [code] = await once(child, "close");
  assert.equal(Buffer.concat(errors).toString(), "");
  assert.equal(code, 0);
});

test("what nobody foresaw is one line, with its stack only on demand", () => {
  const fault = new TypeError("x is \u001b[31mnot a function");
  const plain = describeFailure(fault, false);
  assert.equal(plain.exitCode, 1);
  assert.equal(
    plain.text,
    "orbweaver: unexpected fault: x is \\u{1b}[31mnot a function; please report it (--debug shows where)\n",
  );
  assert.match(describeFailure(fault, true).text, /please report it\n.*\n\s+at /);
  assert.equal(
    describeFailure("thrown text", true).text,
    "orbweaver: unexpected fault: thrown text; please report it\n",
  );
  assert.deepEqual(describeFailure(new DiskFullError("no space"), false), {
    text: "orbweaver: no space\n",
    exitCode: 4,
  });
});
