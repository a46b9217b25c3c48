import { meaningOf } from "../crawl/visit/error-codes.ts";
import { giveBackMemory } from "../runtime/collect-garbage.ts";
import { readExchanges } from "../stats/exchange-points.ts";
import { crawlPaths } from "../store/folder/crawl-folder.ts";
import { LinkGraph } from "../store/graph/link-graph.ts";
import { compareCrawls } from "./compare/compare-crawls.ts";
import type { BrokenLink, CorpusReport, Duplicates, Spread, TopPage } from "./corpus-report.ts";
import { LinkSurvey, largest } from "./links/link-survey.ts";
import type { Cluster } from "./near/clusters.ts";
import { MIN_SIMILARITY } from "./near/near-texts.ts";
import { MIN_WORDS } from "./near/word-runs.ts";
import { type Distribution, distributionOf } from "./numbers/distribution.ts";
import { PageCounts } from "./page-counts.ts";
import { readSummary } from "./read/active-seconds.ts";
import { nearPages } from "./read/archived-runs.ts";
import { cashTop } from "./read/cash-top.ts";
import { readCourse } from "./read/course.ts";
import { openDetector } from "./read/language.ts";
import { type CodeCount, type LogSurvey, skippedLinks, surveyLog } from "./read/log-survey.ts";
import { surveyedPages, surveyPages } from "./read/survey.ts";
import { openTokens, TOKENS_MEAN, type Tokens } from "./read/tokens.ts";

/** Examples of a group of duplicates, and referrers of a broken link. */
const FEW = 5;

