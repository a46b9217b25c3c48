import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { EXPERIMENTS } from "../../src/lab/experiment-list.ts";
import { runHere } from "./run-bin.ts";

const OWN_LOCK = fileURLToPath(new URL("../../../docs/lab/own-lock/mine.mjs", import.meta.url));

test("lab --list prints one experiment a line, its name first", async () => {
  const { code, stdout } = await runHere(["lab", "--list"]);
  assert.equal(code, 0);
  assert.deepEqual(
    stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(" ")[0]),
    EXPERIMENTS.map(({ name }) => name),
  );
});

for (const [argv, sentence] of [
  [["lab"], /name an experiment: all/],
  [["lab", "nothing"], /there is no experiment "nothing"; use all/],
  [["lab", "all", "--quick", "--full"], /exclude each other/],
  [["lab", "all", "--seed", "0"], /--seed cannot be "0"; use a whole number from 1/],
  [["lab", "all", "--seed", "1e99"], /--seed cannot be "1e99"/],
  [["lab", "all", "--repeat", "-1"], /--repeat/],
  [["lab", "all", "--graph", "no/such/file"], /there is no file/],
  [["lab", "locks", "--sync", "no/such.mjs"], /no\/such\.mjs is no module; use the name of a file/],
  [["lab", "locks", "--sync", "monitor"], /monitor is no module/],
  [["lab", "queues", "--sync", OWN_LOCK], /--sync is for locks and collapse/],
] as const) {
  test(`${argv.join(" ")}: exit 2, a sentence and the list`, async () => {
    const { code, stderr, stdout } = await runHere(argv);
    assert.equal(code, 2);
    assert.equal(stdout, "");
    assert.match(stderr, sentence);
    for (const { name } of EXPERIMENTS) assert.match(stderr, new RegExp(`^${name} `, "m"));
  });
}
