import assert from "node:assert/strict";
import { test } from "node:test";
import { isAwaited, type ShardMessage } from "../../../src/frontier/exchange/shard-message.ts";
import { Host, type Lease } from "../../../src/frontier/host.ts";
import { Lending } from "../../../src/frontier/lending/lending.ts";
import { WorkBoard, workBoardBytes } from "../../../src/frontier/lending/work-board.ts";
import type { Shard } from "../../../src/frontier/shard/shard.ts";
import { CommitCounts, commitCountBytes } from "../../../src/sync/commit-counts.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { SlowPort } from "../frontier-team.ts";

/*
 * A lend that is posted just as its borrower ends, or dies: the shipped `Lending` of two threads, whose pumps are cut
 * into the steps between which another thread can do something, in every order. Messages leave with the flush, as from
 * a `Mailbox`; a supervisor announces ends and deaths, as `Workers` does, here even in the middle of a round.
 */

const OWNER = 0;
const BORROWER = 1;
const LEASES = 2;
const FILLED = 64;
/** In turns everybody has ended long before. */
const ROUNDS = 24;
/** There are some thousands of states; more would mean that they are told apart by something that does not matter. */
const MAX_STATES = 40_000;

interface Variant {
  /** What becomes of the borrower when the crawl is told to stop: it ends by itself, or it dies before. */
  readonly fate: "ends" | "dies";
  /** The supervisor announces it to the owner. */
  readonly isAnnounced: boolean;
  /** The announcement is read before the messages that the thread left. */
  readonly readsItFirst: boolean;
}

/** One thread: its half of lending, and its pump in steps. */
class Thread {
  readonly world: World;
  readonly thread: number;
  readonly epoch: number;
  readonly lending: Lending;
  readonly inbox: ShardMessage[] = [];
  readonly announced: [thread: number, epoch: number][] = [];
  #outbox: ShardMessage[] = [];
  #step = 0;
  #mode = "run";
  #hasAsked = false;
  /** Asks received, and announcements. */
  #received = [0, 0];
  hasEnded = false;

  constructor(world: World, thread: number, epoch: number) {
    this.world = world;
    this.thread = thread;
    this.epoch = epoch;
    const host = new Host("h", 1, 0);
    const shard = { requestEnded() {}, giveBack: () => world.free++, rest: () => world.free++ };
    this.lending = new Lending({
      ...{ thread, threads: 2, epoch, seedLow: 1, seedHigh: 2, delayMs: 0, maxBytes: 65536 },
      rules: { perHost: 64, linksPerThread: 64, minQueued: 1 },
      work: world.work,
      stock: { queued: 9, hostsWaiting: 1, hostsParked: 0, isReady: true, awaitsRobots: false },
      commits: new CommitCounts(new SharedArrayBuffer(commitCountBytes(2)), 2, thread),
      bells: [],
      port: new SlowPort(),
      post: (message) => this.#outbox.push(message),
      shardOf: () => shard as unknown as Shard,
      takeFor: (limit) => {
        // Read at this moment, as the frontier does.
        const count = world.mode === "run" ? Math.min(limit, world.free) : 0;
        world.free -= count;
        return Array.from(
          { length: count },
          (): Lease => ({
            ...{ url: `http://h/${++world.number}` as CrawlUrl, low: world.number, high: 0 },
            ...{ shard: OWNER, attempt: 0, depth: 0, via: "link", seed: false, chain: [], host },
            ...{ parent: undefined, cash: undefined },
          }),
        );
      },
      finish() {},
      returned() {},
    });
  }

