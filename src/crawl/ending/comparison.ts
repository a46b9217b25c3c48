import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CrawlConfig } from "../../config/schema.ts";
import { frontierTraits } from "../../frontier/frontier-memory.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { sumHourly } from "../../stats/hourly-statistics.ts";
import { countLines } from "../../store/files/count-lines.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";
import { readStatistics } from "../../store/reports/result-lists.ts";
import { writeJson } from "./reports.ts";
import { type CountedTwice, SelfCheck } from "./self-check.ts";

/** What the threads, lists and journals of a run have counted. */
export type RunCounts = Pick<
  CountedTwice,
  "totals" | "lists" | "journal" | "buffers" | "isBrokenOff" | "isDamaged"
>;

/** Compares the numbers of a crawl whose files are written, for reports/self-check.json. */
export class Comparison {
  readonly #out: string;
  readonly #counts: RunCounts;
  readonly #check: SelfCheck;
  readonly #mayCountPages: boolean;
  #tookMs = 0;

  constructor(out: string, config: CrawlConfig, counts: RunCounts) {
    const startMs = monotonicMs();
    const { reports, hourly } = crawlPaths(out);
    const { isDamaged } = counts;
    const { losesUrls, isElsewhere } = frontierTraits(config);
    this.#out = out;
    this.#counts = counts;
    // Of pages that are lost, or that were fetched twice, there are fewer or more lines.
    this.#mayCountPages = !isDamaged && !losesUrls && !(counts.isBrokenOff && !counts.journal);
    this.#check = new SelfCheck({
      ...counts,
      statistics: readStatistics(reports),
      hourly: sumHourly(hourly),
      losesUrls,
      isElsewhere,
    });
    this.#tookMs = monotonicMs() - startMs;
  }

  /** URLs that are in no list and wait nowhere. */
  get lost(): number {
    return this.#check.lost;
  }

  /** What does not add up, in words. */
  get problems(): readonly string[] {
    return this.#check.problems;
  }

  /** Compares the list of pages as well, once it is sorted and holds nothing that was never committed. */
  comparePages(): void {
    const { pages } = crawlPaths(this.#out);
    if (!this.#mayCountPages || !existsSync(pages)) return;
    const startMs = monotonicMs();
    const title = 1;
    this.#check.equal(
      "lines of pages.jsonl = pages + unchanged",
      this.#counts.totals.pages + this.#counts.totals.unchanged,
      countLines(pages) - title,
    );
    this.#tookMs += monotonicMs() - startMs;
  }

  /** Writes what was compared. */
  write(run: number): void {
    const { checks, problems } = this.#check;
    writeJson(join(crawlPaths(this.#out).reports, "self-check.json"), {
      ok: problems.length === 0,
      run,
      tookMs: Math.round(this.#tookMs * 1000) / 1000,
      problems,
      checks,
    });
  }
}
