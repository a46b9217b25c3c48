import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { OPEN_FINDINGS, STORED_SEEDS } from "./seeds.ts";
import { TARGETS } from "./targets.ts";

const SEED = 20_250_101;
// The gate fuzzes for longer: run.ts.
const RUNS = 60;
const QUICK_RUNS = 1000;
const SLOW_RUNS = 20;

for (const target of TARGETS) {
  const { parts, close } = await target.open();
  describe(`fuzz target ${target.name} from a fixed seed`, () => {
    after(() => close?.());
    for (const { name, property, timed, quick, slow } of parts) {
      if (timed) continue;
      const planned = slow ? SLOW_RUNS : quick ? QUICK_RUNS : RUNS;
      const todo = OPEN_FINDINGS.get(`${target.name} ${name}`) ?? false;
      test(name, { todo }, async () => {
        for (const { seed, path } of STORED_SEEDS.filter(
          (stored) => stored.target === target.name && stored.part === name,
        )) {
          const { failure } = await property.check({ seed, path, runs: planned });
          assert.equal(failure, undefined, `stored\n${failure}`);
        }
        const { runs, failure } = await property.check({ seed: SEED, runs: planned });
        assert.equal(failure, undefined, failure);
        assert.equal(runs, planned);
      });
    }
  });
}
