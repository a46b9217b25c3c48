import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createCrawlFolder } from "../../src/store/folder/create-folder.ts";
import { lockFolder } from "../../src/store/folder/folder-lock.ts";
import { runBin, runHere } from "./run-bin.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-usage-"));
after(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
writeFileSync(at("bad-seeds.txt"), "# none\nexample.org\nftp://x/\n");
writeFileSync(at("mixed-seeds.txt"), "https://example.org/\nexample.org/x\n");
writeFileSync(at("empty.txt"), "\n# nothing\n");
writeFileSync(at("bad.json"), '{"maxPage": 3}');
writeFileSync(at("bad.yaml"), "max-time: soon\n");
writeFileSync(at("idle.yaml"), "frontier: shared\norder: dfs\n");
writeFileSync(at("idle.json"), '{"frontierSize": 30}');
createCrawlFolder(at("running"));
lockFolder(at("running"));
createCrawlFolder(at("crashed"));

const HERE = "http://127.0.0.1:1/";

/** What is typed, and what the one line on standard error must say: the fault, what is allowed, a hint. */
const CASES: [argv: string[], parts: string[], stdin?: string][] = [
  [["craw"], ["unknown command craw", "did you mean crawl?"]],
  [
    ["frobnicate"],
    ["unknown command frobnicate", "use one of crawl, resume, worker, demo, web, check"],
  ],
  [["constructor"], ["unknown command constructor"]],
  [["--frob"], ["unknown option --frob"]],
  [["help", "crawll"], ["did you mean crawl?"]],
  [
    ["https://example.org/"],
    ["is not a command", "did you mean orbweaver crawl https://example.org/?"],
  ],
  [
    ["crawl"],
    ["there is nothing to crawl", "--seeds FILE", "orbweaver crawl https://example.org/"],
  ],
  [
    ["crawl", HERE, "--thread", "2"],
    ["unknown option --thread", "did you mean --threads?"],
  ],
  [
    ["crawl", HERE, "--threads"],
    ["--threads needs a value", "a whole number from 1 to 128", "--threads 2"],
  ],
  [
    ["crawl", HERE, "--threads", "0"],
    ["--threads 0 is not allowed", "from 1 to 128", "for example --threads 2"],
  ],
  [["crawl", HERE, "--threads", "2.5"], ["--threads 2.5 is not allowed"]],
  [
    ["crawl", HERE, "--max-time", "30"],
    ["--max-time 30 is not allowed", "500ms, 3s, 10m", "for example --max-time 3s"],
  ],
  [
    ["crawl", HERE, "--max-size", "10XB"],
    ["--max-size 10XB is not allowed", "10MB", "500MiB"],
  ],
  [
    ["crawl", HERE, "--scope", "planet"],
    ["--scope planet is not allowed", "page, prefix, host, domain, any"],
  ],
  [
    ["crawl", HERE, "--include", "("],
    ["--include (: it is not a valid regular expression: Unterminated group"],
  ],
  [
    ["crawl", HERE, "--resolve", "a:80:127.0.0.1"],
    ["swapped", "did you mean a:127.0.0.1:80?"],
  ],
  [
    ["crawl", HERE, "--allow-private", "10.0.0.0/99"],
    ["--allow-private 10.0.0.0/99", "0 to 32"],
  ],
  [["crawl", HERE, "--json=no"], ["--json takes no value"]],
  [
    ["crawl", "example.org"],
    ['"example.org": it has no scheme', "did you mean https://example.org?"],
  ],
  [["crawl", "ftp://example.org/"], ["only http and https are crawled, not ftp"]],
  [["crawl", "http://\u001b[2J/"], ["\\u{1b}[2J"]],
  [
    ["crawl", "https://example.org/"],
    [
      "a crawl of example.org needs --contact",
      "must be able to reach you",
      "--contact you@example.org",
    ],
  ],
  [["crawl", HERE, "--contact", "a\nb"], ["--contact a\\u{a}b: it contains characters"]],
  [
    ["crawl", "--seeds", at("none.txt")],
    ["cannot read the seeds", "none.txt: there is no such file"],
  ],
  [
    ["crawl", "--seeds", at("bad-seeds.txt")],
    ['bad-seeds.txt holds no valid URL; line 2: "example.org": it has no scheme'],
  ],
  [["crawl", "--seeds", at("empty.txt")], ["empty.txt holds no URL; write one per line"]],
  [
    ["crawl", "--seeds", at("mixed-seeds.txt"), "--strict-seeds"],
    ["mixed-seeds.txt, line 2", "did you mean https://example.org/x?", "--strict-seeds"],
  ],
  [["crawl", "--seeds", "-"], ['standard input holds no valid URL; line 1: "nope"'], "nope\n"],
  [
    ["crawl", HERE, "--config", at("bad.json")],
    ['unknown setting "maxPage"', 'did you mean "maxPages"?'],
  ],
  [
    ["crawl", HERE, "--config", at("bad.yaml")],
    ["bad.yaml: max-time: soon is not allowed; use a duration"],
  ],
  [
    ["crawl", HERE, "--config", at("none.yaml")],
    ["cannot read the configuration", "there is no such file"],
  ],
  [["demo", "https://example.org/"], ["demo takes no URL"]],
  // Issue 16: what would do nothing.
  [
    ["crawl", HERE, "--sync", "monitor"],
    ["--sync monitor has no effect", "--frontier shared"],
  ],
  [
    ["crawl", HERE, "--visited", "cas"],
    ["--visited cas has no effect", "--frontier shared"],
  ],
  [
    ["crawl", HERE, "--config", at("idle.json")],
    ["idle.json: frontierSize: 30 has no effect", "--frontier shared"],
  ],
  [
    ["crawl", HERE, "--config", at("idle.yaml")],
    ["idle.yaml: order: dfs has no effect", "--frontier sharded"],
  ],
  [["crawl", HERE, "--frontier", "shared", "--shards", "4"], ["--shards 4 has no effect"]],
  [
    ["crawl", HERE, "--strict-seeds"],
    ["--strict-seeds has no effect", "--seeds FILE"],
  ],
  [["crawl", HERE, "--store", "tree", "--warc-level", "6"], ["--warc-level 6 has no effect"]],
  [["crawl", HERE, "--sitemaps", "only", "--forms"], ["--forms has no effect"]],
  [["crawl", HERE, "--scope", "page", "--sitemaps", "on"], ["--sitemaps on has no effect"]],
  [["crawl", HERE, "--no-robots", "--sitemaps", "on"], ["--sitemaps on has no effect"]],
  [["demo", "--sync", "monitor"], ["--sync monitor has no effect"]],
  [["replay", "race", "--sleep-ms", "5"], ["--sleep-ms has no effect: it needs --by sleep"]],
  [["replay", "x:a", "--by", "sleep"], ["--by has no effect: it needs the word race"]],
  [["replay", "race", "--times", "0"], ["--times needs a whole number from 1"]],
  [["verify", "--seed", "1", "--budget", "3"], ["--budget has no effect together with --seed"]],
  [
    ["check", "url", "a", "--agent", "x"],
    ["--agent has no effect on check url", "check robots"],
  ],
  [["resume", at("crashed"), "--config", "x.yaml"], ["cannot read the configuration x.yaml"]],
  // Issue 16: folders and files that cannot be used.
  [
    ["crawl", HERE, "--out", "/dev/null/x"],
    ["/dev/null/x cannot hold a crawl", "--out"],
  ],
  [
    ["crawl", HERE, "--order", "opic", "--priority", at("none.mjs"), "--out", at("never")],
    ["none.mjs cannot be loaded"],
  ],
  [["links", folder, HERE], ["holds no crawl; start one with"]],
  [
    ["links", at("none"), HERE],
    ["there is no folder", "none"],
  ],
  [["links", at("running"), HERE], [`process ${process.pid} is crawling in`]],
  [
    ["export", at("none"), "--to", "csv"],
    ["there is no folder", "none"],
  ],
  [["export", at("bad.json"), "--to", "csv"], ["bad.json is a file, not the folder of a crawl"]],
  [["export", at("running"), "--to", "csv"], [`process ${process.pid} is crawling in`]],
  [
    ["export", at("crashed"), "--to", "csv"],
    ["its crawl crashed", "orbweaver recover"],
  ],
  [
    ["recover", at("none")],
    ["there is no folder", "none"],
  ],
  [
    ["resume", at("none")],
    ["there is no folder", "none"],
  ],
  [
    ["crawl", HERE, "--stats-every", "500ms"],
    [
      "--stats-every 500ms is not allowed; use a duration such as 3s, 10m, 1h30m or 24h, at least 1s",
    ],
  ],
  [["check"], ["check what?", "url, scope, robots"]],
  [["check", "urls", "x"], ["did you mean url?"]],
  [
    ["check", "url"],
    ["link is missing", "for example orbweaver check url"],
  ],
  [["check", "url", "a", "b"], ["one link at a time"]],
  [["check", "url", "a", "--base", "example.org"], ["--base example.org: it has no scheme"]],
  [["check", "url", "a", "--shards", "0"], ["--shards 0 is not allowed"]],
  [["check", "scope", "https://example.org/"], ["give --seed URL or --seeds FILE"]],
  [
    ["check", "scope", "https://example.org/", "--seed", "https://example.org/", "--scope", "x"],
    ["--scope x is not allowed"],
  ],
  [
    ["check", "robots", "https://example.org/", "--file", at("none.txt")],
    ["cannot read --file", "there is no such file"],
  ],
  [
    ["check", "robots", "https://example.org/", "--file", "-", "--agent", "a/1"],
    ["--agent a/1 is not allowed"],
  ],
];

// A process costs a fifth of a second of CPU, so only every third case runs in one; all go through the same code.
const REAL_EVERY = 3;

test("bad usage is one sentence on standard error and exit code 2", async () => {
  const queue = CASES.entries();
  const wrong: string[] = [];
  const worker = async () => {
    for (const [i, [argv, parts, stdin]] of queue) {
      const run = i % REAL_EVERY === 0 ? runBin : runHere;
      const { code, stdout, stderr } = await run(argv, stdin);
      const typed = argv.join(" ");
      const isOneLine = /^orbweaver: [^\n]+\n$/.test(stderr);
      const isSaid = parts.every((part) => stderr.includes(part));
      if (code !== 2 || stdout !== "" || !isOneLine || !isSaid)
        wrong.push(`${typed}: exit code ${code}: ${stdout}${stderr}`);
    }
  };
  await Promise.all([worker(), worker()]);
  assert.deepEqual(wrong, []);
  assert.ok(!existsSync(at("never")), "a module that cannot be loaded leaves no folder");
});

test("bad lines of a seed file are reported with number and reason, and the rest goes on", async () => {
  const { code, stderr } = await runBin(["crawl", "--seeds", at("mixed-seeds.txt")]);
  const [skipped, refusal] = stderr.split("\n");
  assert.equal(
    skipped,
    'orbweaver: skipped seed line 2: "example.org/x": it has no scheme; did you mean https://example.org/x?',
  );
  assert.match(refusal!, /needs --contact/);
  assert.equal(code, 2);
});

test("--debug adds the error's code", async () => {
  const { stderr } = await runBin(["crawl", HERE, "--threads", "0", "--debug"]);
  assert.match(stderr, /\[OW_USAGE\]\n$/);
});
