import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AppendFile } from "./append-file.ts";
import type { FoundUrl } from "./committed.ts";
import { replaceFile } from "./replace-file.ts";
import { safeText, safeUri } from "./safe-text.ts";
import { sourceLine } from "./tree-files.ts";

const TITLE = "URLs found and not crawled";
/** How a crawl ended that did not end. */
export const AFTER_CRASH = "recovered after a crash";
const WRITE_CHARS = 256 * 1024;

/** How many lines the lists have, titles left out. */
export interface ListCounts {
  readonly crawled: number;
  readonly uncrawled: number;
  /** Seeds among what was given; they are in neither list. */
  readonly seeds: number;
}

/** What statistics.txt says beside the counts; "unknown" where a crash took it along. */
export interface RunFacts {
  readonly seconds: number | "unknown";
  readonly threads: number | "unknown";
  readonly buffers: number | "unknown";
  /** Why the crawl ended, in words: "no URL was left", "--max-pages 100", "SIGINT", "recovered after a crash". */
  readonly endedBy: string;
}

/**
 * Writes reports/crawled.txt (a line `URL<TAB>source URL` per crawled URL) and reports/uncrawled.txt (a title, then a
 * URL per line); seeds are in neither, because nobody found them. So the URLs found are the lines of both, less one.
 */
export function writeLists(
  reports: string,
  crawled: Iterable<FoundUrl>,
  uncrawled: Iterable<FoundUrl>,
): ListCounts {
  let seeds = 0;
  const write = (
    name: string,
    urls: Iterable<FoundUrl>,
    title: string | undefined,
    line: (found: FoundUrl) => string,
  ) => {
    let count = 0;
    replaceFile(join(reports, name), (file) => {
      const lines = new BufferedLines(file);
      if (title !== undefined) lines.add(title);
      for (const found of urls) {
        if (found.source === "") seeds++;
        else {
          lines.add(line(found));
          count++;
        }
      }
      lines.flush();
    });
    return count;
  };
  const done = write("crawled.txt", crawled, undefined, ({ url, source }) =>
    sourceLine(url, source),
  );
  const left = write("uncrawled.txt", uncrawled, TITLE, ({ url }) => safeUri(url));
  return { crawled: done, uncrawled: left, seeds };
}

/** Writes reports/statistics.txt. */
export function writeStatistics(reports: string, counts: ListCounts, facts: RunFacts): void {
  const rows: [string, string | number][] = [
    ["total new URLs", counts.crawled + counts.uncrawled],
    ["crawled", counts.crawled],
    ["not crawled", counts.uncrawled],
    ["seeds", counts.seeds],
    [
      "duration in seconds",
      typeof facts.seconds === "number" ? facts.seconds.toFixed(3) : facts.seconds,
    ],
    ["threads", facts.threads],
    ["buffers", facts.buffers],
    ["ended by", safeText(facts.endedBy)],
  ];
  const text = rows.map(([name, value]) => `${name}: ${value}\n`).join("");
  replaceFile(join(reports, "statistics.txt"), (file) => file.write(Buffer.from(text)));
}

/** What an earlier statistics.txt says about the run; "unknown" what it does not. */
export function readRunFacts(reports: string): RunFacts {
  const path = join(reports, "statistics.txt");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const row = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1];
  const number = (name: string) => {
    const value = row(name);
    return value === undefined || value === "unknown" ? "unknown" : Number(value);
  };
  return {
    seconds: number("duration in seconds"),
    threads: number("threads"),
    buffers: number("buffers"),
    endedBy: row("ended by") ?? AFTER_CRASH,
  };
}

class BufferedLines {
  readonly #file: AppendFile;
  #waiting: string[] = [];
  #chars = 0;

  constructor(file: AppendFile) {
    this.#file = file;
  }

  add(line: string): void {
    this.#waiting.push(line);
    this.#chars += line.length + 1;
    if (this.#chars >= WRITE_CHARS) this.flush();
  }

  flush(): void {
    if (this.#waiting.length > 0) this.#file.write(Buffer.from(`${this.#waiting.join("\n")}\n`));
    this.#waiting = [];
    this.#chars = 0;
  }
}
