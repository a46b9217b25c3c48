import type { VisitedSet } from "../../frontier/shared/sets/visited-set.ts";
import type { RecordQueue } from "../../frontier/shared/techniques/record-queue.ts";
import { parsePage } from "../../parse/page.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import { Pending } from "../../sync/pending.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import type { Scope } from "../../url/scope.ts";
import type { ActivityTrace } from "./activity-trace.ts";
import {
  type BlockingPlan,
  CONTROL,
  RECORD_BYTES,
  readRecord,
  writeRecord,
} from "./blocking-plan.ts";
import type { CountedSleeps } from "./counted-sleeps.ts";
import type { PageList } from "./page-list.ts";
import type { RequestSlot } from "./request-slot.ts";
import { ACTIVITY, type ThreadCounts } from "./thread-counts.ts";

const RETRY_MS = 5;
/** How long a parser that goes first waits for the crawlers, and how often it looks. */
const SETTLE_MS = 1000;
const LOOK_MS = 0.5;

/** What a laboratory thread works with. */
export interface BlockingParts {
  readonly thread: number;
  readonly plan: BlockingPlan;
  readonly control: Int32Array;
  readonly queue: RecordQueue;
  readonly visited: VisitedSet;
  readonly taken: VisitedSet;
  readonly counts: ThreadCounts;
  readonly sleeps: CountedSleeps;
  readonly pages: PageList;
  readonly scope: Scope;
  readonly trace: ActivityTrace | undefined;
  /** Stores a page, where pages are stored. */
  readonly store: ((url: CrawlUrl, body: Uint8Array) => void) | undefined;
}

/** The part of a laboratory thread that uses the frontier, and counts what that costs. */
export class BlockingThread {
  readonly #parts: BlockingParts;
  readonly #pending: Pending;
  readonly #box = new Uint8Array(RECORD_BYTES);
  readonly #trash = new Uint8Array(RECORD_BYTES);
  readonly #spill: { url: string; depth: number }[] = [];
  #spillAt = 0;

  constructor(parts: BlockingParts) {
    this.#parts = parts;
    this.#pending = new Pending(parts.control, CONTROL.pending);
  }

  /** A crawler of the seed: take, fetch, extract, insert, until the run is stopped. */
  crawl(slot: RequestSlot, io: Doorbell): void {
    const { counts, thread, plan, control } = this.#parts;
    const { maxPages = Number.POSITIVE_INFINITY } = plan;
    while (!this.#isStopped()) {
      const next = this.#take();
      if (next === undefined) continue;
      if (!this.#reserve(maxPages)) break;
      this.#at(ACTIVITY.fetching);
      const { status, body } = slot.ask(next.url, io);
      const isPage = status >= 200 && status <= 299;
      if (!isPage) Atomics.sub(control, CONTROL.reserved, 1);
      counts.add(thread, isPage ? "pages" : "failed");
      if (plan.parser) this.#handOver(next, status, body);
      else this.#finish(next.url as CrawlUrl, next.depth, status, body.slice());
      // Without a parser a page is counted when its links are in: only then does its crawler go on.
      if (isPage) Atomics.add(control, CONTROL.pages, 1);
    }
    this.#at(ACTIVITY.ended);
  }

  /** The seed's parser: a thread that extracts links and inserts them, and waits whenever the frontier is full. */
  parseAll(): void {
    const { pages, control, plan } = this.#parts;
    while (!this.#isStopped()) {
      this.#at(ACTIVITY.idle);
      Atomics.store(control, CONTROL.parserRuns, 0);
      if (plan.parserFirst) Atomics.notify(control, CONTROL.parserRuns);
      const page = pages.next();
      if (page === undefined) break;
      if (plan.parserFirst) this.#letOthersSettle();
      Atomics.store(control, CONTROL.parserRuns, 1);
      const { url, depth } = readRecord(page.record, page.record.length)!;
      this.#finish(url as CrawlUrl, depth, page.status, page.body);
    }
    this.#at(ACTIVITY.ended);
  }

  /** Waits until every crawler fetches or sleeps at the frontier, for a while at most. */
  #letOthersSettle(): void {
    const { control, counts, plan } = this.#parts;
    const endMs = performance.now() + SETTLE_MS;
    while (performance.now() < endMs && !this.#isStopped()) {
      const settled = Atomics.load(control, CONTROL.asleep) + counts.at(ACTIVITY.fetching);
      if (settled >= plan.crawlers) return;
      Atomics.wait(control, CONTROL.stop, 0, LOOK_MS);
    }
  }

  #handOver(next: { url: string; depth: number }, status: number, body: Uint8Array): void {
    const record = this.#trash.subarray(0, writeRecord(next.url, next.depth, this.#trash));
    if (!this.#parts.pages.append({ status, record, body })) this.#pending.release(1);
  }

