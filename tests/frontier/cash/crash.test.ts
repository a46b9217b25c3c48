import assert from "node:assert/strict";
import { test } from "node:test";
import { UNIT } from "../../../src/frontier/cash/cash-book.ts";
import { CASH_COUNTERS } from "../../../src/frontier/cash/shard-cash.ts";
import { type Arrival, ShardState } from "../../../src/frontier/fold/shard-state.ts";
import { live } from "../../../src/verify/simulation/life.ts";
import { planOf } from "../../../src/verify/simulation/plan.ts";
import { SHIPPED, type SimParts } from "../../../src/verify/simulation/sim-parts.ts";

const LIVES = 30;

test("crawls ordered by cash that are killed, robbed of power and resumed: every page once, every coin found", () => {
  let sent = 0;
  let crashed = 0;
  for (let seed = 1; seed <= LIVES; seed++) {
    const result = live(seed, SHIPPED, undefined, { ...planOf(seed), order: "opic" });
    assert.equal(result.violation, undefined, `seed ${seed}`);
    assert.ok(result.audit!.minted >= UNIT, `seed ${seed}: nothing was minted`);
    assert.equal(result.audit!.minted % UNIT, 0);
    if (result.audit!.sent > 0) sent++;
    if (result.runs > 1) crashed++;
  }
  assert.ok(sent > LIVES / 4, `cash moved between shards in ${sent} crawls only`);
  assert.ok(crashed > LIVES / 4, `only ${crashed} crawls were resumed`);
});

/** Takes a block that comes again for a new one. */
class GreedyState extends ShardState {
  override arrival(producer: number, epoch: number, number: number): Arrival {
    const arrival = super.arrival(producer, epoch, number);
    return arrival.kind === "duplicate" ? { kind: "next" } : arrival;
  }
}

/** Does not book what a block brings. */
class CarelessState extends ShardState {
  override count(counter: number, amount: number): void {
    if (counter !== CASH_COUNTERS.received) super.count(counter, amount);
    else this.cash!.book.send(amount);
  }
}

for (const [name, State] of [
  ["takes a block twice", GreedyState],
  ["does not keep what it received", CarelessState],
] as const) {
  test(`the audit finds a shard that ${name}`, () => {
    const parts: SimParts = { ...SHIPPED, name, State };
    const isFound = Array.from({ length: 2 * LIVES }, (_, seed) => seed).some((seed) => {
      const plan = { ...planOf(seed), order: "opic" as const };
      const { violation } = live(seed, parts, undefined, plan);
      return /was minted|does not add up/.test(violation ?? "");
    });
    assert.ok(isFound);
  });
}
