import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { checkSettings, configFrom, configOf } from "../../src/config/crawl-config.ts";
import { loadSettings } from "../../src/config/load.ts";
import { settings } from "../../src/config/schema.ts";
import { readSeeds } from "../../src/config/seeds/seed-file.ts";
import { packageVersion } from "../../src/config/version.ts";
import { UsageError } from "../../src/errors.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-config-"));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function usage(...parts: RegExp[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof UsageError, String(error));
    assert.equal(error.exitCode, 2);
    for (const part of parts) assert.match(error.message, part);
    return true;
  };
}

test("flags win over the file, the file over the environment, the environment over defaults", async () => {
  const path = file("order.yaml", "threads: 3\ncontact: file@example.org\nmax-time: 10m\n");
  const environment = { ORBWEAVER_CONTACT: "env@example.org" };
  const all = await loadSettings({ flags: { threads: "2" }, file: path, environment });
  assert.deepEqual(
    [all.threads, all.contact, all.maxTimeMs, all.linksPerThread],
    [2, "file@example.org", 600_000, undefined],
  );
  assert.equal((await loadSettings({ environment })).contact, "env@example.org");
  assert.equal((await loadSettings({ environment: { ORBWEAVER_CONTACT: "" } })).contact, undefined);
});

test("JSON and YAML say the same under both kinds of names", async () => {
  const files = [
    file(
      "a.json",
      '{"seeds":["https://example.org/"],"maxTimeMs":600000,"maxBytes":"10GB","robots":false,"exclude":"x"}',
    ),
    file(
      "b.yaml",
      "seeds:\n  - https://example.org/\nmax-time: 10m\nmax-size: 10GB\nno-robots: true\nexclude: [x]\n",
    ),
    file(
      "c.conf",
      '\ufeff {"seeds":"https://example.org/","max-time":"10m","max-size":10000000000,"robots":false,"exclude":["x"]}',
    ),
    file(
      "d.txt",
      `${"# settings\nseeds: https://example.org/\nmaxTimeMs: 10m\nmaxBytes: 10000000000\nrobots: no-one\n".replace(
        "no-one",
        "false",
      )}exclude: x\n`,
    ),
  ];
  const [first, ...others] = await Promise.all(files.map((path) => loadSettings({ file: path })));
  assert.deepEqual(
    [first!.maxTimeMs, first!.maxBytes, first!.robots, first!.exclude],
    [600_000, 1e10, false, ["x"]],
  );
  for (const other of others) assert.deepEqual(other, first);
});

test("a file with nothing in it sets nothing", async () => {
  for (const path of [
    file("empty.yaml", ""),
    file("comment.yml", "# threads: 2\n"),
    file("empty.json", "{}"),
  ]) {
    assert.deepEqual(await loadSettings({ file: path }), await loadSettings({}));
  }
});