  /** Follows the links of a page and releases its URL. */
  #finish(url: CrawlUrl, depth: number, status: number, body: Uint8Array): void {
    const { maxDepth = Number.POSITIVE_INFINITY } = this.#parts.plan;
    if (this.#parts.store !== undefined && status >= 200 && status <= 299) {
      this.#at(ACTIVITY.storing);
      this.#parts.store(url, body);
    }
    const isFollowed = status >= 200 && status <= 399 && depth < maxDepth;
    if (isFollowed) {
      const links = this.#linksOf(url, status, body);
      this.#parts.visited.addLinks?.(url, links);
      this.#follow(links, depth + 1, url);
    }
    this.#pending.release(1);
  }

  /** Makes the seeds known and brings them to the frontier, as whoever reads the file of seeds does. */
  plant(seeds: readonly CrawlUrl[]): void {
    this.#follow(seeds, 0);
    this.#pending.release(1);
  }

  /** Makes URLs known and brings the new ones to the frontier. */
  #follow(links: readonly CrawlUrl[], depth: number, parent = ""): void {
    const { visited, counts, thread } = this.#parts;
    for (const url of links) {
      if (this.#isStopped()) return;
      if (!visited.mark(url, parent, depth)) continue;
      // Children are counted before their parent is released.
      this.#pending.add(1);
      counts.add(thread, "known");
      this.#insert(this.#box, writeRecord(url, depth, this.#box));
    }
  }

  #insert(record: Uint8Array, length: number): void {
    const { queue, plan, counts, thread, sleeps } = this.#parts;
    this.#at(ACTIVITY.inserting);
    sleeps.begin();
    let isIn = true;
    if (plan.whenFull === "wait") isIn = queue.insert(record, length) === "inserted";
    else if (plan.whenFull === "spill") {
      isIn = queue.tryInsert(record, length);
      if (!isIn) {
        this.#spill.push(readRecord(record, length)!);
        counts.add(thread, "spilled");
      }
    } else this.#overwrite(record, length);
    if (isIn) counts.add(thread, "inserts");
    this.#countSleeps("blockedInsertUs");
  }

  /** The oldest URL makes room, and is lost. */
  #overwrite(record: Uint8Array, length: number): void {
    const { queue, counts, thread } = this.#parts;
    while (!queue.tryInsert(record, length) && !this.#isStopped()) {
      if (queue.tryTake(this.#trash) < 0) continue;
      counts.add(thread, "overwritten");
      this.#pending.release(1);
    }
  }

  #take(): { url: string; depth: number } | undefined {
    const { queue, counts, thread, sleeps, visited, taken } = this.#parts;
    this.#at(ACTIVITY.taking);
    sleeps.begin();
    const startMs = performance.now();
    const spilled = this.#insertSpill();
    // A thread that holds URLs back must not sleep for one.
    const length = spilled > 0 ? queue.tryTake(this.#box) : queue.take(this.#box);
    this.#countSleeps("blockedTakeUs");
    const own = length < 0 && spilled > 0 ? this.#unspill() : undefined;
    if (length < 0 && own === undefined) return undefined;
    if (own !== undefined) counts.add(thread, "ownTakes");
    counts.add(thread, "takes");
    counts.picked(thread, (performance.now() - startMs) * 1000);
    const next = own ?? readRecord(this.#box, length);
    if (next === undefined || !visited.contains(next.url)) {
      counts.add(thread, "torn");
      return undefined;
    }
    if (!taken.mark(next.url)) counts.add(thread, "fetchedTwice");
    return next;
  }

  /** Inserts what was held back, as far as there is room; returns how much is left. */
  #insertSpill(): number {
    const { queue, counts, thread } = this.#parts;
    while (this.#spillAt < this.#spill.length) {
      const { url, depth } = this.#spill[this.#spillAt]!;
      if (!queue.tryInsert(this.#trash, writeRecord(url, depth, this.#trash))) break;
      this.#unspill();
      counts.add(thread, "inserts");
    }
    return this.#spill.length - this.#spillAt;
  }

  #unspill(): { url: string; depth: number } {
    const found = this.#spill[this.#spillAt++]!;
    if (this.#spillAt > 1024 && this.#spillAt * 2 > this.#spill.length) {
      this.#spill.splice(0, this.#spillAt);
      this.#spillAt = 0;
    }
    return found;
  }

  /** Reserves a page of the limit; false when the run was stopped meanwhile. */
  #reserve(maxPages: number): boolean {
    const { control } = this.#parts;
    for (;;) {
      if (Atomics.add(control, CONTROL.reserved, 1) < maxPages) return true;
      Atomics.sub(control, CONTROL.reserved, 1);
      if (this.#isStopped()) return false;
      // Another thread's page may still fail and give its place back.
      Atomics.wait(control, CONTROL.stop, 0, RETRY_MS);
    }
  }

  #linksOf(url: CrawlUrl, status: number, body: Uint8Array): CrawlUrl[] {
    const { scope, plan } = this.#parts;
    const found: CrawlUrl[] = [];
    if (status >= 300) {
      const target = canonicalize(new TextDecoder().decode(body), url);
      if (target !== undefined) found.push(target);
    } else found.push(...parsePage(body, url, { words: false }).links);
    const links = found.filter((link) => scope.refusal(link, url) === undefined);
    return plan.maxLinks === undefined ? links : links.slice(0, plan.maxLinks);
  }

  #countSleeps(blocked: "blockedInsertUs" | "blockedTakeUs"): void {
    const { counts, thread, sleeps } = this.#parts;
    sleeps.end();
    if (sleeps.sleptUs > 0) counts.add(thread, blocked, Math.round(sleeps.sleptUs));
    if (sleeps.wakeUps > 0) counts.add(thread, "wakeUps", sleeps.wakeUps);
    if (sleeps.useless > 0) counts.add(thread, "uselessWakeUps", sleeps.useless);
  }

  #at(activity: number): void {
    const { counts, thread, trace } = this.#parts;
    counts.set(thread, "activity", activity);
    trace?.note(activity);
  }

  #isStopped(): boolean {
    return Atomics.load(this.#parts.control, CONTROL.stop) !== 0;
  }
}
