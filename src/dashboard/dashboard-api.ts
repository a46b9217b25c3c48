import { statSync } from "node:fs";
import { HOST_SORTS, type HostSort, MAX_HOST_OFFSET } from "../crawl/crawler/host-list.ts";
import { NO_FIGURES } from "../stats/crawl-figures.ts";
import { errorsOf, pointsOf, type SeriesPoint } from "../stats/series-points.ts";
import { FileWindow } from "../store/files/file-window.ts";
import { parseJson } from "../store/files/jsonl.ts";
import { crawlPaths, withParts } from "../store/folder/crawl-folder.ts";
import { type DashboardSource, sourceOutlook } from "./dashboard-source.ts";
import type { LogView } from "./log-view.ts";
import { metricsText } from "./metrics-text.ts";

const MAX_POINTS = 1000;
const DEFAULT_POINTS = 600;
const MAX_HOSTS_AT_ONCE = 200;
const DEFAULT_HOSTS = 50;
const MAX_SEARCH = 253;
const TAIL_BYTES = 64 * 1024;
/** Answers that cost more than a line are made at most so often, for whoever asks. */
const KEPT_MS = 1000;
const MAX_KEPT = 64;

/** The answers of the dashboard, as objects; all of them only read. */
export class DashboardApi {
  readonly #source: DashboardSource;
  readonly #log: LogView;
  readonly #version: string;
  readonly #kept = new Map<string, { readonly madeMs: number; readonly answer: Promise<object> }>();

  constructor(source: DashboardSource, log: LogView, version: string) {
    this.#source = source;
    this.#log = log;
    this.#version = version;
  }

  /** The answer for a path and its query; undefined where there is none. */
  answer(path: string, query: URLSearchParams): object | Promise<object> | undefined {
    if (path === "/api/status") return this.status();
    const make = MAKERS[path];
    return make && this.#keep(`${path}?${withoutToken(query)}`, () => make(this, query));
  }

  /** All figures with what they mean. */
  status(): object {
    const lines = this.#source.lines();
    const figures = lines.at(-1) ?? NO_FIGURES;
    const { limitedBy, timeLeft, point } = sourceOutlook(this.#source);
    return {
      version: 1,
      program: this.#version,
      dir: this.#source.dir,
      figures,
      now: point,
      limitedBy,
      timeLeft: timeLeft ?? null,
      control: this.#source.controls?.state() ?? null,
    };
  }

  metrics(): string {
    const lines = this.#source.lines();
    const figures = lines.at(-1) ?? NO_FIGURES;
    return metricsText(figures, sourceOutlook(this.#source), errorsOf(lines), this.#version);
  }

  /** Columns for charts: `last` seconds of crawling, or everything. */
  series(query: URLSearchParams): object {
    const lines = this.#source.lines();
    const last = numberOf(query, "last", Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    const most = numberOf(query, "points", DEFAULT_POINTS, MAX_POINTS);
    return columnsOf(pointsOf(lines, (lines.at(-1)?.seconds ?? 0) - last, Math.max(2, most)));
  }

  async hosts(query: URLSearchParams): Promise<object> {
    const sort = query.get("sort") as HostSort | null;
    return this.#source.hosts({
      search: (query.get("search") ?? "").trim().toLowerCase().slice(0, MAX_SEARCH),
      sort: sort !== null && HOST_SORTS.includes(sort) ? sort : "queued",
      offset: numberOf(query, "offset", 0, MAX_HOST_OFFSET),
      limit: numberOf(query, "limit", DEFAULT_HOSTS, MAX_HOSTS_AT_ONCE),
    });
  }

  async pages(): Promise<object> {
    await this.#log.update();
    const titles = newestTitles(this.#source.dir);
    const pages = this.#log.newestPages();
    return { pages: pages.map((page) => ({ ...page, title: titles.get(page.url) ?? null })) };
  }

  async failures(): Promise<object> {
    await this.#log.update();
    return { failures: this.#log.failures() };
  }

  async links(): Promise<object> {
    await this.#log.update();
    return this.#log.edges.graph(this.#log.hosts);
  }

  #keep(key: string, make: () => object | Promise<object>): Promise<object> {
    const now = performance.now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && now - kept.madeMs < KEPT_MS) return kept.answer;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    const answer = Promise.resolve(make());
    this.#kept.set(key, { madeMs: now, answer });
    return answer;
  }
}

type Maker = (api: DashboardApi, query: URLSearchParams) => object | Promise<object>;

const MAKERS: Readonly<Record<string, Maker>> = {
  "/api/series": (api, query) => api.series(query),
  "/api/hosts": (api, query) => api.hosts(query),
  "/api/pages": (api) => api.pages(),
  "/api/failures": (api) => api.failures(),
  "/api/links": (api) => api.links(),
};

function withoutToken(query: URLSearchParams): string {
  const rest = new URLSearchParams(query);
  rest.delete("token");
  return rest.toString();
}

function numberOf(query: URLSearchParams, name: string, otherwise: number, most: number): number {
  const text = query.get(name) ?? "";
  return /^\d{1,9}$/.test(text) ? Math.min(Number(text), most) : otherwise;
}

/** One array per column: a chart wants them so, and they are shorter. */
function columnsOf(points: readonly SeriesPoint[]): object {
  const column = (value: (point: SeriesPoint) => number | null) =>
    points.map((point) => {
      const found = value(point);
      return found === null ? null : Math.round(found * 1000) / 1000;
    });
  const codes = new Set(points.flatMap(({ errorsPerSecond }) => Object.keys(errorsPerSecond)));
  return {
    seconds: column(({ seconds }) => seconds),
    time: points.map(({ time }) => Date.parse(time) / 1000),
    run: points.map(({ run }) => run),
    pagesPerSecond: column((p) => p.pagesPerSecond),
    bytesPerSecond: column((p) => p.bytesPerSecond),
    queued: column((p) => p.queued),
    inFlight: column((p) => p.inFlight),
    hostsWaiting: column((p) => p.hostsWaiting),
    p50: column((p) => p.p50),
    p90: column((p) => p.p90),
    p99: column((p) => p.p99),
    rssBytes: column((p) => p.rssBytes),
    cpu: Object.fromEntries(
      (["read", "follow", "store", "commit", "rest"] as const).map((stage) => [
        stage,
        column((p) => p.cpu[stage]),
      ]),
    ),
    errors: Object.fromEntries(
      [...codes].map((code) => [code, column((p) => p.errorsPerSecond[code] ?? 0)]),
    ),
  };
}

/** Titles at the ends of the lists of pages, where the newest are while a crawl runs. */
function newestTitles(dir: string): Map<string, string> {
  const titles = new Map<string, string>();
  for (const path of withParts(crawlPaths(dir).pages)) {
    const { size } = statSync(path);
    const file = new FileWindow(path);
    const text = file.slice(Math.max(0, size - TAIL_BYTES), size).toString("utf8");
    file.close();
    for (const line of text.split("\n")) {
      const page = parseJson(line) as { url?: unknown; title?: unknown } | null | undefined;
      if (typeof page?.url === "string" && typeof page.title === "string")
        titles.set(page.url, page.title.slice(0, 300));
    }
  }
  return titles;
}
