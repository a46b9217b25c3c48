import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RobotsRules } from "../../../src/fetch/robots/robots-rules.ts";

interface Rule {
  allow: boolean;
  pattern: string;
}

const ALPHABET = ["a", "b", "/", "?", ".", "*", "*", "$", "-"];
const pattern = fc
  .array(fc.constantFrom(...ALPHABET), { maxLength: 12 })
  .map((parts) => `/${parts.join("")}`);
const target = fc
  .array(fc.constantFrom("a", "b", "/", "?", ".", "-", "$", "*"), { maxLength: 20 })
  .map((parts) => `/${parts.join("")}`);
const rule: fc.Arbitrary<Rule> = fc.record({ allow: fc.boolean(), pattern });

function fileOf(rules: readonly Rule[]): Buffer {
  const lines = rules.map(({ allow, pattern }) => `${allow ? "Allow" : "Disallow"}: ${pattern}`);
  return Buffer.from(["User-agent: *", ...lines].join("\n"));
}

/** The definition, by recursion over all places a star may end: slow and plainly right. */
function matches(pattern: string, target: string): boolean {
  if (pattern === "") return true;
  if (pattern === "$") return target === "";
  if (pattern[0] === "*") {
    return (
      matches(pattern.slice(1), target) || (target !== "" && matches(pattern, target.slice(1)))
    );
  }
  return target !== "" && pattern[0] === target[0] && matches(pattern.slice(1), target.slice(1));
}

function expectedLine(rules: readonly Rule[], target: string): number | undefined {
  const candidates = rules
    .map((rule, index) => ({ ...rule, line: index + 2 }))
    .filter(({ pattern }) => matches(pattern, target));
  candidates.sort(
    (a, b) =>
      b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow) || a.line - b.line,
  );
  return candidates[0]?.line;
}

test("verdicts equal those of a matcher written from the definition", () => {
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 30 }),
      fc.array(target, { maxLength: 10 }),
      (rules, targets) => {
        const parsed = RobotsRules.parse(fileOf(rules), "Orbweaver");
        for (const path of targets) {
          const line = expectedLine(rules, path);
          const verdict = parsed.verdict(path);
          assert.equal(verdict.line, line, `${path} in ${JSON.stringify(rules)}`);
          assert.equal(verdict.allowed, line === undefined || rules[line - 2]!.allow);
          assert.equal(parsed.matching(path)[0]?.line, line);
        }
      },
    ),
    { numRuns: 3_000 },
  );
});

test("long pieces between stars are found as short ones are", () => {
  const piece = fc
    .array(fc.constantFrom("a", "b"), { minLength: 17, maxLength: 40 })
    .map((p) => p.join(""));
  const long = fc.array(fc.constantFrom("a", "b"), { maxLength: 200 }).map((p) => `/${p.join("")}`);
  fc.assert(
    fc.property(piece, long, fc.nat(200), fc.boolean(), (needle, base, at, plant) => {
      const path = plant ? base.slice(0, at + 1) + needle + base.slice(at + 1) : base;
      const rules = RobotsRules.parse(Buffer.from(`User-agent: *\nDisallow: /*${needle}`), "x");
      assert.equal(rules.verdict(path).allowed, !path.includes(needle));
    }),
    { numRuns: 2_000 },
  );
});

test("however a URL or a rule is escaped, the verdict stays", () => {
  const char = fc.constantFrom("a", "~", "-", "é", "ツ", "💩", "Z", "0", "_", ".");
  const word = fc.array(char, { minLength: 1, maxLength: 8 });
  const escaped = (chars: readonly string[], which: readonly boolean[], upper: boolean) =>
    chars
      .map((c, i) => {
        if (!which[i % which.length]) return c;
        const hex = Buffer.from(c).toString("hex").replace(/../g, "%$&");
        return upper ? hex.toUpperCase() : hex;
      })
      .join("");
  const choices = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(word, word, choices, choices, fc.boolean(), (ruled, asked, a, b, upper) => {
      const plain = RobotsRules.parse(
        Buffer.from(`User-agent: *\nDisallow: /${ruled.join("")}`),
        "x",
      );
      const other = RobotsRules.parse(
        Buffer.from(`User-agent: *\nDisallow: /${escaped(ruled, a, upper)}`),
        "x",
      );
      const expected = !asked.join("").startsWith(ruled.join(""));
      assert.equal(plain.verdict(`/${asked.join("")}`).allowed, expected);
      assert.equal(other.verdict(`/${escaped(asked, b, !upper)}`).allowed, expected);
    }),
    { numRuns: 2_000 },
  );
});

const anyLine = fc.oneof(
  fc.constantFrom(
    "User-agent: *",
    "User-agent: Orbweaver",
    "user agent",
    ":",
    "#",
    "\0",
    "%",
    "\xef\xbb\xbf",
  ),
  fc
    .tuple(fc.constantFrom("Allow", "Disallow", "Crawl-delay", "Sitemap", "x"), fc.string())
    .map((p) => p.join(": ")),
  fc.string({ unit: "binary" }),
);

test("no input and no target makes it throw, and the numbers make sense", () => {
  const text = fc
    .array(fc.tuple(anyLine, fc.constantFrom("\n", "\r", "\r\n", "")), { maxLength: 20 })
    .map((lines) => Buffer.from(lines.flat().join("")));
  const bytes = fc.oneof(text, fc.uint8Array({ maxLength: 300 }));
  fc.assert(
    fc.property(bytes, fc.string(), fc.string({ unit: "binary" }), (file, agent, path) => {
      const rules = RobotsRules.parse(file, agent);
      const lines = Buffer.from(file)
        .toString("latin1")
        .split(/\r\n|\r|\n/).length;
      for (const asked of [path, `/${path}`, "/", ""]) {
        const { line, allowed } = rules.verdict(asked);
        if (line === undefined) assert.equal(allowed, true);
        else assert.ok(line >= 1 && line <= lines);
      }
      assert.ok(rules.crawlDelayMs === undefined || rules.crawlDelayMs >= 0);
      assert.ok(rules.bytes > 0 && rules.bytes < 10_000 + file.length * 20);
    }),
    { numRuns: 2_000 },
  );
});
