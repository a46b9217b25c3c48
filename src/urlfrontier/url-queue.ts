import { HostHeap, type Timed } from "../frontier/shard/host-heap.ts";

/** What a client keeps with a URL: lists of texts by name. */
export type Metadata = Readonly<Record<string, readonly string[]>>;

/** A URL of a queue. */
export interface UrlRecord extends Timed {
  readonly url: string;
  metadata: Metadata;
  /** When it was first put, in seconds since 1970. */
  readonly createdS: number;
  /** When it may be handed out; 0 when it is done. */
  dueMs: number;
  /** It was handed out, and neither put back nor has its time run out. */
  isOut: boolean;
}

/** What is set for a queue; absent what is not. */
export interface QueueSettings {
  delayS?: number;
  blockedUntilS?: number;
  limit?: number;
}

/**
 * The URLs of one key within a crawl. A URL is in one of three places: due (waiting for its time, or for somebody to ask),
 * out (handed out until its hold ends), or in no heap because it is done.
 */
export class UrlQueue implements Timed {
  readonly key: string;
  readonly urls = new Map<string, UrlRecord>();
  readonly settings: QueueSettings = {};
  nextMs = Number.POSITIVE_INFINITY;
  heapIndex = -1;
  /** No URL of it is handed out before. */
  notBeforeMs = 0;
  readonly #due = new HostHeap<UrlRecord>();
  readonly #out = new HostHeap<UrlRecord>();

  constructor(key: string) {
    this.key = key;
  }

  get done(): number {
    return this.urls.size - this.#due.size - this.#out.size;
  }

  /** URLs that are not done. */
  get active(): number {
    return this.#due.size + this.#out.size;
  }

  /** URLs handed out and not yet back. */
  outAt(nowMs: number): number {
    this.#endHolds(nowMs);
    return this.#out.size;
  }

  /** Whether it is blocked by a client. */
  isBlocked(nowMs: number): boolean {
    return (this.settings.blockedUntilS ?? 0) * 1000 > nowMs;
  }

  /** Adds the URL, or takes over what is new about it: afterwards it is due at `dueMs`, or done when that is 0. */
  put(url: string, metadata: Metadata, dueMs: number, createdS: number): void {
    let record = this.urls.get(url);
    if (record === undefined) {
      record = { url, metadata, createdS, dueMs, isOut: false, nextMs: dueMs, heapIndex: -1 };
      this.urls.set(url, record);
    }
    this.#leaveHeaps(record);
    record.metadata = metadata;
    record.dueMs = dueMs;
    record.nextMs = dueMs;
    if (dueMs > 0) this.#due.place(record);
  }

  /** Forgets a URL. */
  remove(url: string): void {
    const record = this.urls.get(url);
    if (record === undefined) return;
    this.#leaveHeaps(record);
    this.urls.delete(url);
  }

  /** Hands out up to `limit` due URLs, the one that has waited longest first, and holds them until `holdMs`. */
  take(limit: number, nowMs: number, holdMs: number): UrlRecord[] {
    this.#endHolds(nowMs);
    const taken: UrlRecord[] = [];
    const places = this.#places();
    for (let next = this.#due.peek(); next !== undefined; next = this.#due.peek()) {
      if (next.nextMs > nowMs || taken.length >= Math.min(limit, places)) break;
      this.#due.remove(next);
      next.isOut = true;
      next.nextMs = holdMs;
      this.#out.place(next);
      taken.push(next);
    }
    return taken;
  }

  /** The earliest time at which `take` can give anything. */
  readyMs(): number {
    const endOfHoldMs = this.#out.peek()?.nextMs ?? Number.POSITIVE_INFINITY;
    const dueMs = this.#due.peek()?.nextMs ?? Number.POSITIVE_INFINITY;
    const first = this.#places() > 0 ? Math.min(dueMs, endOfHoldMs) : endOfHoldMs;
    return Math.max(first, this.notBeforeMs, (this.settings.blockedUntilS ?? 0) * 1000);
  }

  /** How many more may be out, as far as its limit says: what is out may become done. */
  #places(): number {
    const limit = this.settings.limit ?? 0;
    return limit === 0 ? Number.POSITIVE_INFINITY : limit - this.done - this.#out.size;
  }

  #endHolds(nowMs: number): void {
    for (let first = this.#out.peek(); first !== undefined; first = this.#out.peek()) {
      if (first.nextMs > nowMs) break;
      this.#leaveHeaps(first);
      first.nextMs = first.dueMs;
      this.#due.place(first);
    }
  }

  #leaveHeaps(record: UrlRecord): void {
    if (record.isOut) this.#out.remove(record);
    else this.#due.remove(record);
    record.isOut = false;
  }
}
