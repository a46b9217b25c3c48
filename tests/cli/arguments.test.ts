import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseArguments } from "../../src/cli/arguments.ts";
import { CRAWL_OPTIONS, flagsOf } from "../../src/cli/crawl-options.ts";
import { shellQuote, toArguments } from "../../src/config/command-line.ts";
import { checkSettings } from "../../src/config/crawl-config.ts";
import { crawlSchema, type SettingName, settings } from "../../src/config/schema.ts";
import { TECHNIQUES, VISITED_SETS, WHEN_FULL } from "../../src/config/values/technique-names.ts";
import { UsageError } from "../../src/errors.ts";
import { tempFolder } from "../support/orbweaver.ts";

const parse = (argv: string[]) => parseArguments(argv, CRAWL_OPTIONS, "crawl");

test("values, switches, lists and words are told apart", () => {
  const { words, options } = parse([
    "a",
    "--threads",
    "2",
    "--max-pages=3",
    "--json",
    "--no-robots",
    "--include=x=y",
    "--include",
    "z",
    "-",
    "--seeds",
    "-",
    "--",
    "--json",
    "-x",
  ]);
  assert.deepEqual(words, ["a", "-", "--json", "-x"]);
  assert.deepEqual(Object.fromEntries(options), {
    threads: "2",
    "max-pages": "3",
    json: true,
    robots: false,
    include: ["x=y", "z"],
    seeds: "-",
  });
});

test("the last one wins, and every switch can be turned off again", () => {
  const { options } = parse([
    "--threads",
    "2",
    "--threads=4",
    "--json",
    "--no-json",
    "--no-robots",
    "--robots",
  ]);
  assert.deepEqual(Object.fromEntries(options), { threads: "4", json: false, robots: true });
});

test("a value may be empty or look strange, but a forgotten one is noticed", () => {
  assert.equal(parse(["--out="]).options.get("out"), "");
  assert.equal(parse(["--delay", "-5"]).options.get("delay"), "-5");
  assert.deepEqual(parse(["--exclude", "--x"]).options.get("exclude"), ["--x"]);
  for (const argv of [["--out"], ["--out", "--json"], ["--out", "--no-robots"], ["--out", "--"]]) {
    assert.throws(
      () => parse(argv),
      /--out needs a value; use the name of a folder, for example --out crawls\/example/,
    );
  }
});

test("a switch that may have a value takes a file, and neither a URL nor a folder nor an option", (t) => {
  const folder = tempFolder(t);
  const cookies = (...argv: string[]) => parse(["--cookies", ...argv]);
  assert.equal(cookies("jar.txt").options.get("cookies"), "jar.txt");
  assert.equal(parse(["--cookies=http://x/"]).options.get("cookies"), "http://x/");
  for (const word of ["http://x/", "HTTPS://x/", folder]) {
    assert.equal(cookies(word).options.get("cookies"), "true", word);
    assert.deepEqual(cookies(word).words, [word]);
  }
  assert.equal(cookies("--json").options.get("cookies"), "true");
  assert.equal(cookies().options.get("cookies"), "true");
  assert.equal(parse(["--no-cookies", "x"]).options.get("cookies"), false);
  assert.deepEqual(parse(["--no-cookies", "x"]).words, ["x"]);
  assert.throws(() => parse(["--no-dashboard"]), /unknown option --no-dashboard/);
});

