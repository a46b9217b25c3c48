import { join } from "node:path";
import { histogramPlot } from "../../stats/plot/histogram-plot.ts";
import { logBins } from "../../stats/plot/log-bins.ts";
import { readLines } from "../../store/files/read-file.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";
import type { PageLine } from "../../store/lists/page-line.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { siteOf } from "../../url/site.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { PROFILES, type WebProfile } from "../../web/profile.ts";
import { type Cell, counted, type Experiment, measured, type Table } from "../experiment.ts";
import { labCrawl, webText, withWeb } from "../lab-web.ts";
import { percentText, quantile, rounded } from "../run-spread.ts";

const KINDS = ["www", "news", "shop"];
const TOP = 10;

/** What is read from pages.jsonl; the fields of newer crawls are used where they are. */
interface Corpus {
  readonly hosts: [name: string, pages: number][];
  readonly domains: number[];
  readonly bytes: number[];
  readonly words: number[];
  readonly links: number[];
  /** Empty where the list does not tell. */
  readonly allLinks: number[];
  readonly rate: number;
}

/** Tables 2 and 3, figures 1-3 of document 004. */
export const experiment: Experiment = {
  name: "corpus",
  document: "004",
  question:
    "What does a collected corpus look like: pages per domain, sizes, tokens, out-links (tables 2 and 3, figures 1 to 3)?",
  seconds: { quick: 3, normal: 40, full: 100 },
  async run(run) {
    const hosts = run.pick(60, 300, 1200);
    const profile: WebProfile = {
      ...PROFILES.real,
      seed: run.seed,
      hosts,
      pages: Math.max(hosts, run.pick(1500, 15_000, 60_000)),
      meanLinks: 60,
      minBytes: 8192,
      maxBytes: Math.max(16_384, run.pick(65_536, 262_144, 524_288)),
      encodings: false,
    };
    // Three host names per domain, so that hosts and registrable domains differ.
    const hostNames = Array.from(
      { length: hosts },
      (_, h) => `${KINDS[h % 3]}.site${Math.floor(h / 3)}.test`,
    );
    run.plan(1);
    const corpus = await run.step("crawl", () =>
      withWeb({ profile, hostNames }, async (web) => {
        const out = join(run.scratch, "crawl");
        const resolve = web.resolveArguments().filter((word) => word !== "--resolve");
        const report = await labCrawl(web, out, { threads: 2, store: "none", resolve }, run.signal);
        return readCorpus(crawlPaths(out).pages, report.pages / report.seconds);
      }),
    );
    const pages = corpus.words.length;
    const perHost = corpus.hosts.map(([, count]) => count);
    const topShare = perHost.slice(0, TOP).reduce((a, b) => a + b, 0) / pages;
    const tail =
      quantile(
        perHost.toSorted((a, b) => a - b),
        1,
      ) /
      (pages / perHost.length);
    const inRange = corpus.words.filter((w) => w >= 100 && w <= 10_000).length;
    const claims: (readonly [what: string, holds: boolean])[] = [
      ["few hosts with many pages", tail > 10],
      ["most pages of 100 to 10,000 tokens", inRange > pages / 2],
      ["ten hosts with most of the pages", topShare > 0.5],
    ];
    const held = claims.filter(([, holds]) => holds);
    return {
      setup: `${webText(profile)} Its hosts are three names per domain, of similar size: a synthetic web has no portal that links to itself only. The whole web is crawled, so all counts are the same for the same seed. Not stored; sizes are those of bodies without content coding.`,
      tables: [
        table2(corpus, pages),
        {
          title: "Table 2: average download rate",
          columns: [counted("what"), measured("ours", "pages/s"), counted("document", "pages/s")],
          rows: [["pages over seconds from start to end", rounded(corpus.rate, 1), 6.64]],
        },
        {
          title: `Table 3: the ${TOP} most frequent hosts`,
          columns: [
            counted("host"),
            counted("pages"),
            counted("of all", "%"),
            counted("document: host of the same rank", "pages"),
          ],
          rows: corpus.hosts
            .slice(0, TOP)
            .map(([name, count], i) => [
              name,
              count,
              rounded((100 * count) / pages, 2),
              PAPER_3[i] ?? null,
            ]),
        },
      ],
      plots: [
        histogram(
          "figure-1",
          "Figure 1: pages per host",
          "pages of a host",
          "hosts",
          perHost,
          "Our synthetic hosts are of similar size; the document has a long tail, from one page to 52,497.",
        ),
        histogram(
          "figure-2",
          "Figure 2: tokens per page",
          "tokens of a page",
          "pages",
          corpus.words,
          `The dashed line is the mean. The document has most pages between 100 and 10,000 tokens; here it is ${percentText(inRange / pages)} of them.`,
        ),
        histogram(
          "figure-3",
          "Figure 3: out-links per page",
          "distinct out-links of a page",
          "pages",
          corpus.links,
          "The document has a lot of pages between 100 and 1,000 links; our web has half to three halves of its mean on every page, more only where a page leads to many of its host.",
        ),
      ],
      paper: [
        {
          what: "pages per domain",
          paper: "75.9 on average, most domains few pages",
          ours: `${rounded(pages / perHost.length, 1)} on average, the largest host ${rounded(tail, 1)} times that`,
          agrees: tail > 10,
        },
        {
          what: "tokens per page",
          paper: "most pages 100 to 10,000",
          ours: `${percentText(inRange / pages)} of the pages`,
          agrees: inRange > pages / 2,
        },
        {
          what: "share of the ten most frequent hosts",
          paper: "82 %",
          ours: percentText(topShare),
          agrees: topShare > 0.5,
        },
      ],
      verdict: {
        claim: held.length === claims.length ? "agrees" : held.length === 0 ? "differs" : "partly",
        why: `${held.length} of ${claims.length} shapes are like the document's (${claims.map(([what, holds]) => `${what}: ${holds ? "yes" : "no"}`).join("; ")}). The ten largest hosts hold ${percentText(topShare)} here and 82 % there. Shapes are those of the web that was crawled: a synthetic one has no portal that links to itself only.`,
      },
    };
  },
};

