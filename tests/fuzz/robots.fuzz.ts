import assert from "node:assert/strict";
import * as fc from "fast-check";
import { RobotsRules } from "../../src/fetch/robots/robots-rules.ts";
import { claim, type FuzzTarget, linear } from "./target.ts";

interface Rule {
  allow: boolean;
  pattern: string;
}

const rule: fc.Arbitrary<Rule> = fc.record({
  allow: fc.boolean(),
  pattern: fc
    .array(fc.constantFrom("a", "b", "ab", "/", "?", ".", "*", "**", "$", "-"), { maxLength: 14 })
    .map((parts) => `/${parts.join("")}`),
});
const target = fc
  .array(fc.constantFrom("a", "b", "ab", "/", "?", ".", "-", "$", "*"), { maxLength: 24 })
  .map((parts) => `/${parts.join("")}`);

/** RFC 9309, 2.2.3, as a table: which prefixes of the pattern reach which prefixes of the target. */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith("$");
  const body = anchored ? pattern.slice(0, -1) : pattern;
  let reached = new Set([0]);
  for (const character of body) {
    const next = new Set<number>();
    for (const at of reached) {
      if (character === "*") for (let to = at; to <= path.length; to++) next.add(to);
      else if (path[at] === character) next.add(at + 1);
    }
    reached = next;
  }
  return anchored ? reached.has(path.length) : reached.size > 0;
}

function decidingLine(rules: readonly Rule[], path: string): number | undefined {
  let best: { line: number; length: number; allow: boolean } | undefined;
  for (const [i, { allow, pattern }] of rules.entries()) {
    if (!matches(pattern, path)) continue;
    const { length } = pattern;
    const wins =
      best === undefined ||
      length > best.length ||
      (length === best.length && allow && !best.allow);
    if (wins) best = { line: i + 2, length, allow };
  }
  return best?.line;
}

const word = fc.constantFrom(
  "User-agent: *",
  "User-agent: Orbweaver",
  "user agent",
  "Allow: /",
  "Disallow: /*a*b$",
  "Sitemap: x",
  "Crawl-delay: 1e308",
  "#",
  ":",
  "\0",
  "%",
  "%zz",
  "\ufeff",
  "\n",
  "\r",
  "\r\n",
  " ",
  "*",
  "$",
  "/",
);
const file = fc.oneof(
  fc
    .array(fc.oneof(word, fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 40 })
    .map((parts) => Buffer.from(parts.join(""))),
  fc.uint8Array({ maxLength: 300 }),
);

/** robots.txt: any bytes, verdicts by definition, linear in the file. */
export const robotsTarget: FuzzTarget = {
  name: "robots",
  open: () => ({
    parts: [
      {
        name: "any-bytes",
        property: claim(
          fc.property(file, fc.string(), fc.string({ unit: "binary" }), (bytes, agent, path) => {
            const rules = RobotsRules.parse(bytes, agent);
            for (const asked of [path, `/${path}`, "/", ""]) {
              const { allowed, line } = rules.verdict(asked);
              assert.ok(allowed || line !== undefined);
              // The first of all that match is the one that decides.
              const first = rules.matching(asked)[0];
              assert.equal(first?.line, line);
            }
            assert.ok(rules.crawlDelayMs === undefined || rules.crawlDelayMs >= 0);
          }),
        ),
      },
      {
        name: "reference",
        property: claim(
          fc.property(fc.array(rule, { maxLength: 30 }), fc.array(target), (rules, targets) => {
            const lines = rules.map((r) => `${r.allow ? "Allow" : "Disallow"}: ${r.pattern}`);
            const text = ["User-agent: *", ...lines].join("\n");
            const parsed = RobotsRules.parse(Buffer.from(text), "Orbweaver");
            for (const path of targets)
              assert.equal(parsed.verdict(path).line, decidingLine(rules, path), path);
          }),
        ),
      },
      {
        name: "linear",
        timed: true,
        property: linear(
          fc.oneof(
            word,
            fc.string({ minLength: 1 }),
            fc.array(word, { minLength: 1, maxLength: 6 }).map((w) => w.join("")),
          ),
          (text) => {
            RobotsRules.parse(Buffer.from(text), "Orbweaver").verdict(`/${text.slice(0, 2000)}`);
            RobotsRules.parse(Buffer.from(`User-agent: *\nDisallow: /${text}`), "x").verdict("/a");
          },
          { characters: 400_000, cpuMs: 2000 },
        ),
      },
    ],
  }),
};
