import assert from "node:assert/strict";
import { test } from "node:test";
import { robotsFromStatus } from "../../../src/fetch/robots/robots-cache.ts";
import { ROBOTS_PATH, RobotsRules } from "../../../src/fetch/robots/robots-rules.ts";
import { conformanceJson, noConformance } from "../../support/conformance.ts";

interface Case {
  test: string;
  robots?: string;
  robots_b64?: string;
  agent: string;
  url: string;
  allowed: boolean;
  level: "core" | "rfc-over-google" | "agreed-extra" | "divergent";
}

function bytesOf({ robots, robots_b64 }: { robots?: string; robots_b64?: string }): Buffer {
  return robots_b64 === undefined ? Buffer.from(robots ?? "") : Buffer.from(robots_b64, "base64");
}

/** Path and query as in a canonical URL; the lists also hold "" and things that are no URL. */
function targetOf(url: string): string {
  if (!URL.canParse(url)) return "/";
  const { pathname, search } = new URL(url);
  return pathname + search;
}

const LISTS = ["google_robots_test", "google_spec_test_correctness", "protego", "robots_parser"];
for (const list of LISTS) {
  test(`every required case of ${list}`, { skip: noConformance }, (t) => {
    const wrong: Case[] = [];
    const right = new Map<string, number>();
    const total = new Map<string, number>();
    for (const item of conformanceJson<Case[]>(`robots/${list}.json`)) {
      const rules = RobotsRules.parse(bytesOf(item), item.agent);
      const agrees = rules.verdict(targetOf(item.url)).allowed === item.allowed;
      total.set(item.level, (total.get(item.level) ?? 0) + 1);
      if (agrees) right.set(item.level, (right.get(item.level) ?? 0) + 1);
      else if (item.level === "core" || item.level === "rfc-over-google") wrong.push(item);
    }
    for (const [level, count] of total)
      t.diagnostic(`${level}: ${right.get(level) ?? 0} of ${count}`);
    assert.ok((total.get("core") ?? 0) > 0, "the list has cases");
    assert.deepEqual(wrong, []);
  });
}

interface RealFile {
  host: string;
  robots: string;
  probes: [agent: string, path: string, allowed: 0 | 1][];
}

test("real files: the verdicts on which Google's parser and Protego agree", {
  skip: noConformance,
}, (t) => {
  const wrong: string[] = [];
  let probes = 0;
  for (const { host, robots, probes: asked } of conformanceJson<RealFile[]>(
    "robots/real_robots.jsonl.gz",
  )) {
    const byAgent = new Map<string, RobotsRules>();
    for (const [agent, path, expected] of asked) {
      const rules = byAgent.get(agent) ?? RobotsRules.parse(Buffer.from(robots), agent);
      byAgent.set(agent, rules);
      // Both references leave /robots.txt itself, which RFC 9309 always allows, to their callers: 7 probes.
      if (path === ROBOTS_PATH) continue;
      probes++;
      if (rules.verdict(path).allowed !== (expected === 1)) wrong.push(`${host} ${agent} ${path}`);
    }
  }
  t.diagnostic(`${probes - wrong.length} of ${probes} probes`);
  assert.ok(probes > 100_000);
  assert.deepEqual(wrong, []);
});

interface Disagreement {
  host: string;
  agent: string;
  path: string;
  google: boolean;
  protego: boolean;
}

test("real files on which the references disagree: reported", { skip: noConformance }, (t) => {
  const files = new Map(
    conformanceJson<RealFile[]>("robots/real_robots.jsonl.gz").map(({ host, robots }) => [
      host,
      robots,
    ]),
  );
  let asGoogle = 0;
  let asProtego = 0;
  for (const { host, agent, path, google } of conformanceJson<Disagreement[]>(
    "robots/real_robots_disagreements.json",
  )) {
    const robots = files.get(host);
    if (robots === undefined) continue;
    if (RobotsRules.parse(Buffer.from(robots), agent).verdict(path).allowed === google) asGoogle++;
    else asProtego++;
  }
  t.diagnostic(`with Google ${asGoogle}, with Protego ${asProtego}`);
  assert.ok(asGoogle + asProtego > 0);
});

test("inputs that are not text do no harm", { skip: noConformance }, () => {
  for (const list of ["fuzz_seed_inputs", "real_robots_non_utf8"]) {
    const items = conformanceJson<{ robots_b64: string }[]>(`robots/${list}.json`);
    assert.ok(items.length > 0);
    for (const item of items) {
      for (const agent of ["Orbweaver", "*", "", "\ud800"]) {
        const rules = RobotsRules.parse(bytesOf(item), agent);
        for (const target of ["/", "", "/%", "/%ff?%", "/\ud800"]) {
          assert.equal(typeof rules.verdict(target).allowed, "boolean");
        }
      }
    }
  }
});

interface Extra {
  source: string;
  test: string;
  kind: string;
  robots: string;
  agent?: string;
  robots_url?: string;
  value: unknown;
}

/** Where other parsers do what the RFC or a third parser forbids; each with the reason. */
const DEVIATIONS = new Set([
  // A list of names separated by commas is no product token.
  "crawler-commons testHeritrixCases",
  // HTML markup after a value: "10a" must be ignored, and "10<BR>" is no better.
  "crawler-commons testHtmlMarkupInRobotsTxt",
  // Records before the first user-agent line belong to no group.
  "reppy test_no_leading_user_agent",
]);

test("crawl delays and sitemaps of other parsers' tests", { skip: noConformance }, (t) => {
  let compared = 0;
  const wrong = new Set<string>();
  for (const item of conformanceJson<Extra[]>("robots/extras_delay_sitemap.json")) {
    const rules = RobotsRules.parse(Buffer.from(item.robots), item.agent ?? "any");
    let actual: unknown;
    if (item.kind === "sitemaps") {
      actual = rules.sitemaps.map((sitemap) =>
        item.robots_url === undefined ? sitemap : new URL(sitemap, item.robots_url).href,
      );
    } else if (item.kind === "crawl_delay_seconds") {
      actual = rules.crawlDelayMs === undefined ? null : rules.crawlDelayMs / 1000;
    } else continue;
    compared++;
    if (JSON.stringify(actual) !== JSON.stringify(item.value))
      wrong.add(`${item.source} ${item.test}`);
  }
  t.diagnostic(`${compared} compared; request rates are not supported`);
  assert.deepEqual(wrong, DEVIATIONS);
});

test("what a status means", { skip: noConformance }, () => {
  const cases =
    conformanceJson<{ status: number; allow_all: boolean }[]>("robots/http_status.json");
  for (const { status, allow_all } of cases) {
    const meaning = robotsFromStatus(
      { status, body: Buffer.from("User-agent: *\nDisallow: /") },
      "Orbweaver",
    );
    assert.equal(
      meaning.kind === "rules" && meaning.rules.verdict("/").allowed,
      allow_all,
      `${status}`,
    );
    assert.equal(meaning.kind === "unreachable", !allow_all, `${status}`);
  }
});