/** The document's table 3. */
const PAPER_3 = [52_497, 9030, 5283, 2960, 2544, 2497, 2460, 1931, 1723, 1367];

function readCorpus(file: string, rate: number): Corpus {
  const hosts = new Map<string, number>();
  const domains = new Map<string, number>();
  const corpus: Corpus = {
    hosts: [],
    domains: [],
    bytes: [],
    words: [],
    links: [],
    allLinks: [],
    rate,
  };
  const add = (counts: Map<string, number>, name: string) =>
    counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const line of readLines(file)) {
    const page = JSON.parse(line) as PageLine & { linksAll?: number; decodedBytes?: number };
    if (page.status === undefined) continue; // the first line is a header
    const host = hostnameOf(page.url as CrawlUrl);
    add(hosts, host);
    add(domains, siteOf(host));
    corpus.bytes.push(page.decodedBytes ?? page.bytes);
    corpus.words.push(page.words);
    corpus.links.push(page.links);
    if (page.linksAll !== undefined) corpus.allLinks.push(page.linksAll);
  }
  corpus.hosts.push(...[...hosts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
  corpus.domains.push(...domains.values());
  return corpus;
}

function table2(corpus: Corpus, pages: number): Table {
  const perHost = corpus.hosts.map(([, count]) => count);
  const row = (
    name: string,
    definition: string,
    values: readonly number[],
    paper: number | null,
  ): Cell[] => {
    const sorted = values.toSorted((a, b) => a - b);
    const mean = sorted.reduce((a, b) => a + b, 0) / Math.max(1, sorted.length);
    return [
      name,
      definition,
      rounded(mean, 2),
      ...[0.5, 0.9, 0.99, 1].map((share) => quantile(sorted, share)),
      paper,
    ];
  };
  const one = (name: string, definition: string, value: number, paper: number | null): Cell[] => [
    name,
    definition,
    value,
    null,
    null,
    null,
    null,
    paper,
  ];
  return {
    title: "Table 2: corpus characteristics",
    columns: [
      ...[counted("metric"), counted("definition"), counted("number or mean"), counted("median")],
      ...[counted("p90"), counted("p99"), counted("max"), counted("document")],
    ],
    rows: [
      one("pages", "committed responses with status 2xx", pages, 100_000),
      one("unique hosts", "host names; the document's domains", perHost.length, 1319),
      one(
        "unique domains",
        "registrable domains by the public suffix list",
        corpus.domains.length,
        null,
      ),
      row("pages per host", "pages of a host name", perHost, 75.8862),
      row("pages per domain", "pages of a registrable domain", corpus.domains, null),
      row("page size", "bytes of the body without content coding", corpus.bytes, 243_521.24),
      row(
        "tokens per page",
        "runs of characters between spaces in the text, as pages.jsonl counts words",
        corpus.words,
        3082.45,
      ),
      row("out-links per page", "distinct links that can be followed", corpus.links, 360.31),
      ...(corpus.allLinks.length === 0
        ? []
        : [row("all out-links per page", "links with repeats", corpus.allLinks, null)]),
    ],
  };
}

function histogram(
  name: string,
  title: string,
  x: string,
  y: string,
  values: readonly number[],
  caption: string,
) {
  const mean = values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
  return {
    name,
    svg: histogramPlot({
      title,
      caption,
      x: { label: x },
      y: { label: y },
      bins: logBins(values, 10),
      marks: [{ name: `mean ${rounded(mean, 1)}`, value: mean }],
    }),
  };
}