  /** The next step of its pump. */
  step(): void {
    const { world, lending } = this;
    const [first, second] = world.variant.readsItFirst
      ? [this.#readAnnounced, this.#receive]
      : [this.#receive, this.#readAnnounced];
    const steps = [
      () => {
        this.#mode = world.mode;
        first.call(this);
      },
      () => {
        second.call(this);
        if (this.#mode !== "run") return;
        if (this.thread === OWNER) lending.share(FILLED, 0);
        else if (!this.#hasAsked) lending.share(0, LEASES);
        this.#hasAsked = true;
      },
      () => {
        if (this.#mode !== "run") lending.returnReady();
        const other = world.threads[1 - this.thread]!;
        other.inbox.push(...this.#outbox.splice(0));
      },
      () => {
        const unsent = this.#outbox.filter(isAwaited).length;
        this.hasEnded = this.#mode !== "run" && lending.away + unsent === 0;
        if (this.hasEnded) world.ended(this.thread);
      },
    ];
    steps[this.#step]!();
    this.#step = (this.#step + 1) % steps.length;
  }

  #receive(): void {
    for (const message of this.inbox.splice(0)) {
      if (message.kind === "ask") this.#received[0]!++;
      this.lending.handle(message);
    }
  }

  #readAnnounced(): void {
    for (const [thread, epoch] of this.announced.splice(0)) {
      this.#received[1]!++;
      this.lending.forget(thread, epoch, 0);
    }
  }

  /** All that makes a difference to what can happen next. */
  describe(): unknown {
    const brief = (each: ShardMessage) => [each.kind, each.epoch, each.number, each.bytes.length];
    const { epoch, announced, hasEnded, lending } = this;
    const state = [this.#step, this.#mode, this.#hasAsked, hasEnded, lending.away, this.#received];
    return [epoch, announced, this.inbox.map(brief), this.#outbox.map(brief), state];
  }
}

class World {
  readonly variant: Variant;
  mode: "run" | "drain" = "run";
  /** Leases that wait with their owner. */
  free = LEASES;
  number = 0;
  readonly work = new WorkBoard(new SharedArrayBuffer(workBoardBytes(2)), 2);
  readonly threads: Thread[];
  #messages: (() => void)[] = [];
  #hasDied = false;

  constructor(variant: Variant) {
    this.variant = variant;
    this.threads = [new Thread(this, OWNER, 1), new Thread(this, BORROWER, 2)];
    this.work.setSpare(OWNER, 1);
  }

  ended(thread: number): void {
    this.#announce(thread, Number.MAX_SAFE_INTEGER);
  }

  #announce(thread: number, epoch: number): void {
    const other = this.threads[1 - thread]!;
    if (this.variant.isAnnounced) this.#messages.push(() => other.announced.push([thread, epoch]));
  }

  describe(): string {
    const { mode, free, number } = this;
    const threads = this.threads.map((each) => each.describe());
    return JSON.stringify([mode, free, number, this.#messages.length, this.#hasDied, threads]);
  }

  /** Who can do something now. */
  actors(mayStop = true): (() => void)[] {
    const actors = this.threads
      .filter(({ hasEnded }) => !hasEnded)
      .map((each) => () => each.step());
    const message = this.#messages[0];
    if (message !== undefined)
      actors.push(() => {
        this.#messages.shift();
        message();
      });
    const { fate } = this.variant;
    if (fate === "dies" && !this.#hasDied && mayStop) actors.push(() => this.#replaceBorrower());
    else if (this.mode === "run" && mayStop)
      actors.push(() => {
        this.mode = "drain";
      });
    return actors;
  }

  /** Its memory is gone, what it had sent is not; its successor has the next run's number and reads the same inbox. */
  #replaceBorrower(): void {
    this.#hasDied = true;
    const dead = this.threads[BORROWER]!;
    const successor = new Thread(this, BORROWER, dead.epoch + 1);
    successor.inbox.push(...dead.inbox);
    this.threads[BORROWER] = successor;
    this.#announce(BORROWER, successor.epoch);
  }

  /**
   * Goes on in turns, first without a stop: then what is lent is what is borrowed, or the crawl would wait for it for
   * ever. True when that holds, both end when they are told to, and every lease is with its owner.
   */
  ends(): boolean {
    for (let round = 0; round < ROUNDS; round++) for (const act of this.actors(false)) act();
    const [lent, borrowed] = this.threads.map(({ lending }) => lending.away);
    if (this.mode === "run" && lent !== borrowed) return false;
    for (let round = 0; round < ROUNDS; round++) for (const act of this.actors()) act();
    const away = this.threads.reduce((sum, { lending }) => sum + lending.away, 0);
    return this.threads.every(({ hasEnded }) => hasEnded) && away === 0 && this.free === LEASES;
  }
}

/** Goes to every state that some order of steps leads to; the first from which it does not end well. */
function explore(variant: Variant): {
  failure: string | undefined;
  states: number;
  unread: number;
} {
  const seen = new Set<string>();
  let unread = 0;
  const at = (order: readonly number[]) => {
    const world = new World(variant);
    for (const choice of order) world.actors()[choice]!();
    return world;
  };
  const left: number[][] = [[]];
  for (let order = left.pop(); order !== undefined; order = left.pop()) {
    const world = at(order);
    const state = world.describe();
    if (seen.has(state)) continue;
    seen.add(state);
    assert.ok(seen.size <= MAX_STATES);
    for (const choice of world.actors().keys()) left.push([...order, choice]);
    const borrower = world.threads[BORROWER]!;
    if (borrower.hasEnded && borrower.inbox.some(({ bytes }) => bytes.length > 0)) unread++;
    if (!world.ends()) return { failure: order.join(" "), states: seen.size, unread };
  }
  return { failure: undefined, states: seen.size, unread };
}

for (const readsItFirst of [false, true]) {
  const how = readsItFirst ? "announcements first" : "messages first";
  test(`a lend that its borrower never reads, because it ends meanwhile, comes back in every order, ${how}`, () => {
    const variant = { fate: "ends", isAnnounced: true, readsItFirst } as const;
    const { failure, states, unread } = explore(variant);
    assert.equal(failure, undefined);
    assert.ok(unread > 0, `it did not happen in ${states} states`);
  });

  test(`a lend for a borrower that dies comes back in every order, whatever messages it left, ${how}`, () => {
    assert.equal(explore({ fate: "dies", isAnnounced: true, readsItFirst }).failure, undefined);
  });
}

for (const fate of ["ends", "dies"] as const) {
  test(`found: nobody announces that a borrower ${fate}`, () => {
    const { failure } = explore({ fate, isAnnounced: false, readsItFirst: false });
    assert.ok(failure !== undefined);
  });
}
