import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../../store/files/jsonl.ts";
import { readLines } from "../../store/files/read-file.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";

/** Pages that are further apart belong to different runs, where nothing else tells. */
const MAX_PAUSE_MS = 60_000;

/** Figures of reports/summary.json that a report uses. */
interface Summary {
  readonly ended?: string;
  /** Of all runs, where `runs` is there, too; otherwise of the newest one. */
  readonly seconds?: number;
  readonly runs?: number;
}

/** reports/summary.json; empty where it is missing. */
export function readSummary(dir: string): Summary {
  const path = join(crawlPaths(dir).reports, "summary.json");
  return existsSync(path) ? ((parseJson(readFileSync(path, "utf8")) ?? {}) as Summary) : {};
}

/**
 * Seconds in which the crawl ran, over all its runs. Folders of older versions note the intervals of runs that came to an
 * end; what pages were fetched outside of them (a run that was killed) counts from the first to the last without a pause.
 */
export class ActiveSeconds {
  readonly #known: number | undefined;
  readonly #runs: readonly (readonly [fromMs: number, toMs: number])[];
  #fromMs = Number.NaN;
  #toMs = Number.NaN;
  #outsideMs = 0;

  constructor(dir: string) {
    const { seconds, runs } = readSummary(dir);
    this.#known = runs === undefined ? undefined : seconds;
    this.#runs = this.#known === undefined ? intervalsOf(crawlPaths(dir).hourly) : [];
  }

  /** Takes the time of a page; the list is nearly in the order of time. */
  add(timeMs: number): void {
    if (this.#known !== undefined || !Number.isFinite(timeMs)) return;
    if (this.#runs.some(([from, to]) => timeMs >= from && timeMs <= to)) return;
    if (Number.isNaN(this.#fromMs) || Math.abs(timeMs - this.#toMs) > MAX_PAUSE_MS) {
      this.#close();
      this.#fromMs = timeMs;
    }
    this.#toMs = Math.max(timeMs, this.#toMs || timeMs);
  }

  total(): number {
    if (this.#known !== undefined) return this.#known;
    this.#close();
    const runMs = this.#runs.reduce((sum, [from, to]) => sum + to - from, 0);
    return Math.round(runMs + this.#outsideMs) / 1000;
  }

  #close(): void {
    if (!Number.isNaN(this.#fromMs)) this.#outsideMs += this.#toMs - this.#fromMs;
    this.#fromMs = Number.NaN;
    this.#toMs = Number.NaN;
  }
}

/** The intervals of reports/hourly_statistics.jsonl, all runs one after the other. */
function intervalsOf(path: string): [number, number][] {
  if (!existsSync(path)) return [];
  const intervals: [number, number][] = [];
  for (const line of readLines(path)) {
    const { time, seconds = 0 } = (parseJson(line) ?? {}) as { time?: string; seconds?: number };
    const toMs = Date.parse(time ?? "");
    if (Number.isFinite(toMs)) intervals.push([toMs - seconds * 1000, toMs]);
  }
  return intervals;
}
