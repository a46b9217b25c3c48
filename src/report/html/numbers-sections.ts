import { humanDuration } from "../../config/values/durations.ts";
import { histogramPlot } from "../../stats/plot/histogram-plot.ts";
import { linePlot } from "../../stats/plot/line-plot.ts";
import type { Bin } from "../../stats/plot/log-bins.ts";
import type { CorpusReport, Spread } from "../corpus-report.ts";
import type { Share } from "../numbers/tally.ts";
import type { CoursePoint } from "../read/course.ts";
import { type Cell, escaped, numberText, percent, table } from "./html-markup.ts";
import type { Section } from "./section.ts";

/** What is in the corpus: figures, distributions, hosts, kinds of pages, when they came. */
export function numbersSections(report: CorpusReport): Section[] {
  return [
    { id: "corpus", title: "The corpus", html: figures(report) + definitions(report) },
    { id: "distributions", title: "Distributions", html: distributions(report) },
    { id: "hosts", title: "Most frequent hosts and domains", html: hosts(report) },
    { id: "kinds", title: "Kinds of pages", html: kinds(report) },
    { id: "timeline", title: "Timeline", html: timeline(report) },
  ];
}

function figures(report: CorpusReport): string {
  const shown: [string, string][] = [
    ["pages", numberText(report.pages)],
    ["hosts", numberText(report.hosts)],
    ["domains", numberText(report.domains)],
    ["pages per second", numberText(report.pagesPerSecond)],
    ["active time", humanDuration(report.activeSeconds * 1000)],
    ["mean page size", `${numberText(report.pageBytes.mean)} B`],
    ["mean tokens", numberText(report.tokens.mean)],
    ["mean out-links", numberText(report.outLinks.mean)],
  ];
  const items = shown.map(
    ([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`,
  );
  return `<dl class="figures">${items.join("")}</dl>`;
}

/** The table of seed 004, with the definition of each figure beside it. */
function definitions(report: CorpusReport): string {
  const { tokeniser } = report;
  const alone = (name: string, value: number, meaning: string): Cell[] => [
    name,
    value,
    ...["", "", "", ""],
    meaning,
  ];
  const spread = (name: string, mean: number, s: Spread, meaning: string): Cell[] => [
    ...[name, mean],
    ...[s.median, s.p90, s.p99, s.max],
    meaning,
  ];
  const { pageBytes, wireBytes, tokens, outLinks, outLinksAll, depth, textRatio } = report;
  return table(
    ["figure", "value, mean", "median", "p90", "p99", "max", "definition"],
    [
      alone(
        "pages",
        report.pages,
        "committed answers with status 2xx, sitemaps and feeds left out",
      ),
      alone("hosts", report.hosts, "distinct host names of their URLs (seed 004's domains)"),
      alone("domains", report.domains, "registrable domains of these hosts; an address is its own"),
      spread(
        "pages per host",
        report.pagesPerHost,
        report.pagesPerHostSpread,
        "over hosts with a page",
      ),
      spread(
        "pages per domain",
        report.pagesPerDomain,
        report.pagesPerDomainSpread,
        "over domains with a page",
      ),
      alone("active seconds", report.activeSeconds, "wall time of all runs together"),
      alone("pages per second", report.pagesPerSecond, "pages / active seconds"),
      spread("page size", pageBytes.mean, pageBytes, "bytes without content coding"),
      spread("on the wire", wireBytes.mean, wireBytes, "bytes of the body as received"),
      spread(`tokens (${tokeniser.name})`, tokens.mean, tokens, tokeniser.meaning),
      spread("out-links", outLinks.mean, outLinks, "distinct links to pages"),
      spread("out-links, all", outLinksAll.mean, outLinksAll, "the same with repeats"),
      spread("depth", depth.mean, depth, "links from a seed"),
      spread(
        "text ratio",
        textRatio.mean,
        textRatio,
        "visible text / HTML, in bytes; pages of HTML",
      ),
    ],
    true,
  );
}

function histogram(
  title: string,
  label: string,
  bins: readonly Bin[],
  what: string,
  marks: { name: string; value: number }[] = [],
): string {
  return histogramPlot({
    title,
    x: { label },
    y: { label: what, log: true },
    bins,
    marks: marks.map(({ name, value }) => ({ name: `${name} ${numberText(value)}`, value })),
  });
}

function distributions(report: CorpusReport): string {
  const { pagesPerHost, pagesPerDomain, pagesPerHostSpread, pagesPerDomainSpread } = report;
  const plots = [
    histogram("Pages per host", "pages", report.pagesPerHostHistogram, "hosts", [
      { name: "mean", value: pagesPerHost },
      { name: "median", value: pagesPerHostSpread.median },
    ]),
    histogram("Pages per domain", "pages", report.pagesPerDomainHistogram, "domains", [
      { name: "mean", value: pagesPerDomain },
      { name: "median", value: pagesPerDomainSpread.median },
    ]),
    ...(
      [
        ["Page size, decoded", "bytes", report.pageBytes],
        ["Page size on the wire", "bytes", report.wireBytes],
        [`Tokens per page (${report.tokeniser.name})`, "tokens", report.tokens],
        ["Out-links per page, distinct", "links", report.outLinks],
        ["Out-links per page, all", "links", report.outLinksAll],
        ["Depth", "links from a seed", report.depth],
        ["Text as a part of the HTML", "visible text / HTML", report.textRatio],
      ] as const
    ).map(([title, label, { histogram: bins, mean, median }]) =>
      histogram(title, label, bins, "pages", [
        { name: "mean", value: mean },
        { name: "median", value: median },
      ]),
    ),
  ];
  return `<p class="soft">Both axes are logarithmic; zeroes stand by themselves on the left.</p>${plotsOf(plots)}`;
}

function shares(title: string, rows: readonly Share[], what = "pages"): string {
  if (rows.length === 0) return "";
  const cells = rows.map(({ name, pages, share }): Cell[] => [name, pages, percent(share)]);
  return `<div><h3>${escaped(title)}</h3>${table(["name", what, "share"], cells)}</div>`;
}

function hosts({ topHosts, topDomains }: CorpusReport): string {
  return `<div class="sides">${shares("Hosts", topHosts)}${shares("Domains", topDomains)}</div>`;
}

function kinds({ status, mime, charset, language, signals }: CorpusReport): string {
  const { declared, detected, detector } = language;
  const found =
    detector === "none"
      ? "<div><h3>Language, detected</h3><p>The optional package eld is not installed.</p></div>"
      : shares(`Language, detected by ${detector}`, detected);
  const tables = [
    shares("Status", status),
    shares("Type", mime),
    shares("Charset", charset),
    shares("Language, declared", declared),
    shares("Use of content: what is asked for", signals),
    found,
  ];
  return `<div class="sides">${tables.join("")}</div>`;
}

function timeline(report: CorpusReport): string {
  const {
    timeline: { bins, secondsPerBin },
    course,
    exchanges: { points: exchanges },
  } = report;
  const points = bins.map(({ pages }, i) => ({ x: i * secondsPerBin, y: pages / secondsPerBin }));
  const plot = linePlot({
    title: "Pages per second over time",
    caption: `From ${bins[0]?.time ?? "no page"}, in intervals of ${numberText(secondsPerBin)} s; pauses between runs are shown.`,
    x: { label: "since the first page", unit: "s" },
    y: { label: "pages per second" },
    series: [{ name: "pages per second", points, draw: "bare" }],
  });
  return plotsOf([
    plot,
    ...(course.length > 1 ? coursePlots(course) : []),
    ...(exchanges.length > 1 ? [latePlot(exchanges)] : []),
  ]);
}

/** What reports/exchanges.jsonl tells. */
function latePlot(points: CorpusReport["exchanges"]["points"]): string {
  const sum = (pick: (point: (typeof points)[number]) => number) =>
    points.reduce((all, point) => all + pick(point), 0);
  return linePlot({
    title: "Updates that came too late",
    caption: `Links to pages that had been taken already: ${numberText(sum(({ lateOwn }) => lateOwn))} found by the thread that has them, ${numberText(sum(({ lateForeign }) => lateForeign))} by others, which sent ${numberText(sum(({ blocks }) => blocks))} blocks.`,
    x: { label: "time of crawling, all runs", unit: "s" },
    y: { label: "updates in an interval" },
    series: [
      { name: "own", draw: "bare", points: points.map((p) => ({ x: p.seconds, y: p.lateOwn })) },
      {
        name: "foreign",
        draw: "bare",
        points: points.map((p) => ({ x: p.seconds, y: p.lateForeign })),
      },
    ],
  });
}

/** What reports/series.jsonl tells, over the time in which the crawl ran. */
function coursePlots(course: readonly CoursePoint[]): string[] {
  const plots: [string, string, Record<string, (point: CoursePoint) => number | null>][] = [
    ["URLs queued", "URLs", { queued: ({ queued }) => queued }],
    ["Requests in flight", "requests", { "in flight": ({ inFlight }) => inFlight }],
    [
      "Response time",
      "milliseconds",
      { median: ({ p50 }) => p50, "90 %": ({ p90 }) => p90, "99 %": ({ p99 }) => p99 },
    ],
    ["Failures per second", "URLs per second", { failures: (point) => point.errorsPerSecond }],
    ["Memory", "MiB", { resident: ({ rssBytes }) => rssBytes / 2 ** 20 }],
    ["CPU", "cores", { cores: ({ cpu }) => cpu }],
  ];
  return plots.map(([title, label, values]) =>
    linePlot({
      title,
      x: { label: "time of crawling, all runs", unit: "s" },
      y: { label },
      series: Object.entries(values).map(([name, pick]) => ({
        name,
        draw: "bare" as const,
        points: course.flatMap((point) => {
          const y = pick(point);
          return y === null ? [] : { x: point.seconds, y };
        }),
      })),
    }),
  );
}

/** Plots side by side; each scrolls by itself where the screen is narrow. */
function plotsOf(plots: readonly string[]): string {
  const boxes = plots.map((plot) => `<div class="plot scroll" tabindex="0">${plot}</div>`);
  return `<div class="plots">${boxes.join("")}</div>`;
}
