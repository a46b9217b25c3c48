import { OUTCOME } from "../../frontier/finish.ts";
import { ENDINGS, endedIn, type Totals } from "../../stats/counters.ts";
import type { HourlySums } from "../../stats/hourly-statistics.ts";
import type { ListSums } from "../../store/reports/result-lists.ts";
import { crawledIn } from "../crawl-summary.ts";

/** How full the fullest hand-off buffer was, in pages. */
export interface BufferPeaks {
  readonly size: number;
  readonly mostPages: number;
  /** Pages that no builder has taken when everything has ended. */
  readonly left: number;
}

/** Why numbers may differ that otherwise may not. */
export interface Excuses {
  /** Threads ended before they had committed and counted everything: a second signal, a fault, servers that hang. */
  readonly isBrokenOff: boolean;
  /** `recover` found that something committed is gone. */
  readonly isDamaged: boolean;
  /** The frontier is one that loses URLs. */
  readonly losesUrls: boolean;
  /** The frontier is on an engine: this folder holds one worker's visits, and what waits is in none. */
  readonly isElsewhere: boolean;
}

/** The same things, counted in different places. */
export interface CountedTwice extends Excuses {
  /** Counted while crawling. */
  readonly totals: Totals;
  /** Counted when the result lists were written. */
  readonly lists: ListSums;
  /** URLs that ended with each outcome, in the journals; undefined where there are none. */
  readonly journal: ArrayLike<number> | undefined;
  /** The rows of statistics.txt. */
  readonly statistics: ReadonlyMap<string, string>;
  /** The lines of hourly_statistics.jsonl. */
  readonly hourly: HourlySums;
  readonly buffers: BufferPeaks;
}

/** Two numbers that must agree. */
export interface Check {
  readonly what: string;
  readonly expected: number;
  readonly found: number;
  readonly holds: boolean;
}

const OUTCOMES_OF: Readonly<Record<(typeof ENDINGS)[number], number>> = {
  pages: OUTCOME.page,
  redirects: OUTCOME.redirect,
  failed: OUTCOME.failed,
  refused: OUTCOME.refused,
  sitemaps: OUTCOME.sitemap,
  unchanged: OUTCOME.unchanged,
};

/** The counters of outcomes as journals have them. */
export function totalsOf(outcomes: ArrayLike<number>): Pick<Totals, (typeof ENDINGS)[number]> {
  return Object.fromEntries(ENDINGS.map((name) => [name, outcomes[OUTCOMES_OF[name]]!])) as Pick<
    Totals,
    (typeof ENDINGS)[number]
  >;
}

/**
 * Compares what was counted while crawling with lists, journals and statistics. It looks at numbers only, never at URLs, so it
 * costs the same for every crawl.
 */
export class SelfCheck {
  readonly checks: Check[] = [];
  /** URLs that are neither listed as crawled nor as not crawled. */
  readonly lost: number;

  constructor(counted: CountedTwice) {
    const { totals, lists, isDamaged, losesUrls, isElsewhere } = counted;
    const { allCrawled, allFailed, waiting } = lists;
    const listed = allCrawled + allFailed + waiting;
    const isLossy =
      losesUrls || isDamaged || (counted.isBrokenOff && counted.journal === undefined);
    this.lost = isLossy && !isElsewhere ? Math.max(0, totals.known - listed) : 0;
    // A worker visits URLs that others have found, and others visit those that it has found.
    if (!isElsewhere) {
      const known = "URLs known = crawled + not crawled + lost";
      this.equal(known, totals.known, listed + this.lost);
    }
    this.#journal(counted);
    // An unsynchronised frontier has visits that are no URLs of their own.
    if (!isLossy) {
      const ended = "listed as crawled = pages + redirects + sitemaps + unchanged";
      this.equal(ended, crawledIn(totals), allCrawled);
      const failed = "listed as not crawled and ended = failed + refused";
      this.equal(failed, totals.failed + totals.refused, allFailed);
    }
    this.#statistics(counted);
    if (!counted.isBrokenOff) this.#hourly(counted);
    this.#buffers(counted);
  }

  /** What does not hold, in words. */
  get problems(): string[] {
    return this.checks
      .filter(({ holds }) => !holds)
      .map(({ what, expected, found }) => `${what}: ${expected} against ${found}`);
  }

  /** Adds a check. */
  equal(what: string, expected: number, found: number): void {
    this.checks.push({ what, expected, found, holds: expected === found });
  }

  #journal({ totals, journal, isDamaged }: CountedTwice): void {
    // A snapshot may count ends that a damaged list of them does not hold any more.
    if (journal === undefined || isDamaged) return;
    for (const name of ENDINGS)
      this.equal(
        `${name} counted = ${name} in the journals`,
        totals[name],
        journal[OUTCOMES_OF[name]]!,
      );
  }

  #statistics({ lists, statistics, totals, isElsewhere }: CountedTwice): void {
    const row = (name: string) => Number(statistics.get(name));
    const { crawled, uncrawled, seeds } = lists;
    this.equal(
      "statistics.txt: total new URLs = lines of both lists",
      crawled + uncrawled,
      row("total new URLs"),
    );
    this.equal("statistics.txt: crawled = lines of crawled.txt", crawled, row("crawled"));
    this.equal(
      "statistics.txt: not crawled = lines of uncrawled.txt",
      uncrawled,
      row("not crawled"),
    );
    const known = row("total new URLs") + row("seeds") + this.lost;
    if (!isElsewhere)
      this.equal("statistics.txt: new URLs + seeds + lost = URLs known", totals.known, known);
    this.equal("statistics.txt: seeds", seeds, row("seeds"));
    this.equal("statistics.txt: pages", totals.pages, row("pages"));
  }

  #hourly({ totals, hourly }: CountedTwice): void {
    const lines = "hourly_statistics.jsonl, lines of all runs:";
    this.equal(`${lines} stored = pages`, totals.pages, hourly.stored);
    this.equal(`${lines} bytes = bytes received`, totals.bytes, hourly.bytes);
    this.equal(`${lines} added to queues = URLs known`, totals.known, hourly.added);
    const ended = endedIn((name) => totals[name]);
    this.equal(`${lines} removed from queues = URLs ended`, ended, hourly.removed);
  }

  #buffers({ buffers, isBrokenOff }: CountedTwice): void {
    const { size, mostPages: found, left } = buffers;
    const what = "pages added to a hand-off buffer less those removed, at most N";
    this.checks.push({ what, expected: size, found, holds: found <= size });
    if (!isBrokenOff) this.equal("pages left in hand-off buffers", 0, left);
  }
}
