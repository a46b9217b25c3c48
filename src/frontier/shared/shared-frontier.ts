import { Deque } from "../../runtime/deque.ts";
import type { Pending } from "../../sync/pending.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { DedupPolicy } from "../../url/dedup-key.ts";
import type { Discovery } from "../discovery.ts";
import type { Finish } from "../finish.ts";
import type { ThreadFrontier } from "../frontier.ts";
import type { Lease } from "../host.ts";
import type { JournalPort } from "../journal-port.ts";
import { ForeignHosts } from "../lending/foreign-hosts.ts";
import { LinkBlock, readLinkBlock } from "../link/link-block.ts";
import { RestingLeases } from "../resting-leases.ts";
import { admissionKey } from "../seen/admission-key.ts";
import type { VisitedSet } from "./sets/visited-set.ts";
import type { RecordQueue } from "./techniques/record-queue.ts";

const MAX_HOSTS = 1 << 16;

/** What a thread uses of a shared frontier. */
export interface SharedParts {
  readonly frontier: RecordQueue;
  readonly visited: VisitedSet;
  /** Only for a technique that gives URLs twice: who was taken before. */
  readonly taken: VisitedSet | undefined;
  readonly pending: Pending;
  readonly port: JournalPort;
  readonly delayMs: number;
  /** When two URLs are one page. */
  readonly dedup?: Partial<DedupPolicy>;
  /** Most URLs a thread may hold at once, in flight and waiting for their host. */
  readonly maxHeld: number;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly onLast: () => void;
  /** Wakes the other threads: there may be something to take. */
  readonly wakeOthers: () => void;
  /** A URL was taken, and whether somebody had taken it before. */
  readonly onTaken: (again: boolean) => void;
  /** One thread reports the URLs in the frontier itself. */
  readonly countsFrontier: boolean;
}

/**
 * One frontier of fixed size that all threads fill and empty (seed 000). A crawler is producer and consumer, so it
 * must never wait for room: what does not fit stays with it ("spill") and is inserted, or taken, later.
 * Hosts have no owner here: politeness is the gate table's alone, and a URL whose host is busy rests with its thread.
 */
export class SharedFrontier implements ThreadFrontier {
  readonly #parts: SharedParts;
  readonly #spill = new Deque<Discovery>();
  readonly #resting = new RestingLeases();
  readonly #hosts: ForeignHosts;
  readonly #record: Buffer;
  readonly #repeated = new Set<string>();
  #finished: (() => void)[] = [];
  #share = 0;
  #held = 0;
  #known = 0;
  #waiting = 0;
  /** The last look found less than there was room for: a URL that comes now should wake this thread. */
  #wantsMore = false;

  constructor(parts: SharedParts) {
    this.#parts = parts;
    this.#hosts = new ForeignHosts(parts, MAX_HOSTS);
    this.#record = Buffer.alloc(parts.frontier.slotBytes);
  }

