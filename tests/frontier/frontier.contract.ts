import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Discovery, type Frontier, type Lease, OUTCOME } from "../../src/frontier/frontier.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";
import { type Member, openTeam, ownerOf, type Team, type TeamOptions } from "./frontier-team.ts";

/** Page i of a made-up web links to the pages of its list; pages are spread over ten sites. */
const PAGES = 60;
/** A crawl of so few pages has ended long before. */
const MAX_TURNS = 10_000;
const webs = fc.array(fc.array(fc.nat(PAGES - 1), { maxLength: 6 }), {
  minLength: PAGES,
  maxLength: PAGES,
});
const pageUrl = (page: number) => `http://s${page % 10}.test/${page}` as CrawlUrl;
const pageOf = (url: string) => Number(url.split("/")[3]);

type Web = readonly (readonly number[])[];

function reachable(web: Web): number[] {
  const found = new Set([0]);
  for (const page of found) for (const to of web[page]!) found.add(to);
  return [...found];
}

function links(web: Web, lease: Lease): Discovery[] {
  const { url: parent, depth } = lease;
  return web[pageOf(parent)]!.map((to) => {
    return { url: pageUrl(to), parent, depth: depth + 1, via: "link", seed: false, chain: [] };
  });
}

/** What crawlers would do with a team of frontiers, turn by turn; chance decides who and what. */
class Crawlers {
  readonly team: Team;
  readonly web: Web;
  readonly #choose: (bound: number) => number;
  readonly #latencyMs: number;
  readonly #inFlight: { member: Member; lease: Lease; endMs: number }[] = [];
  /** When a URL that is tried again may be asked for. */
  readonly #restsMs = new Map<string, number>();
  /** The end of the last request of each host. */
  readonly #endedMs = new Map<string, number>();
  readonly #delayMs: number;
  nowMs = 1;
  readonly visited: string[] = [];
  /** Those of them that are pages, and URLs that were refused because their site has enough. */
  readonly pages: string[] = [];
  readonly refused: string[] = [];
  readonly retried: string[] = [];
  committed = 0;
  abandoned = 0;
  /** Everything a frontier was asked and answered, in words. */
  readonly trace: string[] = [];

  constructor(team: Team, web: Web, choose: (bound: number) => number, delayMs = 0, latencyMs = 5) {
    this.team = team;
    this.web = web;
    this.#choose = choose;
    this.#delayMs = delayMs;
    this.#latencyMs = latencyMs;
  }

  /** Pages in flight, all threads together. */
  get inFlight(): number {
    return this.#inFlight.length;
  }

