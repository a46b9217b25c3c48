import { Deque } from "../../runtime/deque.ts";
import type { Pending } from "../../sync/pending.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { DedupPolicy } from "../../url/dedup-key.ts";
import type { Discovery } from "../discovery.ts";
import type { Fact } from "../fact.ts";
import { OUTCOME, OUTCOMES, type Settlement } from "../finish.ts";
import type { Frontier, FrontierStats, TurnMode } from "../frontier.ts";
import type { Lease } from "../host.ts";
import type { JournalPort } from "../journal-port.ts";
import { ForeignHosts } from "../lending/foreign-hosts.ts";
import { LinkBlock, readLinkBlock } from "../link/link-block.ts";
import type { PageLimit } from "../page-limit.ts";
import { RestingLeases } from "../resting-leases.ts";
import { admissionKey } from "../seen/admission-key.ts";
import { BUDGET_RETRY_MS, type SiteBudget } from "../site-budget.ts";
import { SiteShares } from "../site-shares.ts";
import { ParkedLeases } from "./parked-leases.ts";
import type { VisitedSet } from "./sets/visited-set.ts";
import type { RecordQueue } from "./techniques/record-queue.ts";

const MAX_HOSTS = 1 << 16;
/** What lies in the queue behind a site's URLs is not known: that there are others is remembered for longer than a moment. */
const LINGER_MS = 10_000;
/** Leases of full sites that a thread keeps; further ones go to the end of the queue, a few at a time. */
const MAX_PARKED = 8192;
const MAX_PUT_BACK = 64;
const PUT_BACK_MS = 50;
/** A URL that rests for longer than this and two delays takes none of a thread's room, as long as there are not too many. */
const FAR_MS = 500;
const MAX_FAR = 10_000;
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
  /** Undefined: any number of pages of one site. */
  readonly budget?: SiteBudget | undefined;
  readonly delayMs: number;
  /** When two URLs are one page. */
  readonly dedup?: Partial<DedupPolicy>;
  /** URLs that a thread may hold at once, in flight and waiting for their host. */
  readonly maxHeld: number;
  /** L: requests that a thread has in flight at most, of which a site holds a share. */
  readonly places: number;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly onLast: () => void;
  /** What visits found out is stored: all threads are to know it. */
  readonly onFacts: (facts: readonly Fact[]) => void;
  /** Wakes the other threads: there may be something to take. */
  readonly wakeOthers: () => void;
  /** This thread had so many free places when it looked for URLs, and has so many left. */
  readonly onPlaces?: ((free: number, left: number) => void) | undefined;
  /** A URL was taken, for the first time or again. */
  readonly onTaken: (again: boolean) => void;
  readonly onEnded?: ((hostname: string, outcome: number) => void) | undefined;
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
  /** Those of them that rest for long. */
  readonly #far = new Set<Lease>();
  readonly #farMs: number;
  readonly #hosts: ForeignHosts;
  readonly #shares: SiteShares;
  readonly #parked: ParkedLeases;
  readonly #record: Buffer;
  readonly #repeated = new Set<string>();
  /** Leases that hold no permit. */
  readonly #drained = new WeakSet<Lease>();
  #finished: (() => void)[] = [];
  #finishedPages = 0;
  #facts: Fact[] = [];
  #share = 0;
  #held = 0;
  #known = 0;
  /** How many visits ended with each outcome. */
  readonly #outcomes = new Float64Array(OUTCOMES);
  /** The last `take` found less than there was room for: a URL that arrives now is wanted. */
  #wantsMore = false;
  /** The last `take` put so much back into the queue that it gave up for a moment. */
  #hasPutBack = false;

  constructor(parts: SharedParts) {
    this.#parts = parts;
    // Half as much as elsewhere, because URLs that rest count: what a thread may hold has to do for more than eight sites.
    const shares = new SiteShares(parts.places / 2, LINGER_MS);
    this.#shares = shares;
    this.#farMs = FAR_MS + 2 * parts.delayMs;
    this.#parked = new ParkedLeases(shares);
    this.#hosts = new ForeignHosts({ ...parts, shares }, MAX_HOSTS);
    this.#record = Buffer.alloc(parts.queue.slotBytes);
  }

  open(seeds: readonly CrawlUrl[]): void {
    this.#spillNew(seeds.map((url) => ({ url, ...SEED })));
    this.#insertSpill();
  }

  /** Nothing survives a run. */
  facts(): readonly Fact[] {
    return [];
  }

  admit(found: readonly Discovery[], onDurable: (fresh: number) => void): void {
    const fresh = this.#spillNew(found);
    if (fresh > 0) this.#parts.pending.add(fresh);
    this.#insertSpill();
    onDurable(fresh);
  }

  take(limit: number, nowMs: number): Lease[] {
    const { maxHeld, limit: pages, budget } = this.#parts;
    const taken: Lease[] = [];
    this.#shares.nowMs = nowMs;
    pages.isWanted = false;
    this.#hasPutBack = false;
    while (taken.length < limit) {
      const lease = this.#takeDue(nowMs) ?? this.#takeFair();
      if (lease === undefined) break;
      if (budget?.tryReserve(lease) === false) {
        this.#resting.add(lease, nowMs + BUDGET_RETRY_MS);
        continue;
      }
      if (!pages.tryTake()) {
        budget?.giveBack(lease);
        this.#resting.add(lease, nowMs);
        break;
      }
      taken.push(lease);
    }
    this.#wantsMore = taken.length < limit && this.#held < maxHeld;
    this.#parts.onPlaces?.(limit, limit - taken.length);
    return taken;
  }

  requestEnded(_lease: Lease, _endMs: number): void {
    this.#held--;
  }

  settle(lease: Lease, end: Settlement): void {
    const { limit, budget, visited } = this.#parts;
    if (end.kind !== "retry") this.#leave(lease);
    if (end.kind === "finish") {
      if (visited.addLinks !== undefined && end.found.length > 0) {
        const links = end.found.map(({ url }) => url);
        visited.addLinks(this.#key(lease), links);
      }
      // Children are counted before their parent can be released.
      const fresh = this.#spillNew(end.found);
      if (fresh > 0) this.#parts.pending.add(fresh);
      this.#outcomes[end.outcome]!++;
      this.#parts.onEnded?.(lease.host.name, end.outcome);
      if (end.outcome === OUTCOME.page) {
        this.#finishedPages++;
        budget?.page(lease);
      } else {
        limit.giveBack();
        budget?.giveBack(lease);
      }
      if (end.facts !== undefined) this.#facts.push(...end.facts);
      this.#finished.push(end.onCommitted);
      return;
    }
    budget?.giveBack(lease);
    if (end.kind === "abandon") {
      this.#held--;
      this.#release(1);
    } else {
      if (end.rests) this.#held++;
      if (end.untilMs > this.#shares.nowMs + this.#farMs && this.#far.size < MAX_FAR)
        this.#restFar(lease);
      this.#resting.add(lease, end.untilMs);
    }
    if (!this.#drained.delete(lease)) limit.giveBack();
  }

  /** It still counts as something that its site has to fetch. */
  #restFar(lease: Lease): void {
    this.#far.add(lease);
    this.#shares.waits(lease.host.site!);
    this.#held--;
    this.#leave(lease);
  }

  #returnFromFar(lease: Lease): void {
    this.#far.delete(lease);
    this.#shares.waitsNoMore(lease.host.site!);
  }

  /** The next URL whose rest is over. */
  #takeDue(nowMs: number): Lease | undefined {
    for (;;) {
      const lease = this.#resting.takeDue(nowMs);
      if (lease === undefined || !this.#far.has(lease)) return lease;
      this.#returnFromFar(lease);
      if (!this.#shares.isFull(lease.host.site!)) return this.#hold(lease);
      this.#parked.add(lease);
    }
  }

  /** A URL that rests for a moment keeps its place in the site's share, because a thread can hold only so many. */
  #leave({ host }: Lease): void {
    if (this.#shares.leave(host.site!)) this.#parked.comeBack(host.site!);
  }

  /** The next URL of a site that may hold another place; those of other sites are parked. */
  #takeFair(): Lease | undefined {
    const { maxHeld } = this.#parts;
    for (let putBack = 0; this.#held < maxHeld && putBack < MAX_PUT_BACK; ) {
      const lease = this.#parked.take() ?? this.#take();
      if (lease === undefined) return undefined;
      if (!this.#shares.isFull(lease.host.site!)) return this.#hold(lease);
      if (this.#parked.size < MAX_PARKED) this.#parked.add(lease);
      else {
        this.#spill.pushBack(lease);
        this.#insertSpill();
        this.#hasPutBack = ++putBack === MAX_PUT_BACK;
      }
    }
    return undefined;
  }

  #hold(lease: Lease): Lease {
    this.#held++;
    this.#shares.hold(lease.host.site!);
    return lease;
  }

  /** Inserts as much of the spill as there is room for; this thread takes the rest itself. */
  turn(nowMs: number, mode: TurnMode): number {
    const { queue, limit, port } = this.#parts;
    this.#insertSpill();
    const finished = this.#finished;
    if (finished.length > 0) {
      const [pages, facts] = [this.#finishedPages, this.#facts];
      [this.#finished, this.#finishedPages, this.#facts] = [[], 0, []];
      port.mark(() => {
        if (facts.length > 0) this.#parts.onFacts(facts);
        for (const onCommitted of finished) onCommitted();
        limit.committed(pages);
        this.#release(finished.length);
      });
    }
    if (mode === "end") return Number.POSITIVE_INFINITY;
    if (limit.isWanted) return limit.isBack ? nowMs : Number.POSITIVE_INFINITY;
    if (!this.#wantsMore) return this.#resting.nextMs;
    const nextMs = Math.min(this.#resting.nextMs, this.#parked.nextMs());
    if (queue.size() === 0) return nextMs;
    return this.#hasPutBack ? Math.min(nextMs, nowMs + PUT_BACK_MS) : nowMs;
  }

  drain(): Lease[] {
    const all = this.#resting.takeAll();
    for (const lease of all) {
      if (!this.#far.has(lease)) continue;
      this.#returnFromFar(lease);
      this.#hold(lease);
    }
    for (const lease of this.#parked.takeAll()) all.push(this.#hold(lease));
    for (let lease = this.#take(); lease !== undefined; lease = this.#take())
      all.push(this.#hold(lease));
    for (const lease of all) this.#drained.add(lease);
    return all;
  }

  /** Every thread that ends takes what lies in the queue then, so the last one leaves nothing in it. */
  left(use: (found: Discovery) => void): void {
    const { queue, taken } = this.#parts;
    for (const lease of [...this.#resting.takeAll(), ...this.#parked.takeAll()]) use(lease);
    for (let found = this.#spill.shift(); found !== undefined; found = this.#spill.shift())
      use(found);
    // An unsynchronised ring may hand out its slots for ever, and URLs that were taken before.
    for (let slots = queue.size(); slots > 0; slots--) {
      const found = taken === undefined ? this.#next() : this.#nextIfWhole();
      if (found !== undefined && taken?.mark(found.url) !== false) use(found);
    }
  }

  stats(): FrontierStats {
    const { countsQueue, queue, limit } = this.#parts;
    const waiting = this.#resting.size;
    return {
      known: this.#known,
      queued: (countsQueue ? queue.size() : 0) + this.#spill.size + waiting + this.#parked.size,
      hostsWaiting: waiting,
      nextUrls: waiting,
      share: this.#share,
      away: 0,
      guests: 0,
      pages: limit.pages,
      outcomes: this.#outcomes,
      bytes: 0,
      heldPermits: limit.held,
      lacksPermits: limit.isExhausted,
      blocksSent: 0,
      exchanges: 0,
      exchangeVisits: 0,
      pivot: 0,
    };
  }

  close(): void {}

  /** Adds what is new to the spill; returns how many that are. */
  #spillNew(found: readonly Discovery[]): number {
    let fresh = 0;
    for (const discovery of found) {
      // Looking and marking are one step: exactly one of all threads that find a URL goes on with it.
      const { parent, depth } = discovery;
      if (!this.#parts.visited.mark(this.#key(discovery), parent, depth)) continue;
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