  start(seeds: readonly CrawlUrl[]): void {
    for (const url of seeds) {
      const seed = {
        url,
        parent: undefined,
        depth: 0,
        via: "seed",
        seed: true,
        chain: [],
      } as const;
      if (!this.#parts.visited.mark(this.#key(seed))) continue;
      this.#known++;
      this.#share++;
      this.#spill.pushBack(seed);
    }
    this.flush();
  }

  finish(_lease: Lease, found: readonly Discovery[], how: Finish): void {
    let fresh = 0;
    for (const discovery of found) {
      // Looking and marking are one step: of all threads that find a URL exactly one goes on with it.
      if (!this.#parts.visited.mark(this.#key(discovery))) continue;
      this.#spill.pushBack(discovery);
      fresh++;
    }
    this.#known += fresh;
    this.#share += fresh;
    // Children are counted before their parent is released.
    if (fresh > 0) this.#parts.pending.add(fresh);
    this.#finished.push(how.onCommitted);
  }

  abandon(_lease: Lease): void {
    this.#release(1);
  }

  sendAgainTo(): void {}

  /** All threads take from the same frontier. */
  wantMore(): number {
    return Number.POSITIVE_INFINITY;
  }

  readonly away = 0;

  takeMany(limit: number, nowMs: number): Lease[] {
    const taken: Lease[] = [];
    while (taken.length < limit) {
      const lease =
        this.#takeDue(nowMs) ?? (this.#held < this.#parts.maxHeld ? this.#take() : undefined);
      if (lease === undefined) break;
      taken.push(lease);
    }
    this.#wantsMore = taken.length < limit && this.#held < this.#parts.maxHeld;
    return taken;
  }

  requestEnded(_lease: Lease, _endMs: number): void {
    this.#held--;
  }

  giveBack(lease: Lease, notBeforeMs: number): void {
    this.#resting.add(lease, notBeforeMs);
    this.#waiting++;
  }

  rest(lease: Lease, untilMs: number): void {
    this.#held++;
    this.giveBack(lease, untilMs);
  }

  get share(): number {
    return this.#share;
  }

  #release(count: number): void {
    this.#share -= count;
    if (this.#parts.pending.release(count)) this.#parts.onLast();
  }

  nextReadyMs(): number {
    return this.#resting.nextMs();
  }

  receive(): void {}

  /** Inserts what was spilled as far as there is room. What stays is not stuck: this thread takes it itself. */
  flush(): boolean {
    let inserted = false;
    for (let found = this.#spill.shift(); found !== undefined; found = this.#spill.shift()) {
      if (!this.#insert(found)) {
        this.#spill.pushFront(found);
        break;
      }
      inserted = true;
    }
    if (inserted) this.#parts.wakeOthers();
    const finished = this.#finished;
    if (finished.length > 0) {
      this.#finished = [];
      this.#parts.port.mark(() => {
        for (const tell of finished) tell();
        this.#release(finished.length);
      });
    }
    return true;
  }

  hasMessages(): boolean {
    return this.#wantsMore && this.#parts.frontier.size() > 0;
  }

  drain(): Lease[] {
    const all = this.#resting.takeAll();
    this.#waiting -= all.length;
    for (let lease = this.#take(); lease !== undefined; lease = this.#take()) all.push(lease);
    return all;
  }

  get known(): number {
    return this.#known;
  }

  get queued(): number {
    const inFrontier = this.#parts.countsFrontier ? this.#parts.frontier.size() : 0;
    return inFrontier + this.#spill.size + this.#waiting;
  }

  get hostsWaiting(): number {
    return this.#waiting;
  }

  readonly blocksSent = 0;
  readonly exchanges = { count: 0, visits: 0 };

  get nextUrls(): number {
    return this.hostsWaiting;
  }

  wantsCommit(): boolean {
    return false;
  }

  #takeDue(nowMs: number): Lease | undefined {
    const lease = this.#resting.takeDue(nowMs);
    if (lease !== undefined) this.#waiting--;
    return lease;
  }

  #take(): Lease | undefined {
    const found = this.#parts.taken === undefined ? this.#next() : this.#nextIfWhole();
    if (found === undefined || !this.#mayFetch(found.url)) return undefined;
    this.#held++;
    const host = this.#hosts.of(found.url);
    return { ...found, host, shard: 0, low: 0, high: 0, attempt: 0 };
  }

  #next(): Discovery | undefined {
    const length = this.#parts.frontier.tryTake(this.#record);
    return length > 0 ? readLinkBlock(this.#record, length)[0] : this.#spill.shift();
  }

  /** Without synchronisation a record, or its length, may be half of one URL and half of another: that one is lost. */
  #nextIfWhole(): Discovery | undefined {
    try {
      const found = this.#next();
      return found !== undefined && this.#parts.visited.contains(this.#key(found))
        ? found
        : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * An unsynchronised ring whose tail has overtaken its head gives out its slots for ever. To show what goes wrong
   * each thread fetches a URL that somebody had before once more, and no further.
   */
  #mayFetch(url: string): boolean {
    const { taken, onTaken } = this.#parts;
    if (taken === undefined) return true;
    const again = !taken.mark(url);
    if (again) {
      if (this.#repeated.has(url)) return false;
      this.#repeated.add(url);
    }
    onTaken(again);
    return true;
  }

  #key(found: Discovery): string {
    return admissionKey(found, this.#parts.dedup ?? {});
  }

  #insert(found: Discovery): boolean {
    const block = new LinkBlock(this.#parts.frontier.slotBytes);
    block.tryAdd(found);
    return this.#parts.frontier.tryInsert(block.bytes, block.used);
  }
}
