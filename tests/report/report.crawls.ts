import assert from "node:assert/strict";
import {
  appendFileSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import * as parse5 from "parse5";
import type { CorpusReport } from "../../src/report/corpus-report.ts";
import type { Distribution } from "../../src/report/numbers/distribution.ts";
import type { Share } from "../../src/report/numbers/tally.ts";
import { PROFILES } from "../../src/web/profile.ts";
import { startWebProcess } from "../../src/web/web-process.ts";
import { runHere } from "../cli/run-bin.ts";
import { crawlScript } from "../crawl/scripted-crawl.ts";
import { html, redirect } from "../crawl/scripted-server.ts";
import { orbweaver, tempFolder } from "../support/orbweaver.ts";
import { type CountedPage, countArchive, type MarkupNode } from "./independent-count.ts";

async function reportOf(out: string, ...args: string[]): Promise<CorpusReport> {
  const { code, stdout, stderr } = await runHere(["report", out, "--json", ...args]);
  assert.deepEqual([code, stderr], [0, ""]);
  const written = readFileSync(join(out, "reports/report.json"), "utf8");
  assert.deepEqual(JSON.parse(stdout), JSON.parse(written));
  return JSON.parse(stdout) as CorpusReport;
}

/** Without what differs from call to call. */
function lasting({ generated: _, ...rest }: CorpusReport): object {
  return rest;
}

/** Crawls a small synthetic web with names, faults and gzip. */
async function crawlWeb(t: TestContext): Promise<string> {
  const out = join(tempFolder(t), "out");
  const web = await startWebProcess({ profile: { ...PROFILES.tiny, pages: 120, hosts: 6 } });
  try {
    const { code, stderr } = await orbweaver([
      ...["crawl", ...web.start, "--out", out, "--scope", "any", "--delay", "0", "--quiet"],
      ...["--allow-private", "127.0.0.0/8", "--threads", "1"],
      ...["--order", "opic", "--report"],
    ]);
    assert.deepEqual([code, stderr], [0, ""]);
    return out;
  } finally {
    await web.close();
  }
}

function check(found: Distribution, values: readonly number[], what: string): void {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  assert.deepEqual(
    { mean: found.mean, median: found.median, p90: found.p90, p99: found.p99, max: found.max },
    {
      mean: sorted.reduce((a, b) => a + b, 0) / n,
      median: (sorted[Math.floor((n - 1) / 2)]! + sorted[Math.floor(n / 2)]!) / 2,
      p90: sorted[Math.ceil(0.9 * n) - 1],
      p99: sorted[Math.ceil(0.99 * n) - 1],
      max: sorted.at(-1),
    },
    what,
  );
  for (const { from, to, count } of found.histogram)
    assert.equal(count, sorted.filter((v) => v >= from && v < to).length, `${what} from ${from}`);
  assert.equal(sum(found.histogram), n, `the bins of ${what} hold all pages`);
}

function sum(bins: readonly { readonly count: number }[]): number {
  return bins.reduce((total, { count }) => total + count, 0);
}

/** A table of names is what pages say, most frequent first. */
function checkShares(
  found: readonly Share[],
  pages: readonly CountedPage[],
  nameOf: (page: CountedPage) => string,
): void {
  const counts = new Map<string, number>();
  for (const page of pages) {
    const name = nameOf(page) || "(none)";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  assert.deepEqual(
    found.map(({ name, pages: count, share }) => [name, count, share]),
    [...counts]
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .map(([name, count]) => [name, count, count / pages.length]),
  );
}

/** In-degrees and PageRank over links between pages, by the plainest way to compute them. */
function checkGraph({ topPages }: CorpusReport, pages: readonly CountedPage[]): void {
  const place = new Map(pages.map(({ url }, i) => [url, i]));
  const out = pages.map(({ targets }) => [...targets].flatMap((url) => place.get(url) ?? []));
  const degrees = pages.map(() => 0);
  for (const target of out.flat()) degrees[target]!++;
  let ranks = pages.map(() => 1 / pages.length);
  for (let round = 0; round < 200; round++) {
    const next = pages.map(() => 0);
    let loose = 0;
    for (const [i, all] of out.entries()) {
      const targets = all.filter((target) => target !== i);
      if (targets.length === 0) loose += ranks[i]!;
      for (const target of targets) next[target]! += ranks[i]! / targets.length;
    }
    ranks = next.map((rank) => 0.15 / pages.length + 0.85 * (rank + loose / pages.length));
  }
  for (const { url, value } of topPages.byInDegree)
    assert.equal(value, degrees[place.get(url)!], `pages that link to ${url}`);
  assert.equal(topPages.byInDegree[0]!.value, Math.max(...degrees));
  for (const { url, value } of topPages.byPageRank)
    assert.ok(Math.abs(value - ranks[place.get(url)!]!) < 1e-4, `the rank of ${url}`);
  assert.ok(Math.abs(topPages.byPageRank[0]!.value - Math.max(...ranks)) < 1e-4);
}

function hostsOf(pages: readonly CountedPage[]): Map<string, number> {
  const hosts = new Map<string, number>();
  for (const { url } of pages) {
    const { hostname } = new URL(url);
    hosts.set(hostname, (hosts.get(hostname) ?? 0) + 1);
  }
  return hosts;
}

test("a report agrees with an independent count over the archive, also when it is interrupted and repeated", async (t) => {
  const out = await crawlWeb(t);
  // --report has written it at the end of the crawl.
  const first = JSON.parse(readFileSync(join(out, "reports/report.json"), "utf8")) as CorpusReport;
  const { pages: counted, others } = await countArchive(out);
  const hosts = hostsOf(counted);
  assert.equal(first.pages, counted.length);
  assert.equal(first.hosts, hosts.size);
  assert.equal(first.domains, hosts.size, "an address is its own domain");
  assert.equal(first.pagesPerHost, counted.length / hosts.size);
  assert.equal(first.pagesPerDomain, counted.length / hosts.size);
  check(
    first.pageBytes,
    counted.map(({ bytes }) => bytes),
    "page bytes",
  );
  check(
    first.tokens,
    counted.map(({ tokens }) => tokens),
    "tokens",
  );
  check(
    first.outLinks,
    counted.map(({ links }) => links),
    "out-links",
  );
  check(
    first.outLinksAll,
    counted.map(({ linksAll }) => linksAll),
    "all out-links",
  );
  assert.equal(sum(first.pagesPerHostHistogram), first.hosts);
  assert.equal(sum(first.pagesPerDomainHistogram), first.domains);
  assert.deepEqual(
    first.topHosts.map(({ name, pages, share }) => [name, pages, share]),
    [...hosts]
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .slice(0, 10)
      .map(([name, pages]) => [name, pages, pages / counted.length]),
  );
  checkShares(first.status, counted, ({ status }) => String(status));
  checkShares(first.mime, counted, ({ mime }) => mime);
  checkShares(first.charset, counted, ({ charset }) => charset);
  checkShares(first.language.declared, counted, ({ language }) => language);
  const failed = new Map(first.failed.map(({ code, urls }) => [code, urls]));
  for (const [status, count] of others)
    if (status >= 400) assert.equal(failed.get(`http_${status}`), count, `status ${status}`);
  const redirected = [...others].filter(([status]) => status >= 300 && status < 400);
  assert.equal(
    first.redirects.urls,
    redirected.reduce((all, [, count]) => all + count, 0),
  );
  checkGraph(first, counted);
  const summary = JSON.parse(readFileSync(join(out, "reports/summary.json"), "utf8"));
  assert.equal(first.pages, summary.pages);
  assert.equal(first.course.at(-1)!.seconds, summary.seconds, "the series ends with the crawl");
  assert.ok(Math.abs(first.activeSeconds - summary.seconds) < 1);
  assert.equal(first.pagesPerSecond, first.pages / first.activeSeconds);
  assert.equal(first.unread, 0);
  assert.ok(first.topPages.byCash!.length > 0 && first.topPages.byPageRank.length > 0);

  const facts = join(out, "reports/page-facts.jsonl");
  const whole = readFileSync(facts);
  assert.deepEqual(lasting(await reportOf(out)), lasting(first), "again, from what was kept");
  truncateSync(facts, Math.floor(whole.length * 0.6));
  assert.deepEqual(lasting(await reportOf(out)), lasting(first), "interrupted in a line");
  assert.deepEqual(readFileSync(facts), whole, "and completed");
  writeFileSync(facts, whole.toString().replace(/"id":"./, '"id":"x'));
  assert.deepEqual(lasting(await reportOf(out)), lasting(first), "facts of other pages");
  rmSync(facts);
  assert.deepEqual(lasting(await reportOf(out)), lasting(first), "anew");
  const older = join(out, "pages/pages.jsonl");
  const fields = /,"(?:linksAll|decodedBytes)":\d+|,"(?:charset|language)":"[^"]*"/g;
  writeFileSync(older, readFileSync(older, "utf8").replace(fields, ""));
  rmSync(facts);
  assert.deepEqual(lasting(await reportOf(out)), lasting(first), "a folder of an older version");
});

const TEXT = Array.from({ length: 300 }, (_, i) => `The ${i} river runs past towns and fields.`);
const PORTUGUESE =
  "O tempo no norte esteve frio esta semana e muitas pessoas ficaram em casa para ler livros enquanto os trens chegaram atrasados.";
const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(2)>`;

/** A site with everything that a report tells about. */
async function crawlSite(t: TestContext) {
  const copy = html(`<p>${TEXT.join("<p>")}`);
  return crawlScript(
    t,
    {
      "/": (_request, response) => {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
        response.end(
          `<!doctype html><html lang=pt-BR><title>${HOSTILE.replaceAll("<", "&lt;")}</title><a href=/a>a</a> <a href=/a#x>a</a> <a href=/b>b</a> <a href=/near>n</a> <a href=/gone>g</a> <a href=/moved>m</a> <a href=/secret/x>s</a> <p>${PORTUGUESE}`,
        );
      },
      "/robots.txt": (_request, response) =>
        response
          .writeHead(200, { "content-type": "text/plain" })
          .end("User-agent: *\nDisallow: /secret/\n"),
      "/a": copy,
      "/b": copy,
      "/near": (_request, response) => {
        response.writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" });
        const [, ...rest] = TEXT;
        response.end(
          gzipSync(`<meta charset=utf-8><title>n</title><p>${rest.join("<p>")}<a href=/gone>g</a>`),
        );
      },
      "/moved": redirect("/a", 301),
    },
    "--scope",
    "host",
  );
}