  /** `held` of the pending counter is the supervisor's. */
  turn(held = 0): void {
    const thread = this.#choose(this.team.members.length);
    const member = this.team.members[thread]!;
    const { frontier, port } = member;
    const places = this.#choose(3);
    const taken = frontier.take(places, this.nowMs);
    assert.ok(taken.length <= places, "more was taken than asked for");
    this.trace.push(`${thread} took ${taken.map(({ url }) => url)}`);
    for (const lease of taken) this.#begin(member, lease);
    const due = this.#inFlight.filter(({ endMs }) => endMs <= this.nowMs);
    for (const request of due) this.#end(request);
    const lookMs = frontier.turn(this.nowMs, "run");
    if (this.#choose(2) === 0) port.sync();
    const { share, known } = frontier.stats();
    this.trace.push(`${thread} looks ${lookMs}, ${share} pending, ${known} known`);
    const shares = this.team.members.reduce((sum, one) => sum + one.frontier.stats().share, 0);
    assert.equal(this.team.pending.value, shares + held, "the shares are what is pending");
    const isAlive = this.team.pending.value > 0;
    assert.equal(this.team.seen.ends, isAlive ? 0 : 1, "the end is seen when nothing is left");
    this.nowMs += this.#choose(4);
  }

  /** Turns until `isOver`, or until everything has ended. */
  run(isOver = () => this.team.pending.value === 0, held = 0): void {
    for (let turns = 0; !isOver(); turns++) {
      assert.ok(turns < MAX_TURNS, "does not end");
      this.turn(held);
    }
  }

  #begin(member: Member, lease: Lease): void {
    if (lease.budget === "spent") {
      this.refused.push(lease.url);
      member.frontier.requestEnded(lease, Number.NEGATIVE_INFINITY);
      const nothing = { found: [], links: 0, record: undefined, onCommitted: () => {} };
      member.frontier.settle(lease, { kind: "finish", outcome: OUTCOME.refused, ...nothing });
      return;
    }
    const restsMs = this.#restsMs.get(lease.url) ?? 0;
    assert.ok(this.nowMs >= restsMs, `${lease.url} is tried ${restsMs - this.nowMs} ms too early`);
    const address = `address of ${lease.host.name}`;
    const untilMs = member.gates.enter(lease.host, address, this.nowMs);
    if (untilMs === 0) member.gates.sent(lease.host, address, member.gates.claimedMs, this.nowMs);
    if (untilMs > 0) {
      member.frontier.settle(lease, { kind: "retry", untilMs, rests: false });
      return;
    }
    const sinceMs = this.nowMs - (this.#endedMs.get(lease.host.name) ?? Number.NEGATIVE_INFINITY);
    assert.ok(sinceMs >= this.#delayMs, `${lease.host.name} is asked after ${sinceMs} ms`);
    const busy = this.#inFlight.some((other) => other.lease.host.name === lease.host.name);
    if (this.#delayMs > 0) assert.ok(!busy, `${lease.host.name} is asked twice at once`);
    const endMs = this.nowMs + this.#choose(this.#latencyMs);
    this.#inFlight.push({ member, lease, endMs });
  }

  #end(request: { member: Member; lease: Lease }): void {
    this.#inFlight.splice(this.#inFlight.indexOf(request as never), 1);
    const { member, lease } = request;
    const { frontier, gates } = member;
    this.#endedMs.set(lease.host.name, this.nowMs);
    gates.leave(lease.host, this.nowMs);
    if (lease.attempt === 0 && this.#choose(5) === 0) {
      lease.attempt++;
      this.retried.push(lease.url);
      const rests = this.#choose(2) === 0;
      if (rests) frontier.requestEnded(lease, this.nowMs);
      const untilMs = this.nowMs + this.#choose(20);
      this.#restsMs.set(lease.url, untilMs);
      frontier.settle(lease, { kind: "retry", untilMs, rests });
      return;
    }
    frontier.requestEnded(lease, this.nowMs);
    this.visited.push(lease.url);
    const found = links(this.web, lease);
    // Every seventh page is none: its permit goes back.
    const outcome = pageOf(lease.url) % 7 === 6 ? OUTCOME.failed : OUTCOME.page;
    if (outcome === OUTCOME.page) this.pages.push(lease.url);
    frontier.settle(lease, {
      kind: "finish",
      facts: [{ kind: 7, bytes: new TextEncoder().encode(lease.url) }],
      outcome,
      found,
      links: found.length,
      record: this.#choose(2) === 0 ? 7 : undefined,
      onCommitted: () => {
        this.committed++;
      },
    });
  }

  /** What a crawl does that waits no longer. */
  abandonAll(): void {
    for (const { frontier } of this.team.members) {
      for (const lease of frontier.drain()) {
        this.abandoned++;
        frontier.settle(lease, { kind: "abandon" });
      }
    }
  }
}

const choices = fc.infiniteStream(fc.nat(1000));
const chooser = (stream: Iterator<number>) => (bound: number) => stream.next().value! % bound;

/** A generator that can be repeated. */
function seeded(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % bound;
  };
}

/** L of the crawl below, and what one site may hold of it. */
const PLACES = 8;
const SHARE = 2;

/**
 * One site with forty hosts that never answer beside six honest ones: how much it holds in each thread, as long as the
 * honest ones have something and when they have nothing any more.
 */
function besideSlowSite(team: Team, choose: (bound: number) => number) {
  const isSlow = (url: string) => url.includes(".slow.test/");
  const honest = [0, 1, 2, 3, 4, 5].flatMap((site) =>
    Array.from({ length: 4 }, (_, page) => `http://s${site}.test/${page}`),
  );
  const slow = Array.from({ length: 40 }, (_, host) => `http://h${host}.slow.test/0`);
  openTeam(team, [...honest, ...slow]);
  const inFlight = team.members.map(() => new Set<Lease>());
  // What a thread's own sites need is what it keeps places for; a queue that all share is nobody's own.
  const waits = team.members.map((_, i) => honest.filter((url) => ownerOf(team, url) === i).length);
  const held = (thread: number) => [...inFlight[thread]!].filter(({ url }) => isSlow(url)).length;
  let [nowMs, visited, mostHeld] = [1, 0, 0];
  const turn = () => {
    const thread = choose(team.members.length);
    const { frontier, gates, port } = team.members[thread]!;
    const mine = inFlight[thread]!;
    for (const lease of [...mine].filter(({ url }) => !isSlow(url))) {
      mine.delete(lease);
      visited++;
      waits[ownerOf(team, lease.url)]!--;
      gates.leave(lease.host, nowMs);
      frontier.requestEnded(lease, nowMs);
      const end = { outcome: OUTCOME.page, found: [], links: 0, record: undefined };
      frontier.settle(lease, { kind: "finish", ...end, onCommitted: () => {} });
    }
    for (const lease of frontier.take(PLACES - mine.size, nowMs)) {
      const untilMs = gates.enter(lease.host, `address of ${lease.host.name}`, nowMs);
      if (untilMs === 0) mine.add(lease);
      else frontier.settle(lease, { kind: "retry", untilMs, rests: false });
    }
    frontier.turn(nowMs, "run");
    port.sync();
    nowMs += choose(8);
  };
  for (let turns = 0; turns < 2000 && visited < honest.length; turns++) {
    turn();
    for (const [thread, left] of waits.entries())
      if (left > 0) mostHeld = Math.max(mostHeld, held(thread));
  }
  // What is on its way between threads arrives first; then the honest sites have been idle for long.
  for (const moreTurns of [20, 100]) {
    nowMs += 60_000;
    for (let turns = 0; turns < moreTurns; turns++) turn();
  }
  return {
    visited: visited / honest.length,
    mostHeld,
    alone: Math.max(...inFlight.map((_, thread) => held(thread))),
  };
}

/** URLs that ended, by their outcomes. */
function endedIn(frontier: Frontier): number[] {
  return Array.from(frontier.stats().outcomes);
}

/** What every frontier promises to the crawlers that use it; `newTeam` opens T of them over what T threads would share. */
export function frontierContract(name: string, newTeam: (options: TeamOptions) => Team): void {
  const hasOwners = newTeam({ threads: 1, slots: 1 }).cashBoard !== undefined;
  const shapes = fc.record({
    threads: fc.integer({ min: 1, max: 5 }),
    slots: fc.integer({ min: 1, max: 4 }),
  });

  test(`${name}: every accepted URL is taken exactly once, and the end is seen exactly then`, () => {
    fc.assert(
      fc.property(webs, shapes, choices, (web, shape, stream) => {
        const crawlers = new Crawlers(newTeam(shape), web, chooser(stream));
        openTeam(crawlers.team, [pageUrl(0)]);
        crawlers.run();
        const all = reachable(web);
        assert.deepEqual(crawlers.visited.sort(), all.map(pageUrl).sort());
        for (const { frontier } of crawlers.team.members) frontier.turn(crawlers.nowMs, "run");
        assert.equal(crawlers.committed, all.length, "each commit is told once");
        const { members } = crawlers.team;
        const known = members.reduce((sum, { frontier }) => sum + frontier.stats().known, 0);
        assert.equal(known, all.length);
        const outcomes = members.flatMap(({ frontier }) => [...endedIn(frontier)]);
        assert.equal(
          outcomes.reduce((sum, count) => sum + count, 0),
          all.length,
        );
        for (const { frontier } of members) frontier.close();
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });

  test(`${name}: at whatever moment a crawl ends, every URL has ended, is in flight, or is left`, () => {
    fc.assert(
      fc.property(webs, shapes, choices, fc.nat(200), (web, shape, stream, turns) => {
        const crawlers = new Crawlers(newTeam(shape), web, chooser(stream));
        const { members } = crawlers.team;
        openTeam(crawlers.team, [pageUrl(0), pageUrl(1)]);
        for (let turn = 0; turn < turns; turn++) crawlers.turn();
        for (const { frontier } of members) frontier.turn(crawlers.nowMs, "end");
        const sum = (of: (one: Member) => number) => members.reduce((all, one) => all + of(one), 0);
        const known = sum(({ frontier }) => frontier.stats().known);
        const ended = sum(({ frontier }) => endedIn(frontier).reduce((all, n) => all + n, 0));
        const left: string[] = [];
        for (const { frontier } of members) frontier.left?.(({ url }) => left.push(url));
        assert.equal(new Set(left).size, left.length, "nothing is left twice");
        // Where journals or an engine know what waits, nobody has to tell.
        if (hasOwners || name.startsWith("engine")) assert.deepEqual(left, []);
        else assert.equal(ended + crawlers.inFlight + left.length, known);
        for (const { frontier } of members) frontier.close();
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });

  test(`${name}: no host is asked sooner than its delay after the end of its last request`, () => {
    fc.assert(
      fc.property(
        webs,
        shapes,
        choices,
        fc.constantFrom(10, 100),
        (web, shape, stream, delayMs) => {
          const team = newTeam({ ...shape, delayMs, perHost: 1 });
          const crawlers = new Crawlers(team, web, chooser(stream), delayMs);
          openTeam(team, [pageUrl(0), pageUrl(1), pageUrl(2)]);
          crawlers.run();
          assert.ok(crawlers.visited.length >= 3);
        },
      ),
      { numRuns: 25, endOnFailure: true },
    );
  });

  test(`${name}: a retry loses nothing and admits nothing`, () => {
    const web = Array.from({ length: PAGES }, (_, page) => [
      (page + 1) % PAGES,
      (page * 7) % PAGES,
    ]);
    const crawlers = new Crawlers(newTeam({ threads: 3, slots: 2 }), web, seeded(9));
    openTeam(crawlers.team, [pageUrl(0)]);
    crawlers.run();
    assert.ok(crawlers.retried.length > 5);
    assert.equal(new Set(crawlers.visited).size, PAGES);
    assert.equal(crawlers.visited.length, PAGES);
  });

  test(`${name}: what is abandoned is given up once, and then the crawl ends`, () => {
    const web = Array.from({ length: PAGES }, (_, page) => [
      (page + 1) % PAGES,
      (page + 2) % PAGES,
    ]);
    const team = newTeam({ threads: 2, slots: 4, maxPages: 1000 });
    const crawlers = new Crawlers(team, web, seeded(4));
    openTeam(team, [pageUrl(0)]);
    crawlers.run(() => crawlers.visited.length >= 10);
    crawlers.run(() => {
      crawlers.abandonAll();
      return crawlers.team.pending.value === 0;
    });
    assert.ok(crawlers.abandoned > 0);
    assert.equal(crawlers.team.seen.ends, 1);
    assert.equal(new Set(crawlers.visited).size, crawlers.visited.length, "none is taken twice");
    assert.equal(team.permits.left, 1000 - team.seen.pages, "drained leases hold no permits");
  });

  test(`${name}: without a permit nothing is taken, and a permit that comes back is worth a look`, () => {
    const team = newTeam({ threads: 1, slots: 4, maxPages: 1 });
    openTeam(team, [pageUrl(0), pageUrl(1)]);
    const { frontier } = team.members[0]!;
    const [first, ...none] = frontier.take(4, 1);
    assert.ok(first !== undefined && none.length === 0);
    assert.deepEqual(frontier.take(4, 1), []);
    assert.equal(frontier.turn(1, "run"), Number.POSITIVE_INFINITY, "nothing spins");
    frontier.requestEnded(first, 1);
    frontier.settle(first, { kind: "retry", untilMs: 100, rests: true });
    assert.ok(frontier.turn(1, "run") <= 1);
    assert.equal(frontier.take(4, 1).length, 1);
  });

  test(`${name}: --max-pages ends at exactly N, however many are in flight`, () => {
    fc.assert(
      fc.property(
        webs,
        shapes,
        choices,
        fc.integer({ min: 1, max: 12 }),
        (web, shape, stream, n) => {
          const pages = reachable(web).filter((page) => page % 7 !== 6).length;
          fc.pre(pages >= n);
          const team = newTeam({ ...shape, maxPages: n });
          const crawlers = new Crawlers(team, web, chooser(stream));
          openTeam(team, [pageUrl(0)]);
          crawlers.run(() => team.seen.limits > 0 || team.pending.value === 0);
          assert.equal(team.seen.pages, n);
          const held = team.members.reduce((sum, one) => sum + one.frontier.stats().heldPermits, 0);
          assert.equal(held + team.permits.left, 0, "every permit became a page");
        },
      ),
      { numRuns: 20, endOnFailure: true },
    );
  });

  test(`${name}: a site has exactly as many pages as it may have, and nothing waits for ever`, () => {
    fc.assert(
      fc.property(
        webs,
        shapes,
        choices,
        fc.integer({ min: 1, max: 5 }),
        (web, shape, stream, n) => {
          const team = newTeam({ ...shape, maxPagesPerSite: n });
          const crawlers = new Crawlers(team, web, chooser(stream));
          openTeam(team, [pageUrl(0), pageUrl(1)]);
          crawlers.run();
          const sites = new Map<string, number>();
          for (const url of crawlers.pages) {
            const site = new URL(url).hostname;
            sites.set(site, (sites.get(site) ?? 0) + 1);
          }
          for (const [site, pages] of sites) assert.ok(pages <= n, `${site} has ${pages} pages`);
          for (const url of crawlers.refused)
            assert.equal(sites.get(new URL(url).hostname), n, `${url} was refused too early`);
        },
      ),
      { numRuns: 20, endOnFailure: true },
    );
  });

  test(`${name}: what a visit found out is announced when it is durable, before its URL is released`, () => {
    const web = Array.from({ length: PAGES }, (_, page) => [(page + 1) % PAGES]);
    const team = newTeam({ threads: 3, slots: 2 });
    const crawlers = new Crawlers(team, web, seeded(5));
    openTeam(team, [pageUrl(0)]);
    crawlers.run(() => {
      const announced = team.seen.facts.length;
      assert.ok(announced >= crawlers.committed - team.members.length * 3, "late");
      return team.pending.value === 0;
    });
    const texts = team.seen.facts.map(({ kind, bytes }) => `${kind} ${Buffer.from(bytes)}`);
    assert.deepEqual(texts.sort(), crawlers.visited.map((url) => `7 ${url}`).sort());
  });

  test(`${name}: links that are admitted later are visited like any other, and known ones are not`, () => {
    const web = Array.from({ length: PAGES }, (): number[] => []);
    const team = newTeam({ threads: 2, slots: 2 });
    const crawlers = new Crawlers(team, web, seeded(6));
    openTeam(team, [pageUrl(0), pageUrl(1), pageUrl(2)]);
    const more = [pageUrl(1), pageUrl(5), pageUrl(6), pageUrl(6)];
    // Held by the supervisor meanwhile.
    team.pending.add(1);
    crawlers.run(() => team.pending.value === 1, 1);
    let durable = 0;
    for (const [thread, { frontier, port }] of team.members.entries()) {
      const own = more.filter((url) => ownerOf(team, url) === thread);
      const found = own.map((url) => {
        return { url, parent: pageUrl(0), depth: 1, via: "link", seed: false, chain: [] } as const;
      });
      frontier.admit(found, () => durable++);
      port.sync();
    }
    assert.equal(durable, 2);
    if (team.countsThreads) assert.ok(team.pending.value > 1);
    else assert.equal(team.pending.value, 3);
    team.pending.release(1);
    crawlers.run();
    assert.deepEqual(crawlers.visited.sort(), [0, 1, 2, 5, 6].map(pageUrl).sort());
  });

  test(`${name}: a recorded trace is answered equally when it is repeated`, () => {
    const web = Array.from({ length: PAGES }, (_, page) => [
      (page * 3) % PAGES,
      (page + 1) % PAGES,
    ]);
    const record = (seed: number) => {
      const team = newTeam({ threads: 2, slots: 3, delayMs: 10, perHost: 1 });
      const crawlers = new Crawlers(team, web, seeded(seed), 10);
      openTeam(team, [pageUrl(0), pageUrl(5)]);
      crawlers.run();
      return crawlers.trace;
    };
    for (const seed of [1, 2, 3]) assert.deepEqual(record(seed), record(seed));
    assert.notDeepEqual(record(1), record(2), "the traces tell something apart");
  });

  test(`${name}: a thread that ends hands over what it has, and what it holds waits`, () => {
    const team = newTeam({ threads: 2, slots: 2 });
    const web = Array.from({ length: PAGES }, (_, page) => [(page + 1) % PAGES]);
    const crawlers = new Crawlers(team, web, seeded(3));
    openTeam(team, [pageUrl(0), pageUrl(3)]);
    crawlers.run(() => crawlers.visited.length >= 8 && crawlers.inFlight === 0);
    const pending = team.pending.value;
    for (let i = 0; i < 8; i++) {
      for (const { frontier, port } of team.members) {
        frontier.turn(crawlers.nowMs, "end");
        port.sync();
      }
    }
    for (const { frontier } of team.members) {
      assert.equal(frontier.stats().away, 0);
      assert.equal(frontier.turn(crawlers.nowMs, "end"), Number.POSITIVE_INFINITY, "nothing spins");
    }
    assert.ok(team.pending.value > 0 && team.pending.value <= pending);
  });

  test(`${name}: a site holds at most its share of the places while others have something, and all when it is alone`, () => {
    for (const threads of [1, 2]) {
      for (const seed of [1, 2, 3]) {
        const run = (places: number) => {
          const team = newTeam({ threads, slots: 64, delayMs: 10, perHost: 1, places });
          return besideSlowSite(team, seeded(seed));
        };
        const { visited, mostHeld, alone } = run(PLACES);
        assert.deepEqual([visited, alone], [1, PLACES], `${threads} threads, seed ${seed}`);
        if (threads > 1 && !hasOwners) continue;
        assert.ok(
          mostHeld <= SHARE,
          `${mostHeld} places were held, ${threads} threads, seed ${seed}`,
        );
        // Without a bound the same crawl fails: nothing would be left for the others.
        assert.ok(run(Number.POSITIVE_INFINITY).mostHeld > SHARE);
      }
    }
  });
}
