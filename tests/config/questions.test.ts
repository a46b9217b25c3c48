import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { askQuestions, equivalentCommand } from "../../src/config/questions.ts";
import { UsageError } from "../../src/errors.ts";

async function answer(lines: string[], given = {}): Promise<{ answers: object; shown: string }> {
  const output = new PassThrough();
  const answers = await askQuestions(
    given,
    Readable.from(lines.map((line) => `${line}\n`)),
    output,
  );
  output.end();
  return { answers, shown: (await output.toArray()).join("") };
}

test("Enter takes the defaults, and the command says the same", async () => {
  const { answers, shown } = await answer([
    "https://example.org/",
    "you@example.org",
    "",
    "",
    "",
    "",
    "",
    "",
  ]);
  assert.deepEqual(answers, { seeds: ["https://example.org/"], contact: "you@example.org" });
  assert.match(shown, /Order .* \[bfs\]: /);
  assert.equal(
    equivalentCommand(answers),
    "orbweaver crawl https://example.org/ --contact you@example.org",
  );
});

test("a wrong answer is explained and asked again", async () => {
  const lines = [
    "",
    "example.org",
    "http://127.0.0.1:8080/ http://localhost/",
    "host",
    "0",
    "2",
    "sharded",
    "up",
    "dfs",
    "all",
    "10",
    "my crawl",
  ];
  const { answers, shown } = await answer(lines);
  assert.deepEqual(answers, {
    seeds: ["http://127.0.0.1:8080/", "http://localhost/"],
    scope: "host",
    threads: "2",
    frontier: "sharded",
    order: "dfs",
    maxPages: "10",
    out: "my crawl",
  });
  for (const part of [
    /answer is needed/,
    /did you mean https:\/\/example\.org\?/,
    /--order up is not allowed; use one of bfs, dfs/,
    /--threads 0 is not allowed/,
  ]) {
    assert.match(shown, part);
  }
  assert.doesNotMatch(shown, /e-mail/, "no contact is asked for on loopback");
  assert.equal(
    equivalentCommand(answers, "c.yaml"),
    "orbweaver crawl http://127.0.0.1:8080/ http://localhost/ --out 'my crawl' --scope host --order dfs --max-pages 10 --threads 2 --frontier sharded --config c.yaml",
  );
});

test("issue 16: the frontier is asked for, and for a shared one the technique instead of the order", async () => {
  const lines = ["http://localhost/", "", "2", "shared", "mutex", "monitor", "", ""];
  const { answers, shown } = await answer(lines);
  assert.match(shown, /--sync mutex is not allowed/);
  assert.doesNotMatch(shown, /Order/);
  assert.equal(
    equivalentCommand(answers),
    "orbweaver crawl http://localhost/ --threads 2 --frontier shared --sync monitor",
  );
});

test("a file is taken for a seed file, and what was given is not asked", async () => {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-questions-"));
  try {
    const file = join(folder, "seeds.txt");
    writeFileSync(file, "https://example.org/\n");
    const { answers, shown } = await answer([file, "you@example.org", "", "", "", ""], {
      threads: "3",
      scope: "any",
    });
    assert.deepEqual(answers, {
      threads: "3",
      scope: "any",
      seedsFile: file,
      contact: "you@example.org",
    });
    assert.doesNotMatch(shown, /Crawler threads|Follow links/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("an end of input in the middle is a usage error, not a hang", async () => {
  for (const lines of [
    [],
    ["https://example.org/"],
    ["https://example.org/", "you@example.org", ""],
  ]) {
    await assert.rejects(
      answer(lines),
      (error) => error instanceof UsageError && /was not answered/.test(error.message),
    );
  }
});