test("duplicates, broken links, redirects, refusals and languages are found", async (t) => {
  const { out, origin } = await crawlSite(t);
  const report = await reportOf(out, "--tokens", "whitespace", "--top", "3");
  const { duplicates, brokenLinks, redirects, robots, language, topPages, outLinks } = report;
  assert.equal(report.pages, 4);
  assert.equal(outLinks.max, 6, "one link is there twice");
  assert.equal(report.outLinksAll.max, 7);
  assert.deepEqual(
    [duplicates.exact.clusters, duplicates.exact.pages, duplicates.exact.extra],
    [1, 2, 1],
  );
  assert.deepEqual([duplicates.near.clusters, duplicates.near.pages], [1, 3]);
  assert.deepEqual(duplicates.exact.examples, [{ pages: 2, urls: [`${origin}/a`, `${origin}/b`] }]);
  assert.deepEqual(
    brokenLinks.map(({ url, code, linkedFrom, referrers }) => [
      url,
      code,
      linkedFrom,
      [...referrers].sort(),
    ]),
    [[`${origin}/gone`, "http_404", 2, [`${origin}/`, `${origin}/near`]]],
  );
  assert.deepEqual(
    [redirects.urls, redirects.toOtherHosts, redirects.byStatus[0]!.name],
    [1, 0, "301"],
  );
  assert.deepEqual([robots.refused, robots.examples], [1, [`${origin}/secret/x`]]);
  assert.deepEqual(
    language.declared.map(({ name, pages }) => [name, pages]),
    [
      ["(none)", 3],
      ["pt", 1],
    ],
  );
  const detected = new Map(language.detected.map(({ name, pages }) => [name, pages]));
  assert.deepEqual([detected.get("en"), detected.get("pt")], [3, 1]);
  assert.equal(report.tokeniser.name, "whitespace");
  assert.equal(topPages.byCash, null, "the crawl was not ordered by cash");
  assert.equal(sum(report.timeline.bins.map(({ pages }) => ({ count: pages }))), 4);
});

