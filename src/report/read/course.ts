import { readSeries } from "../../stats/series-file.ts";
import { pointsOf, type SeriesPoint } from "../../stats/series-points.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";

/** More would not be told apart in a plot. */
const MAX_POINTS = 120;

/** How the crawl went in an interval, of `reports/series.jsonl`: rates of it, and the rest as it was at its end. */
export type CoursePoint = Pick<
  SeriesPoint,
  | "seconds"
  | "time"
  | "run"
  | "pagesPerSecond"
  | "bytesPerSecond"
  | "queued"
  | "inFlight"
  | "p50"
  | "p90"
  | "p99"
  | "rssBytes"
> & {
  /** URLs that failed, were refused or given up. */
  readonly errorsPerSecond: number;
  /** Cores in use. */
  readonly cpu: number;
};

/** The course of a crawl; empty where no series was written. */
export function readCourse(dir: string): CoursePoint[] {
  const lines = readSeries(crawlPaths(dir).series);
  return pointsOf(lines, Number.NEGATIVE_INFINITY, MAX_POINTS).map((point) => ({
    seconds: point.seconds,
    time: point.time,
    run: point.run,
    pagesPerSecond: rounded(point.pagesPerSecond),
    bytesPerSecond: rounded(point.bytesPerSecond),
    errorsPerSecond: rounded(sumOf(point.errorsPerSecond)),
    queued: point.queued,
    inFlight: point.inFlight,
    p50: point.p50,
    p90: point.p90,
    p99: point.p99,
    rssBytes: point.rssBytes,
    cpu: rounded(sumOf(point.cpu)),
  }));
}

function sumOf(values: Readonly<Record<string, number>>): number {
  return Object.values(values).reduce((sum, value) => sum + value, 0);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
