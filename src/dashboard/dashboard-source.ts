import { cpus } from "node:os";
import type { Crawl } from "../crawl/crawl.ts";
import type { HostPage } from "../crawl/crawler/host-list.ts";
import type { HostQuestion } from "../crawl/crawler/host-ranking.ts";
import { type Figures, NO_FIGURES } from "../stats/crawl-figures.ts";
import { type Outlook, outlookOf } from "../stats/crawl-outlook.ts";
import { readSeries } from "../stats/series-file.ts";
import { crawlPaths } from "../store/folder/crawl-folder.ts";
import type { Controls } from "./controls.ts";

/** A crawl as a dashboard sees it: one of this process, or a folder. */
export interface DashboardSource {
  readonly dir: string;
  /** The series so far, the newest line last. */
  lines(): readonly Figures[];
  /** Calls back with each new line, until the function that it returns is called. */
  onFigures(use: (figures: Figures) => void): () => void;
  hosts(question: HostQuestion): Promise<HostPage>;
  /** Undefined for a folder: only the process of a crawl can steer it. */
  readonly controls: Controls | undefined;
}

/** Lines kept in memory, and those that are left when there are more. */
const MAX_LINES = 6000;
const KEPT_RECENT = 1200;

/** Keeps a series in memory: of the older lines every second one goes when there are too many. */
export class KeptLines {
  #lines: Figures[];

  constructor(lines: readonly Figures[]) {
    this.#lines = [...lines];
  }

  get all(): readonly Figures[] {
    return this.#lines;
  }

  add(figures: Figures): void {
    this.#lines.push(figures);
    if (this.#lines.length <= MAX_LINES) return;
    const old = this.#lines.length - KEPT_RECENT;
    this.#lines = this.#lines.filter(
      ({ run }, i) => i >= old || i % 2 === 0 || this.#lines[i + 1]?.run !== run,
    );
  }
}

/** How the crawl goes; of one that has not begun nothing but that. */
export function sourceOutlook(source: DashboardSource): Outlook {
  const lines = source.lines();
  return outlookOf(lines.length === 0 ? [NO_FIGURES] : lines, cpus().length)!;
}

/** The crawl of this process. */
export function liveSource(
  crawl: Crawl,
  dir: string,
  controls: Controls | undefined,
): DashboardSource {
  let kept: KeptLines | undefined;
  // Lines of earlier runs are read when somebody looks; before the crawl has begun there is no folder.
  const lines = () => {
    kept ??= new KeptLines(readSeries(crawlPaths(dir).series));
    return kept;
  };
  crawl.events.on("figures", (figures) => kept?.add(figures));
  return {
    dir,
    lines: () => lines().all,
    onFigures: (use) => {
      crawl.events.on("figures", use);
      return () => crawl.events.off("figures", use);
    },
    hosts: (question) => crawl.hosts(question),
    controls,
  };
}
