import { existsSync } from "node:fs";
import { DiskFullError } from "../errors.ts";
import { JsonlFile, jsonLine, parseJson } from "../store/files/jsonl.ts";
import { readLines } from "../store/files/read-file.ts";
import { replaceFile } from "../store/files/replace-file.ts";
import type { Figures } from "./crawl-figures.ts";

/** How often a line is written. */
export const SERIES_EVERY_MS = 1000;

/** How long the file may become, and what is left of it then. */
export interface SeriesSizes {
  readonly maxLines: number;
  /** Of the last seconds every line stays. */
  readonly recentSeconds: number;
  /** About so many of the lines before those stay, evenly spread. */
  readonly oldLines: number;
}

/** Less than 5 MB, however long the crawl. */
const SIZES: SeriesSizes = { maxLines: 4800, recentSeconds: 600, oldLines: 3000 };

/**
 * Writes reports/series.jsonl: the figures of the crawl, a line per second, handed to the system at once, so that a crawl that
 * is killed has them. All counts are sums since the start, so lines can be left out: when there are too many, the older
 * ones are thinned out. The last line of each run stays. A resumed crawl goes on with the same file.
 */
export class SeriesFile {
  readonly #path: string;
  readonly #sizes: SeriesSizes;
  #file: JsonlFile;
  #lines: number;
  #lastMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(path: string, sizes = SIZES) {
    this.#path = path;
    this.#sizes = sizes;
    this.#file = new JsonlFile(path);
    this.#lines = [...readLines(path)].length;
  }

  /** Writes a line if one is due; `figures` is asked for only then. On a full disk lines wait. */
  tick(nowMs: number, figures: () => Figures): void {
    if (nowMs - this.#lastMs < SERIES_EVERY_MS) return;
    this.#lastMs = nowMs;
    this.#file.hold(jsonLine(figures()));
    this.#lines++;
    try {
      this.#file.flush();
      if (this.#lines > this.#sizes.maxLines) this.#thinOut();
    } catch (fault) {
      if (!(fault instanceof DiskFullError)) throw fault;
    }
  }

  /** Writes the last line of the run and closes the file; may be repeated after a DiskFullError. */
  close(figures: Figures): void {
    if (!this.#isClosed) this.#file.hold(jsonLine(figures));
    this.#isClosed = true;
    this.#file.close();
  }

  /** Closes the file as it is; does nothing after `close`. */
  abandon(): void {
    this.#file.abandon();
  }

  #thinOut(): void {
    const kept = thinned([...readLines(this.#path)], this.#sizes);
    // A reader that has the old file open reads it to its end and notices the new one.
    replaceFile(this.#path, (file) => file.write(Buffer.from(`${kept.join("\n")}\n`, "latin1")));
    this.#file.abandon();
    this.#file = new JsonlFile(this.#path);
    this.#lines = kept.length;
  }
}

interface Timed {
  readonly text: string;
  readonly run: number;
  readonly seconds: number;
}

/** The lines that stay: the last one of each run, all of the last seconds, and evenly spread ones of the time before. */
function thinned(lines: readonly string[], { recentSeconds, oldLines }: SeriesSizes): string[] {
  const timed = lines.flatMap((text): Timed[] => {
    const line = parseJson(text) as Partial<Timed> | null | undefined;
    return line?.seconds === undefined || line.run === undefined
      ? []
      : [{ text, run: line.run, seconds: line.seconds }];
  });
  const first = timed[0]?.seconds ?? 0;
  const recent = (timed.at(-1)?.seconds ?? 0) - recentSeconds;
  const spacing = (recent - first) / oldLines;
  let next = first;
  return timed.flatMap(({ text, run, seconds }, i) => {
    const isLast = timed[i + 1]?.run !== run;
    if (seconds < next && seconds < recent && !isLast) return [];
    next = Math.max(next + spacing, seconds);
    return [text];
  });
}

/** Every line of a series, in order; what is no line of ours is left out. */
export function readSeries(path: string): Figures[] {
  if (!existsSync(path)) return [];
  return [...readLines(path)].flatMap((text) => figuresOf(text));
}

/** The figures of one line, or none. */
export function figuresOf(text: string): Figures[] {
  const line = parseJson(text) as Partial<Figures> | null | undefined;
  return line?.version === 1 && line.seconds !== undefined ? [line as Figures] : [];
}
