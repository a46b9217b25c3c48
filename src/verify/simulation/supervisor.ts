import { Account, MODES } from "../../crawl/shared-memory.ts";
import {
  type Replacing,
  replaceCrawlers,
  type Steps,
} from "../../crawl/workers/replace-crawlers.ts";
import { LEFT_FOR_GOOD } from "../../frontier/lending/thread-board.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { Violation } from "./oracle.ts";
import type { World } from "./simulated-crawl.ts";

/** The supervisor: replaces crawlers that die, by the shipped steps, between which everybody else goes on. */
export class Supervisor {
  readonly #world: World;
  readonly #dead = new Set<number>();
  readonly #waiting: number[] = [];
  /** Threads that have ended by themselves. */
  readonly #ended = new Set<number>();
  #replacing: { readonly thread: number; readonly steps: Steps<boolean> } | undefined;
  /** What the last step of a replacement waits for: its value, or a function that makes it. */
  #awaited: unknown;
  #guards = 0;
  #recounts = 0;
  #scanned = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Somebody is being replaced. */
  get isBusy(): boolean {
    return this.#replacing !== undefined || this.#waiting.length > 0;
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
    for (const each of crawlers) if (each !== crawler) each.orphan(thread);
    this.#dead.add(thread);
    this.#waiting.push(thread);
    if (!parts.guards) return;
    this.#guards++;
    memory.pending.add(1);
  }

  step(): void {
    const { network, crawlers, random, parts, memory, nowMs } = this.#world;
    if (network !== undefined && network.lostTo.size > 0 && random.below(4) === 0) {
      for (const thread of network.lostTo) {
        // No run has number 0: nothing that was lent is forgotten.
        for (const crawler of crawlers) crawler.frontier.sendAgainTo(thread, 0, nowMs);
      }
      network.lostTo.clear();
    }
    for (const { thread, hasEnded } of crawlers) {
      if (!hasEnded || this.#ended.has(thread)) continue;
      this.#ended.add(thread);
      memory.board.announce(thread, LEFT_FOR_GOOD);
    }
    this.#replace();
    if (parts.ends === "by idle flags") this.#scan();
  }

  #replace(): void {
    if (this.#replacing === undefined && this.#waiting.length > 0) {
      const thread = this.#waiting.shift()!;
      this.#replacing = { thread, steps: replaceCrawlers([thread], this.#replacement()) };
      this.#awaited = undefined;
    }
    if (this.#replacing === undefined) return;
    const { thread, steps } = this.#replacing;
    const result = typeof this.#awaited === "function" ? this.#awaited() : this.#awaited;
    const { done, value } = steps.next(result);
    this.#awaited = value;
    if (!done) return;
    this.#replacing = undefined;
    this.#world.note(`thread ${thread} is replaced`);
    if (!this.#world.parts.guards) return;
    this.#guards--;
    if (this.#world.memory.pending.release(1)) this.#world.lastReleased();
  }

  /** What a replacement does here, as far as a mutant does not leave it out. */
  #replacement(): Replacing {
    const { memory, builder, disk, oracle, crawlers, plan, parts } = this.#world;
    return {
      control: memory.control,
      threads: memory.threads,
      maxPages: plan.maxPages,
      storeLeft: (dead) => () => {
        for (const thread of dead) {
          builder.crawlerDied(thread);
          const { borrowed } = crawlers[thread]!;
          const isLost = (url: CrawlUrl) =>
            this.#world.ownerOf(url) === thread || borrowed.has(url);
          oracle.lost(disk, isLost, Number.POSITIVE_INFINITY);
        }
      },
      reclaim: (thread) => {
        for (const inbox of memory.inboxesOf(thread)) inbox.reclaim(thread + 1);
        memory.gatesOf(thread).hosts.reclaim(thread + 1, this.#world.nowMs + plan.delayMs);
      },
      nextEpoch: () => this.#world.nextEpoch(),
      begin: (dead, epoch) => () =>
        dead.map((thread) => {
          const fresh = this.#world.open(thread, epoch, true);
          crawlers[thread] = fresh;
          this.#dead.delete(thread);
          return fresh.tally;
        }),
      nextRecount: () => ++this.#recounts,
      published: (dead, recount) =>
        crawlers
          .filter(({ thread }) => !dead.includes(thread) && !this.#dead.has(thread))
          .map(({ thread }) => new Account(memory, thread).read(recount))
          .map(
            (tally) => tally && { ...tally, ...(parts.countsPermits ? {} : { heldPermits: 0 }) },
          ),
      pause: () => undefined,
      ringAll: () => {},
      guards: () => this.#guards,
      go: (thread, epoch) => {
        if (parts.sendsAgain) memory.board.announce(thread, epoch);
        if (!this.#dead.has(thread)) crawlers[thread]!.isRunning = true;
      },
    };
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
    const shares = crawlers.reduce((sum, { tally }) => sum + tally.share, 0);
    if (shares !== memory.pending.value) {
      throw new Violation(`${memory.pending.value} pending, but the shares are ${shares}`);
    }
  }
}