test("what is not an option is refused with the nearest one", () => {
  const cases: [string, RegExp][] = [
    ["--thread", /unknown option --thread; did you mean --threads\?/],
    ["--no-robot", /did you mean --no-robots\?/],
    ["--maxPages=3", /unknown option --maxPages; did you mean --max-pages\?/],
    ["--xyzzy", /unknown option --xyzzy; "orbweaver crawl --help" lists all options/],
    ["-t", /unknown option -t/],
    ["--no-threads", /unknown option --no-threads; did you mean --threads\?/],
    ["--json=false", /--json=false is not allowed; --json takes no value/],
    ["--no-robots=1", /--no-robots takes no value/],
    ["--=x", /unknown option --;/],
    ["--\u001b[2J", /unknown option --\\u\{1b\}\[2J/],
  ];
  for (const [word, message] of cases) {
    assert.throws(
      () => parse([word]),
      (error) => error instanceof UsageError && message.test(error.message),
      word,
    );
  }
});

/** Arbitrary good values for every setting; a setting that is missing here fails the test below. */
const GOOD: Record<SettingName, fc.Arbitrary<unknown>> = (() => {
  const sizes = fc.integer({ min: 65_536, max: Number.MAX_SAFE_INTEGER });
  const times = fc.integer({ min: 1, max: 366 * 86_400_000 });
  const patterns = fc.array(fc.constantFrom("a", "--json", "-", "x y", "it's", "$HOME", "é", "="), {
    minLength: 1,
  });
  const name = fc.constantFrom("a", "-b", "--json", "c d", "é'\"", "=", "--");
  const upTo = (max: number, min = 1) => fc.integer({ min, max });
  return {
    seeds: fc.array(fc.webUrl(), { minLength: 1 }),
    seedsFile: name,
    strictSeeds: fc.boolean(),
    out: name,
    contact: fc.constantFrom("a@b.example", "https://example.org/?a=b"),
    scope: fc.constantFrom("page", "prefix", "host", "domain", "any"),
    include: patterns,
    exclude: patterns,
    order: fc.constantFrom("bfs", "dfs", "opic"),
    exchangeSize: fc.oneof(upTo(65_536), fc.constant("auto")),
    recordKeys: name,
    maxPages: upTo(Number.MAX_SAFE_INTEGER),
    maxDepth: upTo(65_535, 0),
    maxTimeMs: times,
    maxBytes: sizes,
    maxWaitMs: times,
    schedule: fc.constantFrom("continuous", "rounds"),
    leftovers: fc.constantFrom("keep", "drop"),
    roundWaitMs: times,
    syncEveryMs: times,
    maxPagesPerSite: upTo(Number.MAX_SAFE_INTEGER),
    maxDepthDynamic: upTo(65_535, 0),
    traps: fc.boolean(),
    sitemaps: fc.constantFrom("on", "off", "only"),
    feeds: fc.boolean(),
    forms: fc.boolean(),
    relNofollow: fc.constantFrom("follow", "skip"),
    handlerTimeoutMs: times,
    cookieFile: name,
    beforeRequest: name,
    shouldVisit: name,
    headers: fc.constant(["X-A: b", "https://a.example X-Key: env:KEY"]),
    auth: fc.constant(["https://a.example=env:LOGIN"]),
    archiveCredentials: fc.boolean(),
    archival: fc.boolean(),
    dropSessionIds: fc.boolean(),
    dropTracking: fc.boolean(),
    trailingSlash: fc.constantFrom("keep", "ignore"),
    delayMs: upTo(86_400_000, 0),
    perHost: upTo(1024),
    robots: fc.boolean(),
    obeyTdm: fc.boolean(),
    onEnd: name,
    onEndTimeoutMs: times,
    userAgent: fc.constantFrom("Bot", "-bot/1 (x y)"),
    threads: upTo(128),
    linksPerThread: upTo(1024),
    builders: upTo(64),
    bufferSize: upTo(1023),
    handOff: fc.constantFrom("full", "count-or-time"),
    shards: upTo(1024),
    frontier: fc.constantFrom("sharded", "shared"),
    sync: fc.constantFrom(...TECHNIQUES, "./mine.mjs"),
    whenFull: fc.constantFrom(...WHEN_FULL),
    frontierSize: fc.oneof(upTo(1_000_000), fc.constant("grow")),
    visited: fc.constantFrom(...VISITED_SETS),
    engine: fc.constantFrom("redis://127.0.0.1:6379", "rediss://engine.test/2"),
    crawlName: fc.constantFrom("a", "news-2026.1"),
    engineLeaseMs: upTo(3_600_000, 3000),
    engineMemoryBytes: sizes,
    supersteps: fc.boolean(),
    volatile: fc.boolean(),
    allowPrivate: fc.array(fc.constantFrom("10.0.0.0/8", "::1", "a.example"), { minLength: 1 }),
    nameServers: fc.array(fc.constantFrom("9.9.9.9", "127.0.0.1:5353", "[::1]:53")),
    resolve: fc.array(fc.constantFrom("a:127.0.0.1:1", "b.example:[::1]:65535"), { minLength: 1 }),
    insecure: fc.boolean(),
    proxies: fc.array(fc.constantFrom("http://p:3128", "https=http://u:s%20t@[::1]:1"), {
      minLength: 1,
    }),
    cookies: fc.oneof(fc.boolean(), name),
    recrawl: name,
    priority: name,
    handler: name,
    connectTimeoutMs: times,
    firstByteTimeoutMs: times,
    totalTimeoutMs: times,
    minRateBytesPerS: upTo(1_000_000_000, 0),
    retries: upTo(10, 0),
    maxRedirects: upTo(100, 0),
    maxBodyBytes: sizes,
    accept: fc.constantFrom("html", "text", "any"),
    maxLinksPerPage: upTo(1_000_000, 0),
    warcLevel: upTo(9, 0),
    rotateBytes: sizes,
    rotatePages: upTo(1_000_000_000),
    store: fc.constantFrom("warc", "tree", "warc,tree", "none"),
    statsEveryMs: fc.integer({ min: 1000, max: 366 * 86_400_000 }),
    maxUncommitted: upTo(1_000_000),
    json: fc.boolean(),
    quiet: fc.boolean(),
    color: fc.boolean(),
    report: fc.boolean(),
    debug: fc.boolean(),
    dashboard: upTo(65_535, 0),
    listen: fc.constantFrom("127.0.0.1", "::1"),
    dashboardToken: fc.constantFrom("0123456789abcdef", "a-long_token.0123456"),
  };
})();

test("settings written as arguments are read back the same", () => {
  assert.deepEqual(Object.keys(GOOD).sort(), Object.keys(crawlSchema.shape).sort());
  fc.assert(
    fc.property(fc.record(GOOD, { requiredKeys: [] }), (values) => {
      const again = checkSettings(flagsOf(parse(toArguments(values))));
      assert.deepEqual(again, checkSettings(values));
    }),
    { numRuns: 300 },
  );
});

test("every example of every option is a valid use of it", () => {
  for (const [name, option] of settings) {
    for (const example of option.examples) {
      const argv = example.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", ""));
      const flags = flagsOf(parse(argv));
      assert.deepEqual(Object.keys(flags), [name], example);
      assert.ok(checkSettings(flags), example);
    }
  }
});

test("a quoted word is one word to a shell", () => {
  assert.equal(shellQuote("plain-1.2/x@y"), "plain-1.2/x@y");
  assert.equal(shellQuote("it's $HOME"), "'it'\\''s $HOME'");
  assert.equal(shellQuote(""), "''");
});
