import assert from "node:assert/strict";
import { test } from "node:test";
import { RobotsRules } from "../../../src/fetch/robots/robots-rules.ts";

/** CPU time of a call in milliseconds, the best of three: other load must not fail the test. */
function cpuMs(call: () => unknown): number {
  const times = [0, 1, 2].map(() => {
    const before = process.cpuUsage();
    call();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

function fileOf(line: (index: number) => string): Buffer {
  const lines = Array.from({ length: 60_000 }, (_, index) => line(index));
  return Buffer.from(`User-agent: *\n${lines.join("\n")}`);
}

const HOSTILE: Record<string, Buffer> = {
  "a million groups": Buffer.from("User-agent: *\nDisallow: /\n".repeat(1_000_000)),
  "a line of 10 MB": Buffer.from(`User-agent: *\nDisallow: /${"a*".repeat(5_000_000)}`),
  "CR only": Buffer.from("User-agent: *\rDisallow: /x\r".repeat(100_000)),
  NULs: Buffer.alloc(1_000_000),
  colons: Buffer.alloc(1_000_000, ":"),
  "wildcard rules": fileOf((index) => `Allow:/*a${index}`),
  "different literal rules": fileOf((index) => `Allow:/${index}`),
  "equal rules": fileOf(() => "Allow:/a"),
  "nested rules": fileOf((index) => `Allow:/${"a".repeat(index % 1_000)}`),
  escapes: fileOf(() => "Allow:/%e3%83%84?x=/%"),
  sitemaps: fileOf((index) => `Sitemap:${index}`),
  delays: fileOf((index) => `Crawl-delay:${index}`),
};

for (const [name, bytes] of Object.entries(HOSTILE)) {
  test(`B4: ${name} costs less than 200 ms of CPU`, (t) => {
    const ms = cpuMs(() => RobotsRules.parse(bytes, "Orbweaver"));
    t.diagnostic(`${ms.toFixed(1)} ms`);
    assert.ok(ms < 200, `${ms} ms`);
  });
}

test("B5: a rule of stars costs less than 1 ms of CPU per URL", (t) => {
  const rules = [`/${"*a".repeat(3_900)}$`, `/${"*a".repeat(3_900)}b`, `/*b${"a".repeat(1_000)}`];
  const targets = [`/${"a".repeat(2_000)}`, `/${"a".repeat(1_000)}b${"a".repeat(999)}`];
  for (const rule of rules) {
    const parsed = RobotsRules.parse(Buffer.from(`User-agent: *\nDisallow: ${rule}`), "x");
    for (const target of targets) {
      const ms = cpuMs(() => {
        for (let i = 0; i < 100; i++) parsed.verdict(target);
      });
      t.diagnostic(`${(ms * 10).toFixed(1)} us`);
      assert.ok(ms / 100 < 1, `${ms / 100} ms`);
    }
  }
});
