import { OUTCOME, type PageLocation } from "../../src/frontier/finish.ts";
import { EventBatch } from "../../src/frontier/journal/event-batch.ts";
import { JournalWriter } from "../../src/frontier/journal/journal-writer.ts";
import { lastFingerprint } from "../../src/hash/fingerprint.ts";
import { urlFingerprint } from "../../src/hash/url-fingerprint.ts";
import type { Builder } from "../../src/store/builder.ts";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { createCrawlFolder } from "../../src/store/folder/create-folder.ts";
import { type BuilderChanges, sampleBuilder, sampleCapture, url } from "./sample-capture.ts";

/** Seeds of the fingerprints. */
export const SEEDS = [11, 22] as const;

/** The fingerprint of a URL in these crawls. */
export function fingerprintOf(text: string): { readonly low: number; readonly high: number } {
  urlFingerprint(url(text), ...SEEDS);
  return { ...lastFingerprint };
}

/** A crawl as the crawler writes it: captures through a builder, commits through the journal of one shard. */
export class JournaledCrawl {
  readonly builder: Builder;
  readonly journal: JournalWriter;
  readonly #folder: string;
  #pages = 0;
  readonly #failed = new Set<string>();

  constructor(folder: string, options: BuilderChanges = {}) {
    this.#folder = folder;
    const [low, high] = SEEDS;
    createCrawlFolder(folder, Date.now(), { seedLow: low, seedHigh: high });
    const { journals: journal } = crawlPaths(folder);
    this.builder = sampleBuilder(folder, options);
    const [seedLow, seedHigh] = SEEDS;
    this.journal = new JournalWriter({ folder: journal, shard: 0, epoch: 1, seedLow, seedHigh });
  }

  /** URLs become known. */
  admit(urls: readonly string[], parent?: string): void {
    const batch = new EventBatch();
    for (const text of urls) {
      const { low, high } = fingerprintOf(text);
      const seed = parent === undefined;
      const from = parent === undefined ? undefined : url(parent);
      const found = {
        parent: from,
        depth: seed ? 0 : 1,
        via: seed ? "seed" : "link",
        seed,
        chain: [],
      } as const;
      batch.admit({ ...found, url: url(text) }, low, high);
    }
    this.#append(batch);
  }

  /** Stores an answer; it counts after `commit`. */
  store(text: string, parent?: string, status = 200): PageLocation | undefined {
    const n = this.#pages++;
    const outlinks = [url(`${text}/a`), url("http://h/hub")];
    const page = { title: `Page ${n}`, words: n, links: 2, charset: "utf-8", language: "en" };
    const body = Buffer.from(`<p>${"words ".repeat((n * 37) % 900)}${n % 3 === 0 ? "same" : text}`);
    const from = parent === undefined ? {} : { parent: url(parent) };
    const head = Buffer.from(`HTTP/1.1 ${status} X\r\nContent-Type: text/html\r\n\r\n`);
    const line = { url: text, outcome: status === 200 ? "page" : "failed", status, parent };
    const capture = sampleCapture({
      url: url(text),
      head,
      body,
      status,
      page,
      outlinks,
      depth: 1,
      via: "link",
      line: Buffer.from(JSON.stringify(line).slice(0, -1)),
      ...from,
    });
    this.builder.append(capture);
    if (status !== 200) this.#failed.add(text);
    return capture.archived?.location;
  }

  /** The visit of a URL is over. */
  commit(text: string, where?: PageLocation): void {
    const batch = new EventBatch();
    const { low, high } = fingerprintOf(text);
    const { refused, failed, page } = OUTCOME;
    const answered = this.#failed.has(text) ? failed : page;
    batch.done(low, high, where === undefined ? refused : answered, where);
    this.#append(batch);
  }

  /** A URL that ends without an answer. */
  refuse(text: string, parent: string): void {
    const line = JSON.stringify({ url: text, outcome: "refused", parent });
    this.builder.append({ kind: "outcome", line });
    this.commit(text);
  }

  /** Everything reached the operating system, nothing is closed: what kill -9 leaves. */
  flush(): void {
    this.builder.flush();
  }

  close(): void {
    this.builder.close();
    this.journal.close();
  }

  get folder(): string {
    return this.#folder;
  }

  #append(batch: EventBatch): void {
    this.journal.append(batch);
    this.journal.sync();
  }
}

/** A seed, 30 pages of which every seventh is a 404, 2 refused URLs, 5 that wait. */
export function sampleCrawl(folder: string, options: BuilderChanges = {}): JournaledCrawl {
  const crawl = new JournaledCrawl(folder, options);
  const seed = "http://h/";
  crawl.admit([seed]);
  crawl.commit(seed, crawl.store(seed));
  const pages = Array.from({ length: 30 }, (_, i) => `http://h/${i}`);
  crawl.admit([...pages, ...[1, 2].map((i) => `http://h/refused${i}`)], seed);
  crawl.admit(
    [1, 2, 3, 4, 5].map((i) => `http://h/waits${i}`),
    pages[0]!,
  );
  for (const [i, page] of pages.entries())
    crawl.commit(page, crawl.store(page, seed, i % 7 === 6 ? 404 : 200));
  for (const i of [1, 2]) crawl.refuse(`http://h/refused${i}`, seed);
  return crawl;
}
