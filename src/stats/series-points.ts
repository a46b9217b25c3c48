import { addCounts, type Figures } from "./crawl-figures.ts";
import { type Latency, latencyBetween, NO_LATENCY, percentileMs } from "./latency-counts.ts";

/** What passed between two lines of a series, or what was at the second of them: one value per column, for a chart. */
export interface SeriesPoint {
  /** Seconds of crawling, all runs together. */
  readonly seconds: number;
  readonly time: string;
  readonly run: number;
  readonly pagesPerSecond: number;
  readonly bytesPerSecond: number;
  readonly queued: number;
  readonly inFlight: number;
  readonly hostsWaiting: number;
  /** URLs that failed, were refused or given up, per second, by code. */
  readonly errorsPerSecond: Readonly<Record<string, number>>;
  /** Milliseconds; null without a response. */
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly rssBytes: number;
  /** Cores in use: by the stages of visits, and by everything else in the process. */
  readonly cpu: Readonly<Record<"read" | "follow" | "store" | "commit" | "rest", number>>;
}

const STAGES = ["read", "follow", "store", "commit"] as const;

/** What happened between two moments. Counts of a run begin at 0, so a moment of another run is as good as none. */
export function pointBetween(before: Figures | undefined, now: Figures): SeriesPoint {
  const isSame = before?.run === now.run;
  const seconds = Math.max(1e-3, isSame ? now.runSeconds - before.runSeconds : now.runSeconds);
  const latency: Latency = latencyBetween(isSame ? before.latency : NO_LATENCY, now.latency);
  const busy = (stage: (typeof STAGES)[number]) =>
    Math.max(0, (now.stages[stage] - (isSame ? before.stages[stage] : 0)) / seconds);
  const stages = {
    read: busy("read"),
    follow: busy("follow"),
    store: busy("store"),
    commit: busy("commit"),
  };
  const cpu = (now.cpuSeconds - (isSame ? before.cpuSeconds : 0)) / seconds;
  const known = stages.read + stages.follow + stages.store + stages.commit;
  // Stages are timed by the clock: on a machine that has other work to do, that is more than the CPU they got.
  const scale = known > cpu && known > 0 ? cpu / known : 1;
  for (const stage of STAGES) stages[stage] *= scale;
  return {
    seconds: now.seconds,
    time: now.time,
    run: now.run,
    pagesPerSecond: Math.max(0, now.pages - (before?.pages ?? 0)) / seconds,
    bytesPerSecond: Math.max(0, now.bytes - (before?.bytes ?? 0)) / seconds,
    queued: now.queued,
    inFlight: now.inFlight,
    hostsWaiting: now.hostsWaiting,
    errorsPerSecond: perSecond(now.errors, isSame ? before.errors : {}, seconds),
    p50: percentileMs(latency, 0.5) ?? null,
    p90: percentileMs(latency, 0.9) ?? null,
    p99: percentileMs(latency, 0.99) ?? null,
    rssBytes: now.rssBytes,
    cpu: { ...stages, rest: Math.max(0, cpu - known) },
  };
}

function perSecond(
  now: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
  seconds: number,
): Record<string, number> {
  const rates: Record<string, number> = {};
  for (const [code, count] of Object.entries(now)) {
    const more = count - (before[code] ?? 0);
    if (more > 0) rates[code] = more / seconds;
  }
  return rates;
}

/** At most about `most` points of the lines from `fromSeconds` on, evenly spread; each tells of all the time since the one before. */
export function pointsOf(
  lines: readonly Figures[],
  fromSeconds: number,
  most: number,
): SeriesPoint[] {
  const first = lines.findIndex(({ seconds }) => seconds >= fromSeconds);
  if (first < 0) return [];
  const last = lines.at(-1)!.seconds;
  const spacing = (last - lines[first]!.seconds) / most;
  const points: SeriesPoint[] = [];
  let before = lines[first - 1];
  /** Where the newest point begins. */
  let start = before;
  let next = Number.NEGATIVE_INFINITY;
  for (let i = first; i < lines.length; i++) {
    const line = lines[i]!;
    const isLast = lines[i + 1]?.run !== line.run;
    if (line.seconds < next && !isLast) continue;
    // Two lines of one moment are a run's last line and one before: the rate between them says nothing, so they are one point.
    const isRepeated = before?.run === line.run && line.runSeconds - before.runSeconds < 0.1;
    if (!isRepeated) start = before;
    else if (points.pop() === undefined) continue;
    points.push(pointBetween(start, line));
    before = line;
    next = line.seconds + spacing;
  }
  return points;
}

/** What all runs together have counted by code: each run begins at 0, and its last line stays in the series. */
export function errorsOf(lines: readonly Figures[]): Record<string, number> {
  return lines.reduce<Record<string, number>>(
    (sums, line, i) => (lines[i + 1]?.run === line.run ? sums : addCounts(sums, line.errors)),
    {},
  );
}
