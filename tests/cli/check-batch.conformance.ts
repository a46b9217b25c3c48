import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { charsetByLabel } from "../../src/parse/charset/meta-prescan.ts";
import { canonicalize } from "../../src/url/crawl-url.ts";
import { conformanceFile, conformanceJson, noConformance } from "../support/conformance.ts";
import { runBin } from "./run-bin.ts";

/** Sends all questions through the shipped program at once; as many answers must come back. */
async function ask<Answer>(kind: string, questions: readonly object[]): Promise<Answer[]> {
  const stdin = questions.map((question) => `${JSON.stringify(question)}\n`).join("");
  const { code, stdout, stderr } = await runBin(["check", kind, "--batch"], stdin);
  assert.deepEqual([code, stderr], [0, ""]);
  const answers = stdout.trimEnd().split("\n");
  assert.equal(answers.length, questions.length);
  return answers.map((line) => JSON.parse(line) as Answer);
}

interface RobotsCase {
  test: string;
  robots?: string;
  robots_b64?: string;
  agent: string;
  url: string;
  allowed: boolean;
  level: string;
}

test("robots: every required case of the lists, and a probe of every real file", {
  skip: noConformance,
}, async (t) => {
  const lists = ["google_robots_test", "google_spec_test_correctness", "protego", "robots_parser"];
  const cases = lists
    .flatMap((list) => conformanceJson<RobotsCase[]>(`robots/${list}.json`))
    .filter(({ level }) => level === "core" || level === "rfc-over-google");
  const real = conformanceJson<
    { host: string; robots: string; probes: [agent: string, path: string, allowed: 0 | 1][] }[]
  >("robots/real_robots.jsonl.gz").flatMap(({ host, robots, probes }) => {
    const [probe] = probes;
    if (probe === undefined) return [];
    const [agent, path, allowed] = probe;
    return { test: host, robots, agent, url: `https://${host}${path}`, allowed: allowed === 1 };
  });
  const all = [...cases, ...real];
  const answers = await ask<{ allowed: boolean }>("robots", all);
  const wrong = all.filter(({ allowed }, i) => answers[i]!.allowed !== allowed);
  t.diagnostic(`${cases.length} cases and ${real.length} real files, ${wrong.length} wrong`);
  assert.ok(cases.length > 400 && real.length > 2500);
  assert.deepEqual(wrong, []);
});

interface UrlCase {
  input?: string;
  base?: string | null;
  href?: string;
  failure?: boolean;
}

/** The part of an expected href that a crawl keeps; null for what it does not follow. */
function followed(href: string | undefined): string | null {
  if (href === undefined || !/^https?:/.test(href)) return null;
  return href.replace(/#.*$/s, "").replace(/^(https?:\/\/)[^/@]*@/, "$1");
}

test("url: not worse than Node's parser on the WHATWG cases, whatever the base", {
  skip: noConformance,
}, async (t) => {
  const cases = conformanceJson<UrlCase[]>("url/wpt_urltestdata.json").filter(
    ({ input }) => input !== undefined,
  );
  const answers = await ask<{ url: string | null; reason?: string }>("url", cases);
  let ours = 0;
  let node = 0;
  for (const [i, { input, base, href, failure }] of cases.entries()) {
    const expected = followed(failure ? undefined : href);
    const { url, reason } = answers[i]!;
    assert.equal(url === null, reason !== undefined);
    if (url === expected) ours++;
    const parsed = URL.canParse(input!, base ?? undefined)
      ? new URL(input!, base ?? undefined).href
      : undefined;
    if (followed(parsed) !== expected) continue;
    node++;
    assert.equal(url, expected, JSON.stringify([input, base]));
  }
  t.diagnostic(`${ours} of ${cases.length}; Node ${node}`);
  assert.ok(ours >= node && cases.length >= 600);
});

test("links: the links of the html5lib trees, in their order", {
  skip: noConformance,
}, async () => {
  const page = canonicalize("http://h/dir/page")!;
  const cases = conformanceJson<{ html: string; links: { element: string; value: string }[] }[]>(
    "html/html5_tree_links.json",
  );
  const answers = await ask<{ links: string[] }>(
    "links",
    cases.map(({ html }) => ({ html, url: page })),
  );
  assert.ok(cases.length >= 14);
  for (const [i, { html, links }] of cases.entries()) {
    const expected = links.map(({ value }) => canonicalize(value, page));
    assert.deepEqual(answers[i]!.links, [...new Set(expected)], html);
  }
});

test("charset: every case of html5lib's encoding sniffing", { skip: noConformance }, async () => {
  const cases = conformanceJson<{ body_b64: string; encoding: string }[]>(
    "html/html5lib_encoding_sniff.json",
  );
  const answers = await ask<{ charset: string }>("charset", cases);
  assert.ok(cases.length >= 56);
  for (const [i, { encoding, body_b64 }] of cases.entries()) {
    const body = Buffer.from(body_b64, "base64").toString("latin1");
    assert.equal(answers[i]!.charset, charsetByLabel(encoding), body);
  }
});

test("sitemap: every file as crawler-commons reads it leniently", {
  skip: noConformance,
}, async () => {
  interface Case {
    file: string;
    fetched_from: string;
    lenient: { urls?: { loc: string }[]; children?: { url: string }[] };
  }
  const cases = conformanceJson<Case[]>("sitemap/expected.json");
  const answers = await ask<object>(
    "sitemap",
    cases.map(({ file, fetched_from }) => ({
      body_b64: readFileSync(conformanceFile(`sitemap/files/${file}`)).toString("base64"),
      url: fetched_from,
    })),
  );
  const canonical = (links: string[]) => [...new Set(links.map((link) => canonicalize(link)))];
  for (const [i, { file, lenient }] of cases.entries()) {
    assert.deepEqual(
      answers[i],
      {
        urls: canonical((lenient.urls ?? []).map(({ loc }) => loc)),
        sitemaps: canonical((lenient.children ?? []).map(({ url }) => url)),
      },
      file,
    );
  }
});
