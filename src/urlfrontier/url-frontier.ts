import { MAX_URL_LENGTH } from "../url/crawl-url.ts";
import type { Change } from "./change.ts";
import { CrawlQueues, type TakenUrl, type TakeOptions } from "./crawl-queues.ts";
import type { Metadata, UrlQueue, UrlRecord } from "./url-queue.ts";

/** The crawl that an empty ID means. */
export const DEFAULT_CRAWL = "DEFAULT";
const MAX_KEY_LENGTH = 255;
const MAX_METADATA_LENGTH = 1024 * 1024;
/** Between two URLs put at the same time, so that they leave in the order in which they came. */
const TICK_MS = 1 / 1024;
/** New URLs are due from a second ago on: then a million of them put at once are due as well. */
const HEADSTART_MS = 1000;

/** A URL as a client puts it. */
export interface PutUrl {
  readonly url: string;
  readonly key: string;
  readonly crawl: string;
  readonly metadata: Metadata;
  /** Undefined for a URL that was discovered, 0 for one that is done, else the date from which it is due again. */
  readonly dueS: number | undefined;
}

/** What `list` and `count` look for. */
export interface UrlFilter {
  readonly crawl: string;
  /** Empty for all queues. */
  readonly key: string;
  readonly part: string;
  readonly ignoreCase: boolean;
}

/** Figures of a queue or a crawl. */
export interface QueueFigures {
  readonly active: number;
  readonly out: number;
  readonly done: number;
  readonly queues: number;
  readonly activeQueues: number;
}

/** All crawls of a server, in memory. Knows nothing of disks and of gRPC; the time is an argument. */
export class UrlFrontier {
  readonly crawls = new Map<string, CrawlQueues>();
  isActive = true;
  #lastDueMs = 0;
  #turn = 0;

  /** What putting the URL changes; undefined when it is to be skipped. */
  decide(put: PutUrl, nowMs: number): Change | undefined {
    const { url, metadata } = put;
    const key = put.key === "" ? hostOf(url) : put.key;
    if (key === undefined || key.length > MAX_KEY_LENGTH) return undefined;
    if (url === "" || url.length > MAX_URL_LENGTH || sizeOf(metadata) > MAX_METADATA_LENGTH)
      return undefined;
    const known = this.crawls.get(put.crawl)?.queues.get(key)?.urls.get(url);
    if (known !== undefined && put.dueS === undefined) return undefined;
    const dueMs = put.dueS === undefined ? this.#nextDueMs(nowMs) : put.dueS * 1000;
    const createdS = known?.createdS ?? Math.floor(nowMs / 1000);
    return { kind: "put", crawl: put.crawl, key, url, metadata, dueMs, createdS };
  }

  /** Carries out a change, a new one or one from the log; returns how many URLs it removed. */
  apply(change: Change): number {
    if (change.kind === "active") {
      this.isActive = change.state;
      return 0;
    }
    if (change.kind === "dropCrawl") {
      const dropped = this.crawls.get(change.crawl);
      this.crawls.delete(change.crawl);
      let urls = 0;
      for (const queue of dropped?.queues.values() ?? []) urls += queue.urls.size;
      return urls;
    }
    const crawl = this.#crawl(change.crawl);
    if (change.kind === "delay") {
      crawl.delayS = change.delayS;
      return 0;
    }
    if (change.kind === "dropQueue") return crawl.remove(change.key);
    const queue = crawl.queue(change.key);
    const before = queue.urls.size;
    if (change.kind === "settings") Object.assign(queue.settings, change.settings);
    else if (change.kind === "dropUrl") queue.remove(change.url);
    else queue.put(change.url, change.metadata, change.dueMs, change.createdS);
    crawl.changed(queue);
    return Math.max(0, before - queue.urls.size);
  }

  /** The changes that lead to this state, for a snapshot. */
  *changes(): Generator<Change> {
    if (!this.isActive) yield { kind: "active", state: false };
    for (const [id, crawl] of this.crawls) {
      yield { kind: "delay", crawl: id, delayS: crawl.delayS };
      for (const [key, queue] of crawl.queues) {
        yield { kind: "settings", crawl: id, key, settings: queue.settings };
        for (const { url, metadata, dueMs, createdS } of queue.urls.values())
          yield { kind: "put", crawl: id, key, url, metadata, dueMs, createdS };
      }
    }
  }

  /** After a start nobody knows when a queue was last asked: each waits one delay. */
  restUntilDelaysEnd(nowMs: number): void {
    for (const crawl of this.crawls.values()) {
      for (const queue of crawl.queues.values()) {
        queue.notBeforeMs = nowMs + (queue.settings.delayS ?? crawl.delayS) * 1000;
        crawl.changed(queue);
      }
    }
  }

  /** Hands out URLs of one crawl, or of all crawls in turn. */
  take(crawl: string | undefined, options: TakeOptions, nowMs: number): TakenUrl[] {
    if (!this.isActive) return [];
    if (crawl !== undefined) return this.crawls.get(crawl)?.take(options, nowMs) ?? [];
    const all = [...this.crawls.values()];
    const start = all.length === 0 ? 0 : this.#turn++ % all.length;
    const taken: TakenUrl[] = [];
    for (const one of [...all.slice(start), ...all.slice(0, start)]) {
      const queues = new Set(taken.map(({ crawl: id, key }) => `${id} ${key}`)).size;
      if (options.maxQueues > 0 && queues >= options.maxQueues) break;
      const maxQueues = options.maxQueues === 0 ? 0 : options.maxQueues - queues;
      taken.push(...one.take({ ...options, maxQueues }, nowMs));
    }
    return taken;
  }

  /** The queues of a crawl, or the one of that key. */
  queuesOf(crawl: string, key = ""): UrlQueue[] {
    const queues = this.crawls.get(crawl)?.queues;
    if (queues === undefined) return [];
    if (key === "") return [...queues.values()];
    const queue = queues.get(key);
    return queue === undefined ? [] : [queue];
  }

  /** Figures of a crawl, or of one of its queues. */
  figures(crawl: string, key: string, nowMs: number): QueueFigures {
    const sum = { active: 0, out: 0, done: 0, queues: 0, activeQueues: 0 };
    for (const queue of this.queuesOf(crawl, key)) {
      sum.active += queue.active;
      sum.out += queue.outAt(nowMs);
      sum.done += queue.done;
      sum.queues++;
      if (queue.active > 0) sum.activeQueues++;
    }
    return sum;
  }

  /** URLs whose text contains something, whatever their time. */
  *find(filter: UrlFilter): Generator<readonly [key: string, record: UrlRecord]> {
    const fold = (text: string) => (filter.ignoreCase ? text.toLowerCase() : text);
    const part = fold(filter.part);
    for (const queue of this.queuesOf(filter.crawl, filter.key))
      for (const record of queue.urls.values())
        if (fold(record.url).includes(part)) yield [queue.key, record];
  }

  #crawl(id: string): CrawlQueues {
    let crawl = this.crawls.get(id);
    if (crawl === undefined) {
      crawl = new CrawlQueues(id);
      this.crawls.set(id, crawl);
    }
    return crawl;
  }

  #nextDueMs(nowMs: number): number {
    this.#lastDueMs = Math.max(nowMs - HEADSTART_MS, this.#lastDueMs + TICK_MS);
    return this.#lastDueMs;
  }
}

/** The queue of a URL that comes without a key. */
export function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}

function sizeOf(metadata: Metadata): number {
  let size = 0;
  for (const [name, values] of Object.entries(metadata))
    size += name.length + values.reduce((sum, value) => sum + value.length, 0);
  return size;
}
