import assert from "node:assert/strict";
import { test } from "node:test";
import { explainRobots } from "../../../src/fetch/robots/robots-explain.ts";
import { ROBOTS_MAX_BYTES } from "../../../src/fetch/robots/robots-lines.ts";
import { RobotsRules } from "../../../src/fetch/robots/robots-rules.ts";

function parse(text: string | Buffer, agent = "Orbweaver"): RobotsRules {
  return RobotsRules.parse(Buffer.from(text as string), agent);
}

function allowed(text: string | Buffer, target: string, agent?: string): boolean {
  return parse(text, agent).verdict(target).allowed;
}

test("the verdict names the line and the rule as written", () => {
  const rules = parse(
    "# hello\r\nUser-agent: *\r\n\r\nDisallow: /a*.pdf$ # no papers\r\nAllow: /a/%7Eb\r\n",
  );
  assert.deepEqual(rules.verdict("/a/x.pdf"), {
    allowed: false,
    line: 4,
    rule: "Disallow: /a*.pdf$",
  });
  assert.deepEqual(rules.verdict("/a/~b"), { allowed: true, line: 5, rule: "Allow: /a/%7Eb" });
  assert.deepEqual(rules.verdict("/c"), { allowed: true, line: undefined, rule: undefined });
});

test("CR, LF and CRLF each end one line", () => {
  for (const [ending, line] of [
    ["\r", 3],
    ["\n", 3],
    ["\r\n", 3],
    ["\n\r", 5],
  ] as const) {
    const text = ["User-agent: *", "Allow: /", "Disallow: /x", ""].join(ending);
    assert.equal(parse(text).verdict("/x").line, line, JSON.stringify(ending));
  }
});

test("the most specific rule decides and allow wins a tie, whatever the order", () => {
  for (const lines of [
    ["Allow: /p", "Disallow: /"],
    ["Disallow: /", "Allow: /p"],
  ]) {
    assert.equal(allowed(`User-agent: *\n${lines.join("\n")}`, "/page"), true);
  }
  for (const lines of [
    ["Allow: /p", "Disallow: /p"],
    ["Disallow: /p", "Allow: /p"],
  ]) {
    assert.equal(allowed(`User-agent: *\n${lines.join("\n")}`, "/page"), true);
  }
  assert.equal(allowed("User-agent: *\nAllow: /page\nDisallow: /*.html", "/page.html"), false);
});

test("groups with the same name are one, and a named group hides that of *", () => {
  const text =
    "User-agent: orbWEAVER/2.0 beta\nDisallow: /a\nUser-agent: *\nDisallow: /\nUser-agent: Orbweaver\nDisallow: /b";
  assert.deepEqual(
    ["/a", "/b", "/c"].map((target) => allowed(text, target, "Orbweaver/0.1 (+mailto:a@b.c)")),
    [false, false, true],
  );
  assert.equal(allowed(text, "/c", "Orbweaverish"), false);
});

test("records other than rules do not end a list of agents (RFC 9309, 2.2.4)", () => {
  const text = "User-agent: a\nSitemap: /s.xml\nCrawl-delay: 3\nUser-agent: b\nDisallow: /x";
  assert.deepEqual([allowed(text, "/x", "a"), allowed(text, "/x", "b")], [false, false]);
  assert.deepEqual(
    [parse(text, "a").crawlDelayMs, parse(text, "b").crawlDelayMs],
    [3000, undefined],
  );
});

test("rules before any agent, rules that are no paths and empty rules mean nothing", () => {
  assert.equal(
    allowed("Disallow: /\nUser-agent: *\nDisallow:\nDisallow: x\nDisallow: $", "/x"),
    true,
  );
});

test("escapes and plain octets are equal, except for reserved characters (RFC 9309, 2.2.2)", () => {
  const same: [rule: string, target: string][] = [
    ["/foo/bar/ツ", "/foo/bar/%E3%83%84"],
    ["/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"],
    ["/foo/bar/%62%61%7A", "/foo/bar/baz"],
    ["/~joe", "/%7ejoe"],
    ["/path/file-with-a-%2A.html", "/path/file-with-a-*.html"],
    ["/path/foo-%24", "/path/foo-$"],
    ["/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"],
    ["/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"],
    ["/*%2Fb?x=/", "/a?u=%2Fb?x=/"],
    ["/*%", "/a%20b"],
    ["/a%2", "/a%20b"],
    ["/100%", "/100%"],
  ];
  for (const [rule, target] of same)
    assert.equal(allowed(`User-agent: *\nDisallow: ${rule}`, target), false, rule);
  const different: [rule: string, target: string][] = [
    ["/a/b", "/a%2Fb"],
    ["/a%2Fb", "/a/b"],
    ["/a?b", "/a%3Fb"],
    ["/a?b=1%262", "/a?b=1&2"],
    ["/a%2Ab", "/axb"],
    ["/a%2541", "/aA"],
    ["/caf%C3%A9", "/cafe"],
  ];
  for (const [rule, target] of different)
    assert.equal(allowed(`User-agent: *\nDisallow: ${rule}`, target), true, rule);
});

