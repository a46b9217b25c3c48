import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { after, test } from "node:test";
import { parseArguments } from "../../src/cli/arguments.ts";
import { command } from "../../src/cli/commands/crawl-command.ts";
import { readCrawlConfig } from "../../src/cli/read-crawl-config.ts";
import type { CrawlConfig } from "../../src/config/schema.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-crawl-"));
after(() => rmSync(folder, { recursive: true }));

async function configure(
  argv: string[],
  stdin: string[] = [],
  isTTY = false,
): Promise<{ config: CrawlConfig; shown: string }> {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const config = await readCrawlConfig(parseArguments(argv, command.options), {
    stdin: Object.assign(Readable.from(stdin), { isTTY }),
    stdout: new PassThrough(),
    stderr,
    environment: { ORBWEAVER_CONTACT: "env@example.org" },
    now: () => 0,
  });
  return { config, shown: String(stderr.read() ?? "") };
}

test("arguments, file, environment and seed list become one configuration", async () => {
  const file = join(folder, "crawl.yaml");
  writeFileSync(file, "seeds: [http://10.0.0.1/]\nthreads: 3\nexclude: [from-file]\nquiet: true\n");
  const argv = [
    "http://127.0.0.1:8080/",
    "--seeds",
    "-",
    "--config",
    file,
    "--exclude",
    "typed",
    "--no-quiet",
  ];
  const { config, shown } = await configure(argv, ["https://example.org/\nexample.com\n"]);
  assert.deepEqual(config.seeds, ["http://127.0.0.1:8080/", "https://example.org/"]);
  assert.deepEqual(config.consentedHosts, ["127.0.0.1:8080"]);
  assert.deepEqual([config.threads, config.exclude, config.quiet], [3, ["typed"], false]);
  assert.equal(config.contact, "env@example.org");
  assert.equal(
    shown.split("\n")[0],
    'orbweaver: skipped seed line 2: "example.com": it has no scheme; did you mean https://example.com?',
  );
});

test("seeds of a file consent to nothing", async () => {
  const file = join(folder, "private.json");
  writeFileSync(file, '{"seeds": ["http://127.0.0.1:8080/"]}');
  assert.deepEqual((await configure(["--config", file])).config.consentedHosts, []);
});

test("many bad seed lines are counted, not all shown", async () => {
  const lines = Array.from({ length: 500 }, (_, i) => `bad${i}.example`);
  const { config, shown } = await configure(
    ["--seeds", "-"],
    [`${lines.join("\n")}\nhttps://example.org/\n`],
  );
  assert.equal(config.rejectedSeeds.length, 500);
  assert.equal(shown.trimEnd().split("\n").length, 11);
  assert.match(shown, /skipped 490 more seed lines\n$/);
});

test("on a terminal the questions fill in what is missing and show the command", async () => {
  const answers = ["http://127.0.0.1:8080/", "", "2", "", "dfs", "10", ""].map(
    (line) => `${line}\n`,
  );
  const { config, shown } = await configure(["--delay", "0"], answers, true);
  assert.deepEqual(
    [config.order, config.threads, config.maxPages, config.perHost],
    ["dfs", 2, 10, 2048],
  );
  assert.deepEqual(config.consentedHosts, ["127.0.0.1:8080"]);
  assert.match(
    shown,
    /The same without questions:\n {2}orbweaver crawl http:\/\/127\.0\.0\.1:8080\/ .*--order dfs --max-pages 10 --delay 0 --threads 2\n/,
  );
});
