import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { crawl } from "../../src/index.ts";
import { readRecords } from "../support/archive.ts";
import { orbweaver, readLog, readPages, tempFolder } from "../support/orbweaver.ts";
import { html, type Script, scriptedServer } from "./scripted-server.ts";

const LICENSE = "https://creativecommons.org/licenses/by/4.0/";
const ROBOTS =
  "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n\nUser-agent: else\nContent-Signal: x=y\n";

const robots =
  (text: string): Script[string] =>
  (_request, response) =>
    response.writeHead(200, { "content-type": "text/plain" }).end(text);

const SITE: Script = {
  "/": html(
    ["header", "meta", "zero", "noai", "tag", "else", "license", "image", "plain"]
      .map((name) => `<a href=/${name} rel="nofollow">${name}</a>`)
      .join(" "),
  ),
  "/header": html("<a href=/behind>x</a>", { "tdm-reservation": "1", "tdm-policy": "/terms" }),
  "/meta": html("<meta name=TDM-Reservation content=' 1 '><meta name=tdm-policy content=/t>"),
  "/zero": html("<meta name=tdm-reservation content=1>", { "tdm-reservation": "0" }),
  "/noai": html("<meta name=robots content='noai, noimageai'>"),
  "/tag": html("", { "x-robots-tag": "noai, noarchive" }),
  "/else": html("", { "x-robots-tag": "otherbot: noai" }),
  "/license": html(`<a rel='noopener License' href=${LICENSE}>CC</a>`, {
    link: "<https://l.example/header>; rel=license, </x>; rel=icon",
  }),
  "/image": (_request, response) =>
    response.writeHead(200, { "content-type": "image/png", "x-robots-tag": "noimageai" }).end("x"),
  "/plain": html("<a rel=licensed href=/plain>no licence</a>"),
  "/behind": html("found only on a page that is reserved"),
};

async function site(t: TestContext, script: Script, more: object = {}) {
  const { origin } = await scriptedServer(t, script);
  const out = join(tempFolder(t), "out");
  const settings = { delayMs: 0, accept: "any" as const, allowPrivate: ["127.0.0.0/8"] };
  const summary = await crawl({ ...settings, seeds: [`${origin}/`], out, ...more });
  return { origin, out, summary };
}

function signalsOf(out: string): Record<string, unknown> {
  const pages = readPages(out) as { url: string; signals?: unknown }[];
  return Object.fromEntries(pages.map(({ url, signals }) => [new URL(url).pathname, signals]));
}

const EXPECTED = {
  "/": undefined,
  "/header": { tdmReservation: 1, tdmPolicy: "/terms" },
  "/meta": { tdmReservation: 1, tdmPolicy: "/t" },
  // The header goes before the page.
  "/zero": { tdmReservation: 0 },
  "/noai": { noai: true, noimageai: true },
  "/tag": { noai: true, robotsTag: "noai, noarchive" },
  "/else": { robotsTag: "otherbot: noai" },
  "/license": { licenses: ["https://l.example/header", LICENSE] },
  "/image": { noimageai: true, robotsTag: "noimageai" },
  "/plain": undefined,
  "/behind": undefined,
};

test("what is said about the use of a page is in its line, in the report, and survives a recovery", async (t) => {
  const { out } = await site(t, SITE);
  assert.deepEqual(signalsOf(out), EXPECTED);
  const list = join(out, "pages/pages.jsonl");
  const lines = () => readFileSync(list, "utf8").split("\n").sort();
  const before = lines();
  assert.equal((await orbweaver(["recover", out])).code, 0);
  assert.deepEqual(lines(), before);
  assert.equal((await orbweaver(["report", out])).code, 0);
  const report = JSON.parse(readFileSync(join(out, "reports/report.json"), "utf8"));
  const counts = report.signals.map(({ name, pages }: { name: string; pages: number }) => [
    name,
    pages,
  ]);
  assert.deepEqual(Object.fromEntries(counts), {
    "tdm-reservation: 1": 2,
    "tdm-reservation: 0": 1,
    noai: 2,
    noimageai: 2,
    "X-Robots-Tag: noai, noarchive": 1,
    "X-Robots-Tag: otherbot: noai": 1,
    "X-Robots-Tag: noimageai": 1,
    [`license: ${LICENSE}`]: 1,
    "license: https://l.example/header": 1,
  });
  assert.match(readFileSync(join(out, "reports/report.html"), "utf8"), /Use of content/);
});

test("--obey-tdm keeps none of what is reserved, and follows none of its links", async (t) => {
  const { out, summary } = await site(t, SITE, { obeyTdm: true });
  assert.deepEqual(Object.keys(signalsOf(out)).sort(), [
    "/",
    "/else",
    "/license",
    "/plain",
    "/zero",
  ]);
  const refused = readLog(out)
    .filter(({ outcome }) => outcome === "refused")
    .map(({ url, error, detail }) => `${new URL(url).pathname} ${error} ${detail}`)
    .sort();
  assert.deepEqual(refused, [
    "/header tdm_reserved tdm-reservation",
    "/image tdm_reserved noimageai",
    "/meta tdm_reserved tdm-reservation",
    "/noai tdm_reserved noai",
    "/tag tdm_reserved noai",
  ]);
  assert.equal(summary.refused, 5);
  const archived = readRecords(join(out, "archive")).map(({ uri }) => uri ?? "");
  assert.ok(!archived.some((uri) => /\/(header|meta|noai|tag|image|behind)$/.test(uri)));
});

test("Content-Signal of robots.txt counts for every page, and refuses before a page is asked for", async (t) => {
  const script = { ...SITE, "/robots.txt": robots(ROBOTS) };
  const contentSignal = "search=yes, ai-train=no";
  const { out, origin } = await site(t, script, { threads: 2 });
  for (const [path, signals] of Object.entries(signalsOf(out)))
    assert.deepEqual(signals, { ...EXPECTED[path as keyof typeof EXPECTED], contentSignal }, path);
  // As obeyed, a record of its own.
  const records = readRecords(join(out, "archive")).filter(({ type }) => type === "resource");
  assert.deepEqual(
    records.map(({ uri, block, problems }) => [uri, block.toString(), problems]),
    [[`${origin}/robots.txt`, ROBOTS, []]],
  );
  const { asked, origin: other } = await scriptedServer(t, script);
  const settings = { seeds: [`${other}/`], delayMs: 0, allowPrivate: ["127.0.0.0/8"] };
  const obeyed = join(tempFolder(t), "out");
  const { pages, refused } = await crawl({ ...settings, out: obeyed, obeyTdm: true });
  assert.deepEqual([pages, refused], [0, 1]);
  assert.deepEqual(asked, ["/robots.txt"]);
  assert.equal(readLog(obeyed)[0]!.error, "tdm_reserved");
});