/** The elements and attributes of a page, as a browser sees them. */
function markupOf(page: string) {
  const tags = new Set<string>();
  const attributes: [string, string][] = [];
  const walk = (node: MarkupNode) => {
    tags.add(node.nodeName);
    for (const { name, value } of node.attrs ?? []) attributes.push([name, value]);
    for (const child of node.childNodes ?? []) walk(child);
  };
  walk(parse5.parse(page) as unknown as MarkupNode);
  return { tags, attributes };
}

test("the HTML holds nothing that runs, whatever pages are called", async (t) => {
  const { out } = await crawlSite(t);
  await reportOf(out);
  const page = readFileSync(join(out, "reports/report.html"), "utf8");
  assert.match(page, /alert\(1\)/, "the title is shown");
  const { tags, attributes } = markupOf(page);
  for (const tag of ["script", "img", "iframe", "object", "form"]) assert.ok(!tags.has(tag), tag);
  assert.deepEqual(
    attributes.filter(([name, value]) => /^(?:on|style$)/.test(name) || /script:/i.test(value)),
    [],
  );
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)![1]!;
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+' 'sha256-[^']+';/);
  assert.doesNotMatch(page, /(?:src|href)="(?!https?:|#)/, "it loads nothing");
});

test("two crawls side by side: new, gone, changed", async (t) => {
  const [one, other] = [await crawlSite(t), await crawlSite(t)];
  const list = join(other.out, "pages/pages.jsonl");
  const moved = readFileSync(list, "utf8").replaceAll(other.origin, one.origin);
  const changed = moved
    .replace(`${one.origin}/near"`, `${one.origin}/old"`)
    .replace(/("url":"[^"]*\/b".*"digest":"sha256:)./, "$1x");
  writeFileSync(list, changed);
  const { comparison } = await reportOf(one.out, "--against", other.out);
  const { new: added, gone, changed: different, same, here, there } = comparison!;
  assert.deepEqual(
    [added, gone, different],
    [
      { pages: 1, examples: [`${one.origin}/near`] },
      { pages: 1, examples: [`${one.origin}/old`] },
      { pages: 1, examples: [`${one.origin}/b`] },
    ],
  );
  assert.deepEqual([same, here.pages, there.pages], [2, 4, 4]);
  const page = readFileSync(join(one.out, "reports/report.html"), "utf8");
  assert.match(page, /Beside another crawl/);
});

test("what cannot be reported on is refused with a sentence", async (t) => {
  const { out } = await crawlSite(t);
  const refused: [string[], RegExp][] = [
    [["report"], /takes the folder of one crawl/],
    [["report", `${out}-none`], /there is no folder/],
    [["report", out, "--top", "0"], /--top 0 is not allowed/],
    [["report", out, "--tokens", "letters"], /--tokens letters is not allowed/],
    [["report", out, "--tokens", "cl100k-like"], /npm install gpt-tokenizer/],
    [["report", out, "--against", `${out}-none`], /there is no folder/],
  ];
  for (const [args, sentence] of refused) {
    const { code, stderr, stdout } = await runHere(args);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, sentence);
  }
  assert.equal(statSync(join(out, "reports/summary.json")).isFile(), true);
  rmSync(join(out, "archive"), { recursive: true });
  appendFileSync(join(out, "reports/page-facts.jsonl"), "");
  rmSync(join(out, "reports/page-facts.jsonl"));
  const without = await reportOf(out);
  assert.deepEqual(
    [without.pages, without.unread],
    [4, 4],
    "the lists alone are enough for counts",
  );
});
