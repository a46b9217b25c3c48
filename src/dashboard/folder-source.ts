import { existsSync, statSync } from "node:fs";
import type { HostPage } from "../crawl/crawler/host-list.ts";
import { HostRanking, mergeRanks } from "../crawl/crawler/host-ranking.ts";
import type { CrawlActivity, Figures } from "../stats/crawl-figures.ts";
import { figuresOf, readSeries, SERIES_EVERY_MS } from "../stats/series-file.ts";
import { FileWindow } from "../store/files/file-window.ts";
import { crawlPaths, wholeState } from "../store/folder/crawl-folder.ts";
import { type DashboardSource, KeptLines } from "./dashboard-source.ts";
import type { LogView } from "./log-view.ts";

/** A crawl that runs writes a line per second: after so many without one its process is gone. */
const SILENT_MS = 10_000;
const NEWLINE = 0x0a;
/** What a log does not tell of a host. */
const UNKNOWN = {
  ...{ queued: 0, inFlight: 0, delayMs: null, nextMs: null },
  ...{ failures: 0, robots: null },
};

/** A crawl that is over, died, or runs in another process: what its folder tells. */
export class FolderSource implements DashboardSource {
  readonly dir: string;
  readonly controls = undefined;
  readonly #series: string;
  readonly #log: LogView;
  readonly #listeners = new Set<(figures: Figures) => void>();
  #lines: KeptLines;
  /** How far the file was read, and which file it was. */
  #offset = 0;
  #file = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(dir: string, log: LogView) {
    this.dir = dir;
    this.#series = crawlPaths(dir).series;
    this.#log = log;
    this.#lines = new KeptLines([]);
    this.#look();
    this.#timer = setInterval(() => this.#look(), SERIES_EVERY_MS);
    this.#timer.unref();
  }

  lines(): readonly Figures[] {
    const { all } = this.#lines;
    const last = all.at(-1);
    if (last === undefined) return all;
    const state = this.#stateOf(last);
    return state === last.state ? all : [...all.slice(0, -1), idle(last, state)];
  }

  onFigures(use: (figures: Figures) => void): () => void {
    this.#listeners.add(use);
    return () => this.#listeners.delete(use);
  }

  /** As the log counts them; what waits is known to nobody but the process of the crawl. */
  async hosts(question: Parameters<DashboardSource["hosts"]>[0]): Promise<HostPage> {
    await this.#log.update();
    const { search, sort } = question;
    const ranking = new HostRanking(question);
    for (const [name, counts] of this.#log.hosts)
      if (name.includes(search))
        ranking.add(name, sort === "done" || sort === "failed" ? counts[sort] : 0);
    const ranks = ranking.ranks();
    const hosts = mergeRanks([ranks], question, true).map((name) => ({
      ...{ name, ...this.#log.hosts.get(name)!, ...UNKNOWN },
    }));
    return { total: ranks.total, hosts };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #stateOf({ state, time }: Figures): CrawlActivity {
    if (state === "finished" || state === "limit" || state === "interrupted") return state;
    if (Date.now() - Date.parse(time) < SILENT_MS) return state;
    // A crawl that ended before its last line was written.
    const ended = wholeState(this.dir)?.ended;
    return ended === "finished" || ended === "limit" || ended === "interrupted" ? ended : "died";
  }

  /** Reads new lines; all of them when the file was replaced by a thinner one. */
  #look(): void {
    if (!existsSync(this.#series)) return;
    const { size, ino } = statSync(this.#series);
    if (ino !== this.#file || size < this.#offset) {
      this.#lines = new KeptLines(readSeries(this.#series));
      this.#file = ino;
      this.#offset = size;
      this.#tell();
      return;
    }
    if (size === this.#offset) return;
    const file = new FileWindow(this.#series);
    const bytes = file.slice(this.#offset, size);
    file.close();
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    this.#offset += end;
    for (const text of bytes.toString("utf8", 0, end).split("\n"))
      for (const figures of figuresOf(text)) this.#lines.add(figures);
    this.#tell();
  }

  #tell(): void {
    const last = this.lines().at(-1);
    if (last !== undefined) for (const use of this.#listeners) use(last);
  }
}

/** The last figures of a crawl that says nothing any more. */
function idle(last: Figures, state: CrawlActivity): Figures {
  return { ...last, state, inFlight: 0, hostsWaiting: 0, congested: 0, busy: 0 };
}