/** What a report is asked for. */
export interface ReportOptions {
  /** Length of lists. */
  readonly top: number;
  readonly tokens: Tokens;
  /** Another crawl to compare with. */
  readonly against?: string | undefined;
  /** Told what is being done. */
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** A failed URL, by its number among the links. */
interface Failed {
  readonly url: string;
  readonly code: string;
  readonly parent: string | undefined;
}

/**
 * Characterises a crawl that has ended. Every page is read from the archive once; what was found is kept beside the
 * reports, so that an interrupted or repeated report goes on from there. Memory is some 120 bytes per page.
 */
export async function makeReport(dir: string, options: ReportOptions): Promise<CorpusReport> {
  const { top, tokens, onProgress } = options;
  const detector = await openDetector();
  const counter = await openTokens(tokens);
  surveyPages(dir, {
    tokens,
    counter,
    detector,
    onProgress: (pages) => onProgress?.(`${pages} pages read`),
  });
  onProgress?.("counting");
  const counts = new PageCounts(dir);
  const links = new LinkSurvey(dir);
  for (const each of surveyedPages(dir)) {
    counts.add(each);
    links.addPage(each.page.url, each.number);
  }
  const failed = new Map<number, Failed>();
  const log = surveyLog(dir, top, (url, code, parent) =>
    failed.set(links.addOther(url), { url, code, parent }),
  );
  onProgress?.("following links");
  const total = links.countLinks();
  const rank = links.pageRank();
  const inDegree = largest(links.inDegrees, top, 0, links.pages);
  const byRank = rank === undefined ? [] : largest(rank.ranks, top);
  const broken = largest(links.inDegrees, top, links.pages);
  onProgress?.("comparing texts");
  const exact = counts.digests.equal();
  const near = nearPages(dir, counts.texts);
  const wanted = new Set<number>([...examplesOf(exact, top), ...examplesOf(near, top)].flat());
  for (const number of [...inDegree, ...byRank]) wanted.add(links.placeOf(number));
  const named = new Map<number, { url: string; title: string }>();
  for (const each of surveyedPages(dir)) {
    counts.refine(each);
    if (wanted.has(each.number)) named.set(each.number, each.page);
  }
  const topPage =
    (values: ArrayLike<number>) =>
    (number: number): TopPage => {
      const { url, title } = named.get(links.placeOf(number))!;
      return { url, title, value: values[number]! };
    };
  const failedTargets = [...failed.keys()].filter((n) => links.inDegrees[n]! > 0).length;
  const hostPages = distributionOf(counts.hosts.counts);
  const domainPages = distributionOf(counts.domains.counts);
  const { pages } = counts;
  const activeSeconds = counts.active.total();
  const report: CorpusReport = {
    version: 1,
    generated: new Date().toISOString(),
    pages,
    hosts: counts.hosts.size,
    domains: counts.domains.size,
    pagesPerHost: ratio(pages, counts.hosts.size),
    pagesPerDomain: ratio(pages, counts.domains.size),
    activeSeconds,
    pagesPerSecond: ratio(pages, activeSeconds),
    pageBytes: counts.numbers.pageBytes.result(),
    tokens: counts.numbers.tokens.result(),
    outLinks: counts.numbers.outLinks.result(),
    topHosts: counts.hosts.top(top),
    topDomains: counts.domains.top(top),
    pagesPerHostHistogram: hostPages.histogram,
    pagesPerDomainHistogram: domainPages.histogram,
    pagesPerHostSpread: spreadOf(hostPages),
    pagesPerDomainSpread: spreadOf(domainPages),
    tokeniser: { name: tokens, meaning: TOKENS_MEAN[tokens] },
    wireBytes: counts.numbers.wireBytes.result(),
    outLinksAll: counts.numbers.outLinksAll.result(),
    depth: counts.numbers.depth.result(),
    textRatio: counts.textRatio.result(),
    status: counts.status.top(top),
    mime: counts.mime.top(top),
    charset: counts.charset.top(top),
    language: {
      declared: counts.declared.top(top),
      detected: counts.detected.top(top),
      detector: detector.name,
    },
    signals: counts.signals.top(top, pages),
    duplicates: {
      exact: duplicatesOf(exact, top, named),
      near: {
        ...duplicatesOf(near, top, named),
        minSimilarity: MIN_SIMILARITY,
        minWords: MIN_WORDS,
      },
    },
    links: { total, failedTargets },
    brokenLinks: links.isThere ? brokenLinks(dir, broken, failed, links) : [],
    failed: log.failed,
    redirects: log.redirects,
    robots: robotsOf(log),
    refused: log.refused,
    trapped: log.trapped,
    skippedLinks: skippedLinks(dir),
    topPages: {
      byInDegree: inDegree.map(topPage(links.inDegrees)),
      byPageRank: rank === undefined ? [] : byRank.map(topPage(rank.ranks)),
      byCash: cashTop(dir, top),
      pageRankRounds: rank?.rounds ?? 0,
    },
    timeline: counts.timeline(),
    course: readCourse(dir),
    exchanges: readExchanges(crawlPaths(dir).exchanges),
    unread: counts.unread,
    ended: readSummary(dir).ended ?? "unknown",
    ...(options.against === undefined
      ? {}
      : { comparison: compareCrawls(dir, options.against, top) }),
  };
  giveBackMemory();
  return report;
}

function ratio(a: number, b: number): number {
  return b === 0 ? 0 : a / b;
}

function spreadOf({ median, p90, p99, max }: Distribution): Spread {
  return { median, p90, p99, max };
}

function examplesOf(clusters: readonly Cluster[], top: number): number[][] {
  return clusters.slice(0, top).map((cluster) => cluster.slice(0, FEW));
}

function duplicatesOf(
  clusters: readonly Cluster[],
  top: number,
  named: ReadonlyMap<number, { readonly url: string }>,
): Duplicates {
  const pages = clusters.reduce((sum, cluster) => sum + cluster.length, 0);
  const examples = examplesOf(clusters, top).map((numbers, i) => ({
    pages: clusters[i]!.length,
    urls: numbers.map((number) => named.get(number)!.url),
  }));
  return { clusters: clusters.length, pages, extra: pages - clusters.length, examples };
}

/** The failed URLs that most pages link to, with some of those pages. */
function brokenLinks(
  dir: string,
  numbers: readonly number[],
  failed: ReadonlyMap<number, Failed>,
  { inDegrees }: LinkSurvey,
): BrokenLink[] {
  const graph = new LinkGraph(dir);
  try {
    return numbers.map((number) => {
      const { url, code } = failed.get(number)!;
      const referrers: string[] = [];
      for (const referrer of graph.linksTo(url)) {
        referrers.push(referrer);
        if (referrers.length === FEW) break;
      }
      return { url, code, meaning: meaningOf(code), linkedFrom: inDegrees[number]!, referrers };
    });
  } finally {
    graph.close();
  }
}

/** What robots.txt refuses, in all ways it can. */
function robotsOf({ refused }: LogSurvey): CorpusReport["robots"] {
  const isRobots = ({ code }: CodeCount) => /^(?:robots|crawl_delay)/.test(code);
  const groups = refused.filter(isRobots);
  return {
    refused: groups.reduce((sum, { urls }) => sum + urls, 0),
    hosts: groups[0]?.hosts ?? [],
    examples: groups.flatMap(({ examples }) => examples).slice(0, FEW),
  };
}