const BAD_FILES: [name: string, content: string, ...parts: RegExp[]][] = [
  [
    "unknown.json",
    '{"thread": 2}',
    /unknown\.json has an unknown setting "thread"; did you mean "threads"\?/,
  ],
  ["far.json", '{"wallpaper": 2}', /"wallpaper"; docs\/config\.md lists all/],
  ["proto.json", '{"__proto__": {"threads": 2}}', /unknown setting "__proto__"/],
  [
    "value.yaml",
    "threads: many\n",
    /value\.yaml: threads: many is not allowed; use a whole number from 1 to 128, for example 2/,
  ],
  ["type.yaml", "threads: [1]\n", /threads: \[1\] is not allowed/],
  ["null.yaml", "threads:\n", /threads: null is not allowed/],
  ["bool.yaml", "json: yes\n", /json: yes is not allowed; use true or false/],
  [
    "list.yaml",
    "exclude: [ok, '(']\n",
    /exclude: \(: it is not a valid regular expression: Unterminated group/,
  ],
  [
    "twice.yaml",
    "maxPages: 1\nmax-pages: 2\n",
    /sets the same thing twice: maxPages and max-pages/,
  ],
  ["unit.yaml", "max-time: 30\n", /max-time: 30 is not allowed; use a duration such as/],
  [
    "seeds.yaml",
    "seeds: [example.org]\n",
    /example\.org: it has no scheme; did you mean https:\/\/example\.org\?/,
  ],
  ["broken.json", '{"threads": 2', /broken\.json is not valid JSON: /],
  ["broken.yaml", "a: [1\nb: 2", /broken\.yaml is not valid YAML: .*line/],
  [
    "same.yaml",
    "threads: 1\nthreads: 2\n",
    /same\.yaml is not valid YAML: Map keys must be unique/,
  ],
  ["text.yaml", "just words\n", /must hold settings/],
  ["array.json", "[]", /must hold settings/],
  ["esc.json", '{"\\u001b[2J": 1}', /"\\u\{1b\}\[2J"/],
  [
    "laugh.yaml",
    `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${Array(10).fill("*a")}]\nc: &c [${Array(10).fill("*b")}]\nd: [${Array(10).fill("*c")}]\n`,
    /is not valid YAML: Excessive alias count/,
  ],
];

test("a bad file is named with the key, what is allowed and what was probably meant", async () => {
  for (const [name, content, ...parts] of BAD_FILES) {
    const path = file(name, content);
    await assert.rejects(loadSettings({ file: path }), usage(...parts), name);
  }
  await assert.rejects(
    loadSettings({ file: join(folder, "none.json") }),
    usage(/cannot read the configuration .*none\.json: there is no such file/),
  );
  await assert.rejects(loadSettings({ file: folder }), usage(/it is a folder/));
});

test("the environment is named when it is wrong", async () => {
  const environment = { ORBWEAVER_CONTACT: "a\nb" };
  await assert.rejects(
    loadSettings({ environment }),
    usage(/ORBWEAVER_CONTACT=a\\u\{a\}b: it contains characters/),
  );
});

test("an unknown setting of a program is refused with the nearest name", () => {
  assert.throws(
    () => checkSettings({ maxPage: 1 } as never),
    usage(/unknown setting "maxPage"; did you mean maxPages\?/),
  );
});

test("derived values follow the settings", () => {
  const seeds = ["http://127.0.0.1:8080/"];
  const usual = configOf({ seeds });
  assert.deepEqual(
    [usual.perHost, usual.shards, usual.userAgent, usual.loopbackOnly],
    [1, 16, `Orbweaver/${packageVersion()}`, true],
  );
  const fast = configOf({
    seeds,
    delayMs: 0,
    linksPerThread: 7,
    threads: 99,
    contact: "a@b.example",
  });
  assert.deepEqual(
    [fast.perHost, fast.shards, fast.userAgent, fast.loopbackOnly],
    [7 * 99, 99, `Orbweaver/${packageVersion()} (+a@b.example)`, false],
  );
  assert.equal(configOf({ seeds, delayMs: 0, perHost: 3 }).perHost, 3);
  assert.equal(configOf({ seeds, userAgent: "X/1" }).userAgent, "X/1");
  assert.ok(Object.isFrozen(usual));
  assert.deepEqual(structuredClone(usual), usual, "a configuration can be sent to a worker");
});

test("seeds are canonical, differ, and only typed ones permit a private address", () => {
  const list = readSeeds("http://127.0.0.1:9/\nhttp://127.0.0.1:8080/#x\nnope\n");
  const typed = ["http://127.0.0.1:8080", "HTTP://LOCALHOST/a/../b"];
  const config = configFrom(checkSettings({ seeds: typed }), { typed, list });
  assert.deepEqual(config.seeds, [
    "http://127.0.0.1:8080/",
    "http://localhost/b",
    "http://127.0.0.1:9/",
  ]);
  assert.deepEqual(config.consentedHosts, ["127.0.0.1:8080", "localhost:80"]);
  assert.deepEqual(
    config.rejectedSeeds.map(({ line }) => line),
    [3],
  );
  assert.deepEqual(configOf({ seeds: typed }).consentedHosts, []);
});

test("no contact, no crawl beyond this machine", () => {
  for (const seed of ["https://example.org/", "http://10.0.0.1/", "http://localhost.example/"]) {
    assert.throws(
      () => configOf({ seeds: ["http://127.0.0.1/", seed] }),
      usage(/needs --contact: .*for example --contact you@example\.org/),
    );
    assert.ok(configOf({ seeds: [seed], contact: "you@example.org" }));
  }
  for (const seed of [
    "http://127.1/",
    "http://[::1]:8080/",
    "http://localhost./",
    "http://2130706433/",
  ]) {
    assert.ok(configOf({ seeds: [seed] }), seed);
  }
  const resolve = ["www.example.org:127.0.0.1:8080"];
  assert.ok(configOf({ seeds: ["https://www.example.org/"], resolve }));
  assert.throws(
    () => configOf({ seeds: ["https://other.example.org/"], resolve }),
    usage(/other\.example\.org needs --contact/),
  );
});

test("every field has a default or may be absent, and a description, group and example", () => {
  assert.ok(checkSettings({}));
  for (const [name, option] of settings) {
    assert.ok(option.about.length > 10 && option.examples.length > 0 && option.group, name);
    assert.ok(!option.about.endsWith("."), `${name}: the full stop is added where it is shown`);
  }
});
