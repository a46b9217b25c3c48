import type { CrawlActivity, Figures } from "../stats/crawl-figures.ts";
import type { Outlook } from "../stats/crawl-outlook.ts";
import { LATENCY_BOUNDS_MS } from "../stats/latency-counts.ts";
import type { LimitingFactor } from "../stats/limiting-factor.ts";

const STATES: readonly CrawlActivity[] = [
  ...(["starting", "running", "paused", "stopping"] as const),
  ...(["finished", "limit", "interrupted", "died"] as const),
];

const FACTORS: readonly LimitingFactor[] = [
  ...STATES.filter((state) => state !== "running"),
  ...(["disk", "cpu", "network", "delays", "few-hosts", "nothing-left"] as const),
];

type Value = (figures: Figures) => number;

/** Name without its first word, what it counts, and where it comes from. */
type Row = readonly [name: string, help: string, value: Value];

/** Of all runs: what journals keep. */
const COUNTERS: readonly Row[] = [
  ["pages_total", "Committed pages (2xx responses), all runs.", (f) => f.pages],
  ["failed_urls_total", "URLs that ended as failed, all runs.", (f) => f.failed],
  [
    "refused_urls_total",
    "URLs that were refused by robots.txt or a rule, all runs.",
    (f) => f.refused,
  ],
  ["redirects_total", "Redirects, all runs.", (f) => f.redirects],
  ["sitemaps_total", "Sitemaps and feeds read, all runs.", (f) => f.sitemaps],
  [
    "unchanged_pages_total",
    "Pages that have not changed since the earlier crawl.",
    (f) => f.unchanged,
  ],
  ["received_bytes_total", "Bytes of response bodies as received, all runs.", (f) => f.bytes],
  ["known_urls_total", "Distinct URLs admitted, all runs.", (f) => f.known],
  ["retries_total", "Requests that were repeated, this run.", (f) => f.retries],
  ["robots_files_total", "robots.txt files asked for, this run.", (f) => f.robotsFetched],
  [
    "trapped_urls_total",
    "URLs left out because they belong to a trap, this run.",
    (f) => f.trapped,
  ],
  ["skipped_links_total", "Links that were not followed, this run.", (f) => f.linksSkipped],
  ["cpu_seconds_total", "CPU time of the process, this run.", (f) => f.cpuSeconds],
];

const GAUGES: readonly Row[] = [
  ["queued_urls", "URLs that wait.", (f) => f.queued],
  ["in_flight_requests", "Requests in flight.", (f) => f.inFlight],
  ["max_in_flight_requests", "Requests that may be in flight at once.", (f) => f.places],
  ["waiting_hosts", "Hosts with URLs that must not be asked yet.", (f) => f.hostsWaiting],
  ["visited_hosts", "Hosts of which a URL has ended in this run.", (f) => f.hosts],
  ["uncommitted_pages", "Pages fetched and not yet safe.", (f) => f.uncommitted],
  ["threads", "Crawler threads.", (f) => f.threads],
  ["congested_threads", "Crawler threads that wait for pages to be written.", (f) => f.congested],
  ["busy_ratio", "Busy share of the crawler threads in the last second.", (f) => f.busy],
  ["resident_memory_bytes", "Memory of the process.", (f) => f.rssBytes],
  ["runs", "Runs of the crawl, this one included.", (f) => f.run],
  ["run_seconds", "Wall time of this run.", (f) => f.runSeconds],
  ["crawl_seconds", "Wall time of all runs.", (f) => f.seconds],
];

/**
 * The figures of a crawl in the text format of Prometheus. The number of series is bounded: codes and states are words of this
 * program, hosts are no labels.
 */
export function metricsText(
  figures: Figures,
  { limitedBy }: Outlook,
  errors: Readonly<Record<string, number>>,
  version: string,
): string {
  const out: string[] = [];
  const add = (name: string, type: string, help: string, lines: readonly string[]) =>
    out.push(`# HELP orbweaver_${name} ${help}`, `# TYPE orbweaver_${name} ${type}`, ...lines);
  const single = (rows: readonly Row[], type: string) => {
    for (const [name, help, value] of rows)
      add(name, type, help, [`orbweaver_${name} ${value(figures)}`]);
  };
  const labelled = (name: string, label: string, values: Iterable<readonly [string, number]>) =>
    [...values].map(([word, value]) => `orbweaver_${name}{${label}="${word}"} ${value}`);
  single(COUNTERS, "counter");
  single(GAUGES, "gauge");
  add(
    "errors_total",
    "counter",
    "URLs that failed, were refused or given up, by code, all runs.",
    labelled("errors_total", "code", Object.entries(errors)),
  );
  add(
    "stage_seconds_total",
    "counter",
    "Time of the stages of visits, all threads, this run; network is waiting, many at a time.",
    labelled("stage_seconds_total", "stage", Object.entries(figures.stages)),
  );
  add(
    "state",
    "gauge",
    "1 for what the crawl is doing.",
    labelled("state", "state", flags(STATES, figures.state)),
  );
  add(
    "limiting_factor",
    "gauge",
    "1 for what keeps the crawl from being faster.",
    labelled("limiting_factor", "factor", flags(FACTORS, limitedBy.factor)),
  );
  add("build_info", "gauge", "The version of this program.", [
    `orbweaver_build_info{version="${version}"} 1`,
  ]);
  add("response_seconds", "histogram", "Time until a response was complete, this run.", [
    ...histogram(figures),
  ]);
  return `${out.join("\n")}\n`;
}

function flags<T extends string>(words: readonly T[], now: string): [T, number][] {
  return words.map((word) => [word, word === now ? 1 : 0]);
}

function* histogram({ latency }: Figures): Generator<string> {
  let sum = 0;
  for (const [i, count] of latency.counts.entries()) {
    sum += count;
    const bound = LATENCY_BOUNDS_MS[i];
    const le = bound === undefined ? "+Inf" : String(bound / 1000);
    yield `orbweaver_response_seconds_bucket{le="${le}"} ${sum}`;
  }
  yield `orbweaver_response_seconds_sum ${latency.sumMs / 1000}`;
  yield `orbweaver_response_seconds_count ${sum}`;
}
