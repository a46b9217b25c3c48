import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { readWarc } from "../../src/store/warc/warc-reader.ts";
import { freshFolder } from "./sample-capture.ts";

const child = fileURLToPath(new URL("full-disk-child.js", import.meta.url));
const noLimits =
  spawnSync("prlimit", ["--version"]).status === 0 ? false : "prlimit is not installed here";

// The limit makes the kernel write what fits and then refuse, exactly as a full disk does.
test("a refused capture leaves no trace and is stored when there is room again", {
  skip: noLimits,
}, (t) => {
  for (const [limitBytes, full] of [
    [65_536, "archive"],
    [72_345, "archive"],
    [100_000, "pages"],
  ] as const) {
    const folder = join(freshFolder(t), "crawl");
    const command = 'trap "" XFSZ; exec prlimit --fsize="$1":unlimited "$2" "$3" "$4" "$5"';
    const shell = spawnSync("sh", [
      "-c",
      command,
      "sh",
      String(limitBytes),
      process.execPath,
      child,
      folder,
      full,
    ]);
    assert.equal(shell.status, 0, shell.stderr.toString());
    const { refused, sizeAtRefusal } = JSON.parse(shell.stdout.toString());
    assert.equal(refused, 1);
    const paths = crawlPaths(folder);
    const [file, ...others] = readdirSync(paths.archive);
    assert.deepEqual(others, []);
    const records = [...readWarc(join(paths.archive, file!))];
    assert.deepEqual(
      records.flatMap((r) => r.problems),
      [],
    );
    assert.equal(records.length, 1 + 3 * 40);
    // What was there at the refusal ended at the end of a capture, below the limit.
    assert.ok(sizeAtRefusal <= limitBytes);
    const ends = records.filter((r) => r.type === "metadata").map((r) => r.offset + r.length);
    assert.ok(sizeAtRefusal === 0 || ends.includes(sizeAtRefusal));
    const lines = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");
    assert.equal(lines(paths.index).length, 40);
    assert.equal(lines(paths.pages).length, 41);
  }
});
