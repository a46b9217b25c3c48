import assert from "node:assert/strict";
import { test } from "node:test";
import { UNIT } from "../../../src/frontier/opic/cash-book.ts";
import { live } from "../../../src/verify/simulation/life.ts";
import { planOf } from "../../../src/verify/simulation/plan.ts";
import { SHIPPED } from "../../../src/verify/simulation/sim-parts.ts";

const LIVES = 150;

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
