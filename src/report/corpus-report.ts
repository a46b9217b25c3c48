import type { Exchanges } from "../stats/exchange-points.ts";
import type { Bin } from "../stats/plot/log-bins.ts";
import type { Comparison } from "./compare/compare-crawls.ts";
import type { Distribution } from "./numbers/distribution.ts";
import type { Share } from "./numbers/tally.ts";
import type { CoursePoint } from "./read/course.ts";
import type { CodeCount, LogSurvey } from "./read/log-survey.ts";
import type { Tokens } from "./read/tokens.ts";

/** What a distribution says without its mean and histogram. */
export type Spread = Omit<Distribution, "mean" | "histogram">;

/** Pages with the same content, or nearly the same text. */
export interface Duplicates {
  /** Groups of two or more pages. */
  readonly clusters: number;
  /** Pages in them. */
  readonly pages: number;
  /** Pages that could go without losing content: all but one of each group. */
  readonly extra: number;
  /** The largest groups. */
  readonly examples: readonly { readonly pages: number; readonly urls: readonly string[] }[];
}

/** A page in a list of the most important ones. */
export interface TopPage {
  readonly url: string;
  readonly title: string;
  readonly value: number;
}

/** A URL that failed and is linked. */
export interface BrokenLink {
  readonly url: string;
  readonly code: string;
  readonly meaning: string;
  /** How many pages link to it. */
  readonly linkedFrom: number;
  readonly referrers: readonly string[];
}

/** What was fetched in an interval. */
export interface TimelineBin {
  /** When it begins. */
  readonly time: string;
  readonly pages: number;
  readonly bytes: number;
}

/** reports/report.json: what a crawl has collected. docs/report.md defines every field. */
export interface CorpusReport {
  readonly version: 1;
  readonly generated: string;
  readonly pages: number;
  readonly hosts: number;
  readonly domains: number;
  readonly pagesPerHost: number;
  readonly pagesPerDomain: number;
  readonly activeSeconds: number;
  readonly pagesPerSecond: number;
  /** Decoded. */
  readonly pageBytes: Distribution;
  readonly tokens: Distribution;
  /** Distinct. */
  readonly outLinks: Distribution;
  readonly topHosts: readonly Share[];
  readonly topDomains: readonly Share[];
  readonly pagesPerHostHistogram: readonly Bin[];
  readonly pagesPerDomainHistogram: readonly Bin[];
  readonly pagesPerHostSpread: Spread;
  readonly pagesPerDomainSpread: Spread;
  readonly tokeniser: { readonly name: Tokens; readonly meaning: string };
  readonly wireBytes: Distribution;
  readonly outLinksAll: Distribution;
  readonly depth: Distribution;
  /** Text as a part of the HTML, over pages of HTML. */
  readonly textRatio: Distribution;
  readonly status: readonly Share[];
  readonly mime: readonly Share[];
  readonly charset: readonly Share[];
  readonly language: {
    readonly declared: readonly Share[];
    readonly detected: readonly Share[];
    /** The library that detects; "none" without it. */
    readonly detector: string;
  };
  /** What pages, headers and robots.txt say about the use of content; shares are parts of all pages. */
  readonly signals: readonly Share[];
  readonly duplicates: {
    readonly exact: Duplicates;
    readonly near: Duplicates & { readonly minSimilarity: number; readonly minWords: number };
  };
  readonly links: { readonly total: number; readonly failedTargets: number };
  readonly brokenLinks: readonly BrokenLink[];
  readonly failed: readonly CodeCount[];
  readonly redirects: LogSurvey["redirects"];
  readonly robots: {
    readonly refused: number;
    readonly hosts: readonly Share[];
    readonly examples: readonly string[];
  };
  readonly refused: readonly CodeCount[];
  readonly trapped: readonly CodeCount[];
  readonly skippedLinks: readonly {
    readonly reason: string;
    readonly meaning: string;
    readonly links: number;
  }[];
  readonly topPages: {
    readonly byInDegree: readonly TopPage[];
    readonly byPageRank: readonly TopPage[];
    /** All the cash a page ever got, in units of a seed's; null without --order opic. */
    readonly byCash: readonly TopPage[] | null;
    readonly pageRankRounds: number;
  };
  readonly timeline: { readonly secondsPerBin: number; readonly bins: readonly TimelineBin[] };
  /** How the crawl went, from its series; empty in folders of older versions. */
  readonly course: readonly CoursePoint[];
  /** What threads exchanged, and what came too late, from reports/exchanges.jsonl; empty with a single thread. */
  readonly exchanges: Exchanges;
  /** Pages whose records could not be read. */
  readonly unread: number;
  /** How the newest run ended. */
  readonly ended: string;
  /** With --against. */
  readonly comparison?: Comparison;
}
