import { HostHeap } from "../frontier/shard/host-heap.ts";
import { UrlQueue, type UrlRecord } from "./url-queue.ts";

/** What a client asks for. */
export interface TakeOptions {
  /** 0: no limit. */
  readonly maxUrlsPerQueue: number;
  readonly maxQueues: number;
  /** Only this queue; empty for all. */
  readonly key: string;
  readonly holdMs: number;
  /** However much there is, one answer has no more. */
  readonly maxUrls: number;
}

/** A URL that was handed out, and its queue. */
export interface TakenUrl {
  readonly crawl: string;
  readonly key: string;
  readonly record: UrlRecord;
}

/** The queues of one crawl, those that can give something first. */
export class CrawlQueues {
  readonly id: string;
  readonly queues = new Map<string, UrlQueue>();
  /** Between two answers with URLs of a queue that has no delay of its own. */
  delayS = 0;
  readonly #ready = new HostHeap<UrlQueue>();

  constructor(id: string) {
    this.id = id;
  }

  /** The queue of that key; it is made when it is not there. */
  queue(key: string): UrlQueue {
    let queue = this.queues.get(key);
    if (queue === undefined) {
      queue = new UrlQueue(key);
      this.queues.set(key, queue);
    }
    return queue;
  }

  /** To be called after every change of a queue: puts it where its time belongs. */
  changed(queue: UrlQueue): void {
    queue.nextMs = queue.readyMs();
    if (Number.isFinite(queue.nextMs)) this.#ready.place(queue);
    else this.#ready.remove(queue);
  }

  /** Forgets a queue; returns how many URLs it had. */
  remove(key: string): number {
    const queue = this.queues.get(key);
    if (queue === undefined) return 0;
    this.#ready.remove(queue);
    this.queues.delete(key);
    return queue.urls.size;
  }

  /** Hands out URLs of queues whose time has come, those that have waited longest first. */
  take(options: TakeOptions, nowMs: number): TakenUrl[] {
    const taken: TakenUrl[] = [];
    const looked = new Set<UrlQueue>();
    const maxQueues = options.maxQueues || Number.POSITIVE_INFINITY;
    for (let given = 0; given < maxQueues && taken.length < options.maxUrls; ) {
      const queue = options.key === "" ? this.#ready.peek() : this.queues.get(options.key);
      if (queue === undefined || queue.nextMs > nowMs || looked.has(queue)) break;
      // Until this answer is complete, so that no queue is looked at twice.
      this.#ready.remove(queue);
      looked.add(queue);
      const max = options.maxUrlsPerQueue || Number.POSITIVE_INFINITY;
      const limit = Math.min(max - queue.outAt(nowMs), options.maxUrls - taken.length);
      const records = queue.take(limit, nowMs, nowMs + options.holdMs);
      if (records.length === 0) continue;
      given++;
      queue.notBeforeMs = nowMs + (queue.settings.delayS ?? this.delayS) * 1000;
      for (const record of records) taken.push({ crawl: this.id, key: queue.key, record });
    }
    for (const queue of looked) this.changed(queue);
    return taken;
  }
}
