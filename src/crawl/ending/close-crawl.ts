import type { CrawlConfig } from "../../config/schema.ts";
import { frontierTraits } from "../../frontier/frontier-memory.ts";
import { compileLeast } from "../../runtime/compile-less.ts";
import { NO_LIMIT, TimeLimit } from "../../runtime/time-limit.ts";
import type { Totals } from "../../stats/counters.ts";
import { closeAfterCrash } from "../../store/finish/close-archives.ts";
import { finalizeFolder } from "../../store/finish/finalize.ts";
import { judgeSkipped, unfinishedBytes } from "../../store/finish/merge-parts.ts";
import { type CrawlState, crawlPaths, readCrawlState } from "../../store/folder/crawl-folder.ts";
import { type ListSource, openResults } from "../../store/reports/crawl-results.ts";
import type { LeftUrls } from "../../store/reports/result-lists.ts";
import { type CrawlSummary, type Measured, reportOf, summaryOf } from "../crawl-summary.ts";
import { Comparison } from "./comparison.ts";
import { makeLastSnapshots } from "./last-snapshots.ts";
import { writeRunResults, writeSummary, writeTopPages } from "./reports.ts";
import type { SecondLook } from "./second-look.ts";
import { type CountedTwice, totalsOf } from "./self-check.ts";

/** A stop takes at most 10 s: after this long no work is begun that the next run can do as well. */
const MAX_MS = 7_500;

/** Of that, snapshots may take this much: sorting is worth more. */
const MAX_SNAPSHOT_MS = 2_000;

const UNSORTED =
  "index, page list and link graph are not sorted, which would have taken longer than a stop may: export, links, recover, or the end of the next run does it";

const UNRANKED =
  "reports/top-pages.json is not written, which would have taken longer than a stop may: recover, or the end of the next run does it";

/** Sorting so many bytes takes about a second. */
const LONG_BYTES = 16 * 1024 * 1024;

/** Smaller thresholds, for tests. */
export interface CloseLimits {
  /** Journals from this size on are folded into snapshots. */
  readonly snapshotBytes?: number;
  /** Sorting from this size on counts as long. */
  readonly longBytes?: number;
}

/** What the threads of a run leave. */
export interface EndedRun extends Pick<CountedTwice, "totals" | "buffers" | "isBrokenOff"> {
  readonly measured: Measured;
  /** What still waits, where no journal knows it. */
  readonly left: readonly LeftUrls[];
  /** No thread of it died. */
  readonly isUndisturbed: boolean;
}

/** What closing a crawl comes to. */
export interface ClosedCrawl {
  /** Messages about what was left for later. */
  readonly left: readonly string[];
  readonly summary: CrawlSummary;
  /** As the journals decided them, where threads were broken off. */
  readonly totals: Totals;
}

/** What the supervisor learns while its crawl is closed. */
export interface CloseListener {
  /** The crawl has ended, and either left the sorting for later or not. */
  onEnded(isLeft: boolean): void;
  /** Everything is closed and noted: ending the process now loses nothing but sorted files. */
  onSafe(): void;
}

/** Closes a crawl whose threads have ended; every step may be repeated. */
export class CrawlCloser {
  readonly #out: string;
  readonly #config: CrawlConfig;
  readonly #limit: TimeLimit;
  readonly #sizes: CloseLimits;

  /** `stoppedMs` is when a stop was asked for; infinite for a crawl that ended by itself and may take its time. */
  constructor(out: string, config: CrawlConfig, stoppedMs: number, sizes: CloseLimits = {}) {
    this.#out = out;
    this.#config = config;
    this.#limit = Number.isFinite(stoppedMs) ? new TimeLimit(stoppedMs + MAX_MS) : NO_LIMIT;
    this.#sizes = sizes;
  }

  /**
   * Closes the archive, writes lists and reports, compares their numbers, folds journals into snapshots, and sorts index,
   * page list and link graph. The last two only as long as there is time. Lists and reports are always written, however
   * long that takes. With `look`, links that were admitted after all leave the list of skipped ones.
   */
  close(run: EndedRun, listener: CloseListener, look?: Pick<SecondLook, "judge">): ClosedCrawl {
    const { measured } = run;
    compileLeast();
    closeAfterCrash(this.#out);
    const state = readCrawlState(this.#out);
    const results = openResults(this.#out, state);
    const { totals, lists } = this.#writeLists(run, results);
    const comparison = new Comparison(this.#out, this.#config, {
      ...run,
      totals,
      lists,
      isDamaged: state?.damaged === true,
      journal: results.view && results.committed.outcomes,
    });
    const writeReports = (): CrawlSummary => {
      comparison.write(measured.history.runs + 1);
      const { lost, problems } = comparison;
      const urls = { queued: lists.waiting, lost, problems };
      writeSummary(this.#out, this.#config, reportOf(totals, measured, urls));
      return summaryOf(totals, measured, urls);
    };
    let summary = writeReports();
    const isFolded = measured.ended !== "finished" && frontierTraits(this.#config).isDurable;
    const unfolded = isFolded && state !== undefined ? this.#makeSnapshots(state) : 0;
    if (unfinishedBytes(this.#out) >= (this.#sizes.longBytes ?? LONG_BYTES)) {
      listener.onEnded(true);
      listener.onSafe();
    }
    const isSorted = finalizeFolder(this.#out, results.committed, {
      limit: this.#limit,
      isUndisturbed: run.isUndisturbed && !run.isBrokenOff && measured.history.runs === 0,
    });
    if (isSorted) {
      comparison.comparePages();
      summary = writeReports();
    }
    if (look !== undefined) judgeSkipped(this.#out, (line) => look.judge(line));
    const isRanked =
      !isSorted || this.#config.order !== "opic" || writeTopPages(this.#out, this.#limit);
    listener.onEnded(!isSorted);
    const left = isSorted ? [] : [UNSORTED];
    if (!isRanked) left.push(UNRANKED);
    if (unfolded > 0)
      left.push(
        `${unfolded} journals are not folded into snapshots: a resume reads them as they are`,
      );
    return { left, summary, totals };
  }

  /** What a run that was broken off counted last is not what it committed: there the journals decide. */
  #writeLists(
    { totals: counted, measured, left, isBrokenOff }: EndedRun,
    results: ListSource,
  ): Pick<CountedTwice, "totals" | "lists"> {
    const decides = isBrokenOff && results.view !== undefined;
    const { outcomes } = results.committed;
    const totals = decides ? { ...counted, ...totalsOf(outcomes) } : counted;
    const source = { ...results, left };
    const lists = writeRunResults(this.#out, this.#config, { totals, measured, source });
    const known = outcomes.reduce((sum, count) => sum + count, lists.waiting);
    return { lists, totals: decides ? { ...totals, known } : totals };
  }

  /** Returns how many journals were left as they are. */
  #makeSnapshots({ seedLow, seedHigh }: CrawlState): number {
    const limit = this.#limit === NO_LIMIT ? NO_LIMIT : this.#limit.within(MAX_SNAPSHOT_MS);
    const options = {
      folder: crawlPaths(this.#out).journals,
      seedLow,
      seedHigh,
      minBytes: this.#sizes.snapshotBytes,
    };
    return makeLastSnapshots(options, limit);
  }
}
