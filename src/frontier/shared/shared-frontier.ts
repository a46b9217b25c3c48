import { Deque } from "../../runtime/deque.ts";
import type { Pending } from "../../sync/pending.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { DedupPolicy } from "../../url/dedup-key.ts";
import type { Discovery } from "../discovery.ts";
import { OUTCOME, type Settlement } from "../finish.ts";
import type { Frontier, FrontierStats, TurnMode } from "../frontier.ts";
import type { Lease } from "../host.ts";
import type { JournalPort } from "../journal-port.ts";
import { ForeignHosts } from "../lending/foreign-hosts.ts";
import { LinkBlock, readLinkBlock } from "../link/link-block.ts";
import type { PageLimit } from "../page-limit.ts";
import { RestingLeases } from "../resting-leases.ts";
import { admissionKey } from "../seen/admission-key.ts";
import type { VisitedSet } from "./sets/visited-set.ts";
import type { RecordQueue } from "./techniques/record-queue.ts";

const MAX_HOSTS = 1 << 16;
const SEED = { parent: undefined, depth: 0, via: "seed", seed: true, chain: [] } as const;

/** What a thread uses of a shared frontier. */
export interface SharedParts {
  readonly queue: RecordQueue;
  readonly visited: VisitedSet;
  /** URLs that were taken; only for a technique that hands out some twice. */
  readonly taken: VisitedSet | undefined;
  readonly pending: Pending;
  readonly limit: PageLimit;
  readonly port: JournalPort;
  readonly delayMs: number;
  /** When two URLs are one page. */
  readonly dedup?: Partial<DedupPolicy>;
  /** URLs that a thread may hold at once, in flight and waiting for their host. */
  readonly maxHeld: number;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly onLast: () => void;
  /** Wakes the other threads: there may be something to take. */
  readonly wakeOthers: () => void;
  /** A URL was taken, for the first time or again. */
  readonly onTaken: (again: boolean) => void;
  /** Whether this thread is the one that reports the length of the queue. */
  readonly countsQueue: boolean;
}

/**
 * One queue of fixed size that all threads fill and empty (seed 000). A crawler is producer and consumer, so it must never
 * wait for room: what does not fit stays with it (the spill) and is inserted, or taken by itself, later. Hosts have no
 * owner here: only the gate tables keep politeness, and a URL whose host is busy rests with its thread.
 */
export class SharedFrontier implements Frontier {
  readonly #parts: SharedParts;
  readonly #spill = new Deque<Discovery>();
  readonly #resting = new RestingLeases();
  readonly #hosts: ForeignHosts;
  readonly #record: Buffer;
  readonly #repeated = new Set<string>();
  /** Leases that hold no permit. */
  readonly #drained = new WeakSet<Lease>();
  #finished: (() => void)[] = [];
  #finishedPages = 0;
  #share = 0;
  #held = 0;
  #known = 0;
  /** The last `take` found less than there was room for: a URL that arrives now is wanted. */
  #wantsMore = false;

  constructor(parts: SharedParts) {
    this.#parts = parts;
    this.#hosts = new ForeignHosts(parts, MAX_HOSTS);
    this.#record = Buffer.alloc(parts.queue.slotBytes);
  }

  open(seeds: readonly CrawlUrl[]): void {
    this.#spillNew(seeds.map((url) => ({ url, ...SEED })));
    this.#insertSpill();
  }

