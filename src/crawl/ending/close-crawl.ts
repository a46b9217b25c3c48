import type { CrawlConfig } from "../../config/schema.ts";
import { NO_LIMIT, TimeLimit } from "../../runtime/time-limit.ts";
import type { Totals } from "../../stats/counters.ts";
import { closeAfterCrash } from "../../store/finish/close-archives.ts";
import { finalizeFolder } from "../../store/finish/finalize.ts";
import { unfinishedBytes } from "../../store/finish/merge-parts.ts";
import { crawlPaths, readCrawlState } from "../../store/folder/crawl-folder.ts";
import { openResults } from "../../store/reports/crawl-results.ts";
import type { Measured } from "../crawl-summary.ts";
import { makeLastSnapshots } from "./last-snapshots.ts";
import { writeReports, writeTopPages } from "./reports.ts";

/** A crawl that was told to stop ends within 10 s. Later than this nothing is begun that the next run can do as well. */
const MAX_MS = 7_500;

/** Of that, snapshots may take so much: the sorting is worth more. */
const MAX_SNAPSHOT_MS = 2_000;

const UNSORTED =
  "index, page list and link graph are not sorted, which would have taken longer than a stop may: export, links, recover, or the end of the next run does it";

/** Sorting so many bytes takes about a second. */
const LONG_BYTES = 16 * 1024 * 1024;

/** Sizes from which something is worth it; tests have smaller ones. */
export interface CloseLimits {
  readonly snapshotBytes?: number;
  readonly longBytes?: number;
}

/** What the supervisor does while its crawl is closed. */
export interface CloseListener {
  /** Notes that the crawl has ended, and whether it left the sorting for later. */
  keep(left: boolean): void;
  /** Everything is closed and noted: whoever ends the process from now on loses nothing but sorted files. */
  safe(): void;
}

/** Closes a crawl whose threads have ended; every step may be repeated. */
export class CrawlCloser {
  readonly #out: string;
  readonly #config: CrawlConfig;
  readonly #limit: TimeLimit;
  readonly #sizes: CloseLimits;

  /** `stoppedMs` is when the crawl was told to stop; infinite for one that ended by itself and may take its time. */
  constructor(out: string, config: CrawlConfig, stoppedMs: number, sizes: CloseLimits = {}) {
    this.#out = out;
    this.#config = config;
    this.#limit = Number.isFinite(stoppedMs) ? new TimeLimit(stoppedMs + MAX_MS) : NO_LIMIT;
    this.#sizes = sizes;
  }

  /**
   * Closes the archive, writes lists and reports, folds journals into snapshots, and sorts what has to be sorted. The
   * last two only as long as there is time; answers sentences about what was left. Lists and statistics are written
   * however long that takes: they tell what the crawl found.
   */
  clean(totals: Totals, measured: Measured, voice: CloseListener): string[] {
    closeAfterCrash(this.#out);
    const results = openResults(this.#out);
    writeReports(this.#out, this.#config, { totals, measured, results });
    const unfolded = measured.ended === "finished" ? 0 : this.#makeSnapshots();
    if (unfinishedBytes(this.#out) >= (this.#sizes.longBytes ?? LONG_BYTES)) {
      voice.keep(true);
      voice.safe();
    }
    const isSorted = finalizeFolder(this.#out, results.committed, this.#limit);
    if (isSorted && this.#config.order === "opic") writeTopPages(this.#out);
    voice.keep(!isSorted);
    const left = isSorted ? [] : [UNSORTED];
    if (unfolded > 0)
      left.push(
        `${unfolded} journals are not folded into snapshots: a resume reads them as they are`,
      );
    return left;
  }

  #makeSnapshots(): number {
    const state = readCrawlState(this.#out);
    if (state === undefined) return 0;
    const { seedLow, seedHigh } = state;
    const leastBytes = this.#sizes.snapshotBytes;
    const limit = this.#limit === NO_LIMIT ? NO_LIMIT : this.#limit.within(MAX_SNAPSHOT_MS);
    const least = leastBytes === undefined ? {} : { leastBytes };
    const folder = crawlPaths(this.#out).journals;
    return makeLastSnapshots({ folder, seedLow, seedHigh, ...least }, limit);
  }
}
