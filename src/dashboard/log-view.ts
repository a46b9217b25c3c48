import { existsSync, statSync } from "node:fs";
import { adviceOn } from "../crawl/visit/error-advice.ts";
import { meaningOf } from "../crawl/visit/error-codes.ts";
import type { OutcomeLine } from "../crawl/visit/visit-outcome.ts";
import { FileWindow } from "../store/files/file-window.ts";
import { parseJson } from "../store/files/jsonl.ts";
import { crawlPaths, withParts } from "../store/folder/crawl-folder.ts";
import { type CrawlUrl, canonicalize } from "../url/crawl-url.ts";
import { hostnameOf } from "../url/url-parts.ts";
import { HostEdges } from "./host-edges.ts";

/** Bytes that are read before others get their turn. */
const SLICE_BYTES = 256 * 1024;
const MAX_NEWEST = 30;
const MAX_EXAMPLES = 5;
/** Hosts that are counted; those that come later are not. */
const MAX_HOSTS = 300_000;
const NEWLINE = 0x0a;
/**
 * A page's line as we write it: its host, and that of its parent. Nearly all lines are such, and parsing them would cost ten
 * times as much, a thousand times a second.
 */
const PAGE =
  /^\{"time":"[^"\\]*","url":"https?:\/\/([a-z0-9.-]+)(?::\d+)?\/[^"\\]*","outcome":"page","depth":\d+,"via":"[a-z]+"(?:,"parent":"https?:\/\/([a-z0-9.-]+)(?::\d+)?\/[^"\\]*"|(?!,"parent"))/;

/** A page as the list of newest pages shows it. */
export type NewestPage = Pick<
  OutcomeLine,
  "time" | "url" | "status" | "bytes" | "ms" | "depth" | "mime"
>;

/** URLs that failed in the same way. */
export interface FailureGroup {
  readonly code: string;
  readonly count: number;
  readonly meaning: string;
  readonly advice: string;
  /** The newest ones. */
  readonly examples: readonly string[];
}

/** How the URLs of a host have ended, in all runs. */
export interface HostCounts {
  done: number;
  failed: number;
  refused: number;
}

/**
 * What the log of a crawl says: newest pages, failures with examples, hosts, and which hosts lead to which. Reads what is new
 * each time it is asked, in slices, so that a long log holds nobody up.
 */
export class LogView {
  readonly #dir: string;
  /** How far each file was read. */
  #read = new Map<string, number>();
  #failures = new Map<string, { count: number; examples: string[] }>();
  #reading: Promise<void> | undefined;
  /** Lines of the newest pages, parsed when somebody asks for them. */
  #newest: string[] = [];
  hosts = new Map<string, HostCounts>();
  edges = new HostEdges();
  /** The part of the log that was read, from 0 to 1. */
  share = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Reads what is new; those who ask meanwhile wait for the same. */
  update(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Failures by code, the most frequent first. */
  failures(): FailureGroup[] {
    return [...this.#failures]
      .map(([code, { count, examples }]) => ({
        ...{ code, count, examples },
        meaning: meaningOf(code),
        advice: adviceOn(code),
      }))
      .sort((a, b) => b.count - a.count);
  }

  async #readAll(): Promise<void> {
    const files = withParts(crawlPaths(this.#dir).log).filter((file) => existsSync(file));
    const sizes = new Map(files.map((file) => [file, statSync(file).size]));
    // Parts become one file at the end of a crawl: then everything is read again.
    const isGone = [...this.#read].some(([file, offset]) => (sizes.get(file) ?? -1) < offset);
    if (isGone) this.#forget();
    const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    let done = [...this.#read.values()].reduce((sum, size) => sum + size, 0);
    for (const [file, size] of sizes) {
      for (let from = this.#read.get(file) ?? 0; from < size; ) {
        const read = this.#readSlice(file, from, Math.min(size, from + SLICE_BYTES));
        if (read === 0) break;
        from += read;
        done += read;
        this.#read.set(file, from);
        this.share = done / all;
        await new Promise(setImmediate);
      }
    }
    this.share = 1;
  }

  #forget(): void {
    this.#read = new Map();
    this.#failures = new Map();
    this.#newest = [];
    this.hosts = new Map();
    this.edges = new HostEdges();
  }

  /** Whole lines only; returns their bytes. */
  #readSlice(path: string, from: number, to: number): number {
    if (!existsSync(path)) return 0;
    const file = new FileWindow(path);
    const bytes = file.slice(from, to);
    file.close();
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    for (const text of bytes.toString("utf8", 0, end).split("\n")) {
      const page = PAGE.exec(text);
      if (page !== null) this.#takePage(text, page[1]!, page[2]);
      else {
        const line = parseJson(text) as OutcomeLine | null | undefined;
        if (typeof line?.url === "string") this.#take(line, text);
      }
    }
    return end;
  }

  #takePage(text: string, host: string, from: string | undefined): void {
    this.#countHost(host, "done");
    if (from !== undefined && from !== host) this.edges.add(from, host);
    if (this.#newest.push(text) >= 4 * MAX_NEWEST)
      this.#newest = this.#newest.slice(-2 * MAX_NEWEST);
  }

  #take(line: OutcomeLine, text: string): void {
    const host = hostOf(line.url);
    if (host === undefined) return;
    const from = line.parent === undefined ? undefined : hostOf(line.parent);
    if (line.outcome === "page") {
      this.#takePage(text, host, from);
      return;
    }
    const isFailure = line.outcome === "failed" || line.outcome === "refused";
    if (isFailure || line.outcome === "unavailable") this.#takeFailure(line);
    this.#countHost(host, isFailure ? (line.outcome as "failed" | "refused") : "done");
    if (from !== undefined && from !== host) this.edges.add(from, host);
  }

  /** The newest pages, the newest first. */
  newestPages(): NewestPage[] {
    return this.#newest
      .map((text) => parseJson(text) as OutcomeLine)
      .map(({ time, url, status, bytes, ms, depth, mime }) => ({
        ...{ time, url, status, bytes, ms, depth, mime },
      }))
      .sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0))
      .slice(0, MAX_NEWEST);
  }

  #takeFailure({ error = "other", url }: OutcomeLine): void {
    const group = this.#failures.get(error) ?? { count: 0, examples: [] };
    group.count++;
    group.examples.unshift(url);
    if (group.examples.length > MAX_EXAMPLES) group.examples.pop();
    this.#failures.set(error, group);
  }

  #countHost(host: string, end: keyof HostCounts): void {
    let counts = this.hosts.get(host);
    if (counts === undefined) {
      if (this.hosts.size >= MAX_HOSTS) return;
      counts = { done: 0, failed: 0, refused: 0 };
      this.hosts.set(host, counts);
    }
    counts[end]++;
  }
}

/** URLs of a log are canonical already; one that somebody changed is not trusted. */
function hostOf(url: string): string | undefined {
  if (/^https?:\/\/[^/\s]+\//.test(url)) return hostnameOf(url as CrawlUrl);
  const read = canonicalize(url);
  return read === undefined ? undefined : hostnameOf(read);
}
