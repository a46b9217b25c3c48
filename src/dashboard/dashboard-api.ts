import { existsSync, statSync } from "node:fs";
import { HOST_SORTS, type HostSort } from "../crawl/crawler/host-ranking.ts";
import { NO_FIGURES } from "../stats/crawl-figures.ts";
import { exchangesOf } from "../stats/exchange-points.ts";
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
const MAX_HOST_OFFSET = 1_000_000;
const DEFAULT_HOSTS = 50;
const MAX_SEARCH = 253;
const TAIL_BYTES = 64 * 1024;
const MAX_KEPT = 64;

/** The answers of the dashboard, as JSON; all of them only read. */
export class DashboardApi {
  readonly #source: DashboardSource;
  readonly #log: LogView;
  readonly #version: string;
  readonly #kept = new Map<string, { readonly madeMs: number; readonly answer: Promise<string> }>();

  constructor(source: DashboardSource, log: LogView, version: string) {
    this.#source = source;
    this.#log = log;
    this.#version = version;
  }

  /** The answer for a path and its query; undefined where there is none. */
  answer(path: string, query: URLSearchParams): string | Promise<string> | undefined {
    if (path === "/api/status") return JSON.stringify(this.status());
    const question = Object.hasOwn(QUESTIONS, path) ? QUESTIONS[path] : undefined;
    return question && this.#keep(`${path}?${withoutToken(query)}`, question, query);
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
    const pages = this.#log.newestPages();
    const titles = titlesOf(this.#source.dir, new Set(pages.map(({ url }) => url)));
    return { pages: pages.map((page) => ({ ...page, title: titles.get(page.url) ?? null })) };
  }

  /** What threads have exchanged lately: by thread, of the end of reports/exchanges.jsonl. */
  exchanges(): object {
    const path = crawlPaths(this.#source.dir).exchanges;
    const { text, isWhole } = existsSync(path) ? tailOf(path) : { text: "", isWhole: true };
    const { threads } = exchangesOf(text.split("\n"));
    return { isWhole, threads };
  }

  async failures(): Promise<object> {
    await this.#log.update();
    return { failures: this.#log.failures() };
  }

  async links(): Promise<object> {
    await this.#log.update();
    return this.#log.edges.graph(this.#log.hosts);
  }

  #keep(key: string, { keptMs, make }: Question, query: URLSearchParams): Promise<string> {
    const now = performance.now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && now - kept.madeMs < keptMs) return kept.answer;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    const answer = Promise.resolve(make(this, query)).then((made) => JSON.stringify(made));
    this.#kept.set(key, { madeMs: now, answer });
    // What went wrong is not kept.
    answer.catch(() => this.#kept.delete(key));
    return answer;
  }
}

/** Something that can be asked for, and how long its answer does for whoever asks next: about as long as the page waits. */
interface Question {
  readonly keptMs: number;
  readonly make: (api: DashboardApi, query: URLSearchParams) => object | Promise<object>;
}

const QUESTIONS: Readonly<Record<string, Question>> = {
  "/api/series": { keptMs: 1900, make: (api, query) => api.series(query) },
  "/api/hosts": { keptMs: 900, make: (api, query) => api.hosts(query) },
  "/api/pages": { keptMs: 1900, make: (api) => api.pages() },
  "/api/exchanges": { keptMs: 4900, make: (api) => api.exchanges() },
  "/api/failures": { keptMs: 2900, make: (api) => api.failures() },
  "/api/links": { keptMs: 9000, make: (api) => api.links() },
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

/** Titles of these pages, looked for at the ends of the lists, where the newest are while a crawl runs. */
/** The end of a file; its first line may be cut. */
function tailOf(path: string): { readonly text: string; readonly isWhole: boolean } {
  const { size } = statSync(path);
  const file = new FileWindow(path);
  try {
    const text = file.slice(Math.max(0, size - TAIL_BYTES), size).toString("utf8");
    return { text, isWhole: size <= TAIL_BYTES };
  } finally {
    file.close();
  }
}

function titlesOf(dir: string, wanted: ReadonlySet<string>): Map<string, string> {
  const titles = new Map<string, string>();
  for (const path of withParts(crawlPaths(dir).pages)) {
    for (const line of tailOf(path).text.split("\n").reverse()) {
      if (titles.size === wanted.size) break;
      const page = parseJson(line) as { url?: unknown; title?: unknown } | null | undefined;
      if (typeof page?.url === "string" && typeof page.title === "string" && wanted.has(page.url))
        titles.set(page.url, page.title.slice(0, 300));
    }
  }
  return titles;
}
