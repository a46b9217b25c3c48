import type { CrawlConfig } from "../config/schema.ts";
import type { Totals } from "../stats/counters.ts";
import { closeLeftOpen } from "../store/close-archives.ts";
import { completeFolder } from "../store/complete-folder.ts";
import { openResults } from "../store/crawl-results.ts";
import { NO_LIMIT, TimeLimit } from "../store/time-limit.ts";
import { writeReports, writeTopPages } from "./reports.ts";
import type { Measured } from "./summary.ts";

/** A crawl that was told to stop ends within 10 s. Later than this nothing is begun that the next run can do as well. */
const MAX_MS = 8_500;

/** What is said when something was left. */
export const LEFT =
  "index, page list and link graph are not sorted yet, which would have taken longer than a stop may: export, links, recover, or the end of the next run does it";

/** Closes a crawl whose threads have ended; every step may be repeated. */
export class Cleaner {
  readonly #out: string;
  readonly #config: CrawlConfig;
  readonly #limit: TimeLimit;

  /** `stoppedMs` is when the crawl was told to stop; infinite for one that ended by itself and may take its time. */
  constructor(out: string, config: CrawlConfig, stoppedMs: number) {
    this.#out = out;
    this.#config = config;
    this.#limit = Number.isFinite(stoppedMs) ? new TimeLimit(stoppedMs + MAX_MS) : NO_LIMIT;
  }

  /**
   * Closes the archive, writes lists and reports, and sorts what has to be sorted. False when there was no time for the
   * last step. Lists and statistics are written however long that takes: they tell what the crawl found.
   */
  clean(totals: Totals, measured: Measured): boolean {
    closeLeftOpen(this.#out);
    const results = openResults(this.#out);
    writeReports(this.#out, this.#config, { totals, measured, results });
    const isComplete = completeFolder(this.#out, results.committed, this.#limit);
    if (isComplete && this.#config.order === "opic") writeTopPages(this.#out);
    return isComplete;
  }
}