test("issue 16: /robots.txt itself is always allowed (RFC 9309, 2.2.2), and nothing that looks like it", () => {
  for (const rule of ["/", "/*.txt$", "/robots.txt", "/a?b=https://c"]) {
    const text = `User-agent: *\nDisallow: /\nDisallow: ${rule}`;
    assert.equal(allowed(text, "/robots.txt"), true, rule);
    for (const other of ["/robots.txt?x", "/robots.txt.bak", "/a/robots.txt"])
      assert.equal(allowed(text, other), false, other);
  }
});

test("issue 16: Allow of an index file allows its folder, and the folder alone", () => {
  const text =
    "User-agent: *\nDisallow: /\nAllow: /a/index.html\nAllow: /b/*/index.htm$\nAllow: /%7ec/index.html?x\nDisallow: /d/index.html";
  for (const target of ["/a/", "/a/index.html", "/b/x/", "/~c/", "/b/x/index.htm"])
    assert.equal(allowed(text, target), true, target);
  for (const target of ["/", "/a", "/a/x", "/a/?", "/b/", "/b/x/y", "/~c/index.html", "/d/"])
    assert.equal(allowed(text, target), false, target);
  assert.deepEqual(parse(text).verdict("/a/"), {
    allowed: true,
    line: 3,
    rule: "Allow: /a/index.html",
  });
  // As Google's parser weighs it: one octet more than the folder, as "/a/$" is.
  const longer = "User-agent: *\nAllow: /a/index.html\nDisallow: /*/";
  assert.equal(allowed(`${longer}$`, "/a/"), true);
  assert.equal(allowed(`${longer}*$`, "/a/"), false);
});

test("B1: only the first 500 KiB count, and half a line is no rule", () => {
  const head = Buffer.from("User-agent: *\nDisallow: /first\n");
  const tail = Buffer.from("\nDisallow: /last\nAllow: /\n");
  const filler = Buffer.alloc(100 * 1024 * 1024, "#");
  assert.deepEqual(
    ["/first", "/last"].map((target) => allowed(Buffer.concat([head, filler, tail]), target)),
    [false, true],
  );
  const cut = Buffer.concat([head, Buffer.alloc(ROBOTS_MAX_BYTES, "#")]);
  cut.write("\nDisallow: /\nAllow: /only-this", ROBOTS_MAX_BYTES - 21);
  assert.equal(cut.subarray(0, ROBOTS_MAX_BYTES).toString().slice(-9), "\nAllow: /");
  assert.equal(allowed(cut, "/other"), false);
});

test("B4: a million groups, a line of 10 MB, NULs, marks at the start", () => {
  assert.equal(allowed("User-agent: x\nDisallow: /\n".repeat(1_000_000), "/a"), true);
  const long = `User-agent: *\nDisallow: /x${"y".repeat(10_000_000)}\nDisallow: /z`;
  assert.equal(allowed(long, `/x${"y".repeat(20_000)}`), false);
  assert.equal(allowed(long, `/x${"y".repeat(2_000)}`), true);
  assert.equal(allowed("User-agent: *\0junk\nDisallow: /a\0b\n\0\0\nDisallow: /c", "/c"), false);
  for (const mark of ["\xef\xbb\xbf", "\xef\xbb", "\xef"]) {
    const bytes = Buffer.from(`${mark}User-agent: *\nDisallow: /`, "latin1");
    assert.equal(allowed(bytes, "/a"), false, JSON.stringify(mark));
  }
});

