import assert from "node:assert/strict";
import { test } from "node:test";
import { OUTCOME } from "../../../src/frontier/finish.ts";
import type { Frontier } from "../../../src/frontier/frontier.ts";
import type { Lease } from "../../../src/frontier/host.ts";
import { openTeam, ownerOf, shardedTeam, type TeamOptions } from "../frontier-team.ts";

const TWO = { threads: 2, slots: 64, maxPages: 100 };
const PAGE = { kind: "finish", outcome: OUTCOME.page, found: [], links: 0 } as const;

/** Two threads, of which the first owns everything. */
function ownerAndBorrower(options: Partial<TeamOptions>, paths: (site: string) => string[]) {
  const team = shardedTeam({ ...TWO, ...options });
  const sites = Array.from({ length: 99 }, (_, i) => `s${i}.test`).filter(
    (site) => ownerOf(team, `http://${site}/`) === 0,
  );
  openTeam(
    team,
    sites.slice(0, 2).flatMap((site, i) => (i === 0 ? paths(site) : [`http://${site}/`])),
  );
  const [owner, borrower] = team.members.map(({ frontier }) => frontier) as [Frontier, Frontier];
  return { owner, borrower, permits: team.permits };
}

/** Takes all it can, and looks once more; true when it would look again at once. */
function round(frontier: Frontier, places: number, nowMs: number, taken: Lease[] = []): boolean {
  while (taken.length < places) {
    const more = frontier.take(places - taken.length, nowMs);
    if (more.length === 0) break;
    taken.push(...more);
  }
  if (taken.length >= places) frontier.take(0, nowMs);
  return frontier.turn(nowMs, "run") <= nowMs;
}

/** Runs rounds of a thread until it would sleep. */
function settleDown(frontier: Frontier, places: number, nowMs: number, taken: Lease[]): void {
  for (let rounds = 0; round(frontier, places, nowMs, taken); rounds++)
    assert.ok(rounds < 5, "it never sleeps");
}

test("leases wait for their owner to learn the rules of robots.txt, and nobody spins or is forgotten", () => {
  let isKnown = false;
  let looks = 0;
  const mayLend = () => {
    looks++;
    return isKnown;
  };
  const { owner, borrower, permits } = ownerAndBorrower({ mayLend, places: 16 }, (site) =>
    Array.from({ length: 40 }, (_, i) => `http://${site}/${i}`),
  );
  const [own, borrowed]: Lease[][] = [[], []];
  settleDown(owner, 4, 0, own!);
  settleDown(borrower, 4, 0, borrowed!);
  settleDown(owner, 4, 0, own!);
  assert.ok(looks > 0, "it was asked");
  assert.deepEqual([own!.length, permits.left], [4, 96], "what is refused takes no permit");
  settleDown(borrower, 4, 0, borrowed!);
  assert.equal(borrowed!.length, 0);
  // A visit of the owner ends, which has brought the rules.
  isKnown = true;
  const lease = own!.shift()!;
  owner.requestEnded(lease, 1);
  owner.settle(lease, { ...PAGE, record: undefined, onCommitted() {} });
  settleDown(owner, 4, 1, own!);
  settleDown(borrower, 4, 1, borrowed!);
  assert.ok(borrowed!.length > 0, "it did not have to ask again");
  assert.equal(permits.left, 100 - 1 - own!.length - borrowed!.length);
});

test("leases that were refused come back in their order", () => {
  const taken: Lease[] = [];
  const { owner, borrower } = ownerAndBorrower({ mayLend: () => false, places: 160 }, (site) =>
    Array.from({ length: 40 }, (_, i) => `http://${site}/${i}`),
  );
  settleDown(owner, 4, 0, taken);
  settleDown(borrower, 4, 0, []);
  settleDown(owner, 4, 0, taken);
  settleDown(owner, 40, 1, taken);
  const big = taken.map(({ url }) => new URL(url)).filter(({ pathname }) => pathname !== "/");
  const numbers = big.map(({ pathname }) => Number(pathname.slice(1)));
  assert.equal(numbers.length, 39, "the other site has one place");
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => i),
  );
});

test("hosts of a site that holds its share are lent by a thread with free places", () => {
  const { owner, borrower } = ownerAndBorrower({ perHost: 1, places: 8 }, (site) =>
    Array.from({ length: 9 }, (_, i) => `http://h${i}.${site}/`),
  );
  const [own, borrowed]: Lease[][] = [[], []];
  settleDown(owner, 8, 0, own!);
  assert.equal(own!.length, 3, "two places of eight for the big site, and one for the other");
  settleDown(borrower, 8, 0, borrowed!);
  settleDown(owner, 8, 0, own!);
  settleDown(borrower, 8, 0, borrowed!);
  assert.equal(borrowed!.length, 2);
});