  take(limit: number, nowMs: number): Lease[] {
    const { maxHeld, limit: pages } = this.#parts;
    const taken: Lease[] = [];
    pages.isWanted = false;
    while (taken.length < limit) {
      const due = this.#resting.takeDue(nowMs);
      const lease = due ?? (this.#held < maxHeld ? this.#take() : undefined);
      if (lease === undefined) break;
      if (!pages.tryTake()) {
        this.#resting.add(lease, nowMs);
        break;
      }
      taken.push(lease);
    }
    this.#wantsMore = taken.length < limit && this.#held < maxHeld;
    return taken;
  }

  requestEnded(_lease: Lease, _endMs: number): void {
    this.#held--;
  }

  settle(lease: Lease, end: Settlement): void {
    const { limit } = this.#parts;
    if (end.kind === "finish") {
      // Children are counted before their parent can be released.
      const fresh = this.#spillNew(end.found);
      if (fresh > 0) this.#parts.pending.add(fresh);
      if (end.outcome === OUTCOME.page) this.#finishedPages++;
      else limit.giveBack();
      this.#finished.push(end.onCommitted);
      return;
    }
    if (end.kind === "abandon") {
      this.#held--;
      this.#release(1);
    } else {
      if (end.rests) this.#held++;
      this.#resting.add(lease, end.untilMs);
    }
    if (!this.#drained.delete(lease)) limit.giveBack();
  }

  /** Inserts as much of the spill as there is room for; this thread takes the rest itself. */
  turn(nowMs: number, mode: TurnMode): number {
    const { queue, limit, port } = this.#parts;
    this.#insertSpill();
    const finished = this.#finished;
    if (finished.length > 0) {
      const pages = this.#finishedPages;
      this.#finished = [];
      this.#finishedPages = 0;
      port.mark(() => {
        for (const onCommitted of finished) onCommitted();
        for (let left = pages; left > 0; left--) limit.committed();
        this.#release(finished.length);
      });
    }
    if (mode === "end") return Number.POSITIVE_INFINITY;
    if (limit.isWanted) return limit.isBack ? nowMs : Number.POSITIVE_INFINITY;
    return this.#wantsMore && queue.size() > 0 ? nowMs : this.#resting.nextMs();
  }

  drain(): Lease[] {
    const all = this.#resting.takeAll();
    for (let lease = this.#take(); lease !== undefined; lease = this.#take()) all.push(lease);
    for (const lease of all) this.#drained.add(lease);
    return all;
  }

  stats(): FrontierStats {
    const { countsQueue, queue, limit } = this.#parts;
    const waiting = this.#resting.size;
    return {
      known: this.#known,
      queued: (countsQueue ? queue.size() : 0) + this.#spill.size + waiting,
      hostsWaiting: waiting,
      nextUrls: waiting,
      share: this.#share,
      away: 0,
      guests: 0,
      pages: limit.pages,
      heldPermits: limit.held,
      blocksSent: 0,
      exchanges: 0,
      exchangeVisits: 0,
    };
  }

  close(): void {}

  /** Adds what is new to the spill; returns how many that are. */
  #spillNew(found: readonly Discovery[]): number {
    let fresh = 0;
    for (const discovery of found) {
      // Looking and marking are one step: exactly one of all threads that find a URL goes on with it.
      if (!this.#parts.visited.mark(this.#key(discovery))) continue;
      this.#spill.pushBack(discovery);
      fresh++;
    }
    this.#known += fresh;
    this.#share += fresh;
    return fresh;
  }

  #release(count: number): void {
    this.#share -= count;
    if (this.#parts.pending.release(count)) this.#parts.onLast();
  }

  #insertSpill(): void {
    const { queue, wakeOthers } = this.#parts;
    let hasInserted = false;
    for (let found = this.#spill.shift(); found !== undefined; found = this.#spill.shift()) {
      const block = new LinkBlock(queue.slotBytes);
      block.tryAdd(found);
      if (!queue.tryInsert(block.bytes, block.used)) {
        this.#spill.pushFront(found);
        break;
      }
      hasInserted = true;
    }
    if (hasInserted) wakeOthers();
  }

  #take(): Lease | undefined {
    const found = this.#parts.taken === undefined ? this.#next() : this.#nextIfWhole();
    if (found === undefined || !this.#mayFetch(found.url)) return undefined;
    this.#held++;
    const host = this.#hosts.of(found.url);
    return { ...found, host, shard: 0, low: 0, high: 0, attempt: 0 };
  }

  #next(): Discovery | undefined {
    const length = this.#parts.queue.tryTake(this.#record);
    return length > 0 ? readLinkBlock(this.#record, length)[0] : this.#spill.shift();
  }

  /** Without synchronisation a record or its length may mix two URLs: such a record is lost. */
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
   * An unsynchronised ring whose tail has overtaken its head hands out its slots for ever. To show what goes wrong
   * each thread fetches a URL that was taken before once more, and not again.
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
}