test("B5: stars do not multiply the work", () => {
  const path = `/${"a".repeat(2_000)}`;
  const stars = `User-agent: *\nDisallow: /${"*a".repeat(1_500)}`;
  assert.equal(allowed(`${stars}$`, path), false);
  assert.equal(allowed(`${stars}b$`, path), true);
  assert.equal(allowed(`${stars}*b`, path), true);
  const periodic = `User-agent: *\n${`Disallow: /*b${"a".repeat(1_000)}\n`.repeat(400)}`;
  assert.equal(allowed(periodic, path), true);
  assert.equal(allowed(periodic, `${path}b${"a".repeat(1_000)}`), false);
});

test("B5: beyond 4,096 rules with wildcards the rest is read on the safe side", () => {
  const lines = Array.from({ length: 4_096 }, (_, i) => `Disallow: /x*${i}$`);
  const few = ["User-agent: *", ...lines, "Disallow: /plain"].join("\n");
  assert.deepEqual(
    ["/x/7", "/x/a", "/plain", "/y"].map((target) => allowed(few, target)),
    [false, true, false, true],
  );
  const many = `${few}\nDisallow: /y*z\nAllow: /plain/*a\nAllow: /plain/b\nDisallow: *q`;
  assert.deepEqual(
    ["/y", "/plain/a", "/plain/b", "/x/a"].map((target) => allowed(many, target)),
    [false, false, true, false],
  );
});

test("B6: a delay that is no number is ignored, one above 300 s refuses the host", () => {
  const delay = (value: string) => parse(`User-agent: *\nCrawl-delay: ${value}\nDisallow: /x`);
  for (const value of ["-1", "NaN", "Infinity", "", "10a", "1.2.1", "0x10", "ten", "1,5"]) {
    assert.deepEqual(
      [delay(value).crawlDelayMs, delay(value).crawlDelayTooLong],
      [undefined, false],
      value,
    );
  }
  for (const value of ["400", "300.001", "1e308", "1e999", "9".repeat(400)]) {
    assert.equal(delay(value).crawlDelayTooLong, true, value);
    assert.ok(Number.isFinite(delay(value).crawlDelayMs), value);
  }
  assert.deepEqual(
    ["0", "0.5", ".5", "300"].map((value) => delay(value).crawlDelayMs),
    [0, 500, 500, 300_000],
  );
  assert.equal(delay("300").crawlDelayTooLong, false);
  assert.equal(
    parse("User-agent: *\nCrawl-delay: 2\nCrawl-delay: 9\nCrawl-delay: 4").crawlDelayMs,
    9000,
  );
});

test("sitemaps belong to the whole file, once each, as written", () => {
  const text =
    "Sitemap: http://10.0.0.1/s.xml\nUser-agent: other\nSite-map: /rel.xml\nSitemap: /rel.xml\nSitemap:";
  assert.deepEqual(parse(text).sitemaps, ["http://10.0.0.1/s.xml", "/rel.xml"]);
});

test("memory is counted and does not hold the file", () => {
  const foreign = `${"User-agent: other\nDisallow: /a/long/path/nobody/needs\n".repeat(5_000)}User-agent: *\nDisallow: /b`;
  assert.ok(parse(foreign).bytes < 2_000, `${parse(foreign).bytes} bytes`);
  assert.ok(parse(`User-agent: *\n${"Disallow: /abcdefgh\n".repeat(1_000)}`).bytes > 20_000);
});

test("the explanation tells group, deciding line and what else matched", () => {
  const text =
    "User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /a\nAllow: /a/b\nCrawl-delay: 2\nSitemap: /s";
  const bytes = Buffer.from(text);
  assert.deepEqual(explainRobots(bytes, "Orbweaver", "/a/b/c"), {
    allowed: true,
    because: "rule",
    group: "any",
    groupLines: [4],
    line: 6,
    rule: "Allow: /a/b",
    matching: [
      { line: 6, rule: "Allow: /a/b", allow: true, octets: 4 },
      { line: 5, rule: "Disallow: /a", allow: false, octets: 2 },
    ],
    rules: 2,
    crawlDelayMs: 2000,
    crawlDelayTooLong: false,
    sitemaps: ["/s"],
    cut: false,
  });
  assert.equal(explainRobots(bytes, "Orbweaver", "/z").because, "no_rule");
  assert.equal(explainRobots(Buffer.from(""), "Orbweaver", "/z").because, "no_group");
  assert.equal(explainRobots(bytes, "Other/1.0", "/z").group, "named");
});

test("rules beyond the limit of wildcards refuse what they might, whatever a shorter rule allows", () => {
  const filler = Array.from({ length: 4096 }, (_, i) => `Disallow: /x*${i}`).join("\n");
  const text = `User-agent: *\nAllow: /\nAllow: /deep/open\n${filler}\nDisallow: /deep*secret\nAllow: /x*fine\n`;
  const rules = RobotsRules.parse(Buffer.from(text), "orbweaver");
  assert.equal(rules.verdict("/deep/my-secret").allowed, false);
  assert.equal(rules.verdict("/deeper").allowed, false, "what it might govern");
  assert.equal(rules.verdict("/open").allowed, true);
  assert.equal(rules.verdict("/x4000fine").allowed, false, "an allow beyond the limit is left out");
});

test("a line that is cut forbids what its beginning matches, and allows nothing", () => {
  const long = "/a".repeat(5000);
  const parse = (field: string) =>
    RobotsRules.parse(Buffer.from(`User-agent: *\nDisallow: /a\n${field}: ${long}\n`), "orbweaver");
  assert.equal(parse("Allow").verdict(long.slice(0, 9000)).allowed, false);
  assert.equal(parse("Disallow").verdict(long.slice(0, 9000)).allowed, false);
});
