import { Account, MODES } from "../../crawl/shared-memory.ts";
import { countAnew } from "../../crawl/workers/recount.ts";
import { Violation } from "./oracle.ts";
import type { World } from "./simulated-crawl.ts";

/** The supervisor: replaces crawlers that die, in the steps of `crawl/crew.ts`, between which everybody else goes on. */
export class Supervisor {
  readonly #world: World;
  readonly #dead = new Set<number>();
  readonly #waiting: number[] = [];
  /** Threads that have ended by themselves. */
  readonly #gone = new Set<number>();
  #repair: Generator<void, void> | undefined;
  #guards = 0;
  #recounts = 0;
  #scanned = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Somebody is being replaced. */
  get isBusy(): boolean {
    return this.#repair !== undefined || this.#waiting.length > 0;
  }

  /** A crawler dies: its memory and its sockets are gone. */
  kill(thread: number): void {
    const { crawlers, memory, parts } = this.#world;
    // In a crawl that ends anyway nobody is replaced, and nothing is learnt from it here.
    if (memory.control.mode !== MODES.run || this.#dead.has(thread)) return;
    this.#world.note(`thread ${thread} dies`);
    const crawler = crawlers[thread]!;
    crawler.isRunning = false;
    this.#world.drop(crawler);
    for (const each of crawlers) if (each !== crawler) each.stale.add(thread);
    this.#dead.add(thread);
    this.#waiting.push(thread);
    if (!parts.guards) return;
    this.#guards++;
    memory.pending.add(1);
  }

  step(): void {
    const { mail, crawlers, random, parts } = this.#world;
    if (mail !== undefined && mail.lostTo.size > 0 && random.below(4) === 0) {
      for (const thread of mail.lostTo) {
        // No run has number 0: nothing that was lent is forgotten.
        for (const crawler of crawlers) crawler.restarted.push([thread, 0]);
      }
      mail.lostTo.clear();
    }
    for (const { thread, hasEnded } of crawlers) {
      if (!hasEnded || this.#gone.has(thread)) continue;
      this.#gone.add(thread);
      for (const each of crawlers) each.restarted.push([thread, Number.MAX_SAFE_INTEGER]);
    }
    if (this.#repair === undefined && this.#waiting.length > 0) {
      this.#repair = this.#replace(this.#waiting.shift()!);
    }
    if (this.#repair?.next().done) this.#repair = undefined;
    if (parts.ends === "by idle flags") this.#scan();
  }

  *#replace(thread: number): Generator<void, void> {
    const { memory, builder, disk, oracle, crawlers, plan, parts } = this.#world;
    const { control } = memory;
    for (const inbox of memory.inboxesOf(thread)) inbox.reclaim(thread + 1);
    memory.gatesOf(thread).hosts.reclaim(thread + 1, this.#world.nowMs + plan.delayMs);
    yield;
    builder.crawlerDied(thread);
    oracle.lost(
      disk,
      (url) => this.#world.ownerOf(url) === thread || crawlers[thread]!.borrowed.has(url),
      Number.POSITIVE_INFINITY,
    );
    yield;
    const epoch = this.#world.nextEpoch();
    const fresh = this.#world.open(thread, epoch, true);
    const start = fresh.tally;
    crawlers[thread] = fresh;
    this.#dead.delete(thread);
    yield;
    const number = ++this.#recounts;
    control.setRecount(number);
    const others = () =>
      crawlers.filter((each) => each.thread !== thread && !this.#dead.has(each.thread));
    const accounts = () => others().map((each) => new Account(memory, each.thread).read(number));
    do yield;
    while (accounts().includes(undefined) && control.mode === MODES.run);
    const tallies = accounts().filter((account) => account !== undefined);
    if (!parts.countsPermits) for (const tally of tallies) tally.heldPermits = 0;
    countAnew(control, memory.threads, [start, ...tallies], this.#guards, plan.maxPages);
    control.setRecount(0);
    yield;
    if (parts.sendsAgain) {
      for (const crawler of crawlers) crawler.restarted.push([thread, epoch]);
    }
    if (!this.#dead.has(thread)) fresh.isRunning = true;
    this.#world.note(`thread ${thread} is replaced`);
    if (!parts.guards) return;
    this.#guards--;
    if (memory.pending.release(1)) this.#world.lastReleased();
  }

  /** The classic mistake: one thread after the other says that it has nothing to do. */
  #scan(): void {
    const { crawlers, memory } = this.#world;
    if (memory.control.mode !== MODES.run || this.isBusy) return;
    this.#scanned = crawlers[this.#scanned]!.isIdle ? this.#scanned + 1 : 0;
    if (this.#scanned < crawlers.length) return;
    this.#scanned = 0;
    this.#world.endFound();
  }

  /** The shares of all threads are what is pending. A crawl that is being stopped does not end by the counter. */
  check(): void {
    const { crawlers, memory } = this.#world;
    if (this.isBusy || memory.control.mode !== MODES.run) return;
    const shares = crawlers.reduce((sum, { frontier }) => sum + frontier.share, 0);
    if (shares !== memory.pending.value) {
      throw new Violation(`${memory.pending.value} pending, but the shares are ${shares}`);
    }
  }
}
