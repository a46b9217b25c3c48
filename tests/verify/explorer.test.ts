import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogue, findEntry } from "../../src/verify/catalogue.ts";
import { World } from "../../src/verify/machine/explored-world.ts";
import { replaySchedule } from "../../src/verify/replay/replay-schedule.ts";
import {
  claimOf,
  configurationNames,
  runConfigurations,
  search,
} from "../../src/verify/run-configurations.ts";
import { Dpor } from "../../src/verify/search/dpor.ts";
import { Stateful } from "../../src/verify/search/stateful.ts";

const BUDGET_SECONDS = 60;

/** The first of their module, but of a second and more. */
const LONG = new Set(["frontier-semaphore-b1-2p2c1", "waiting-b2-2p2c"]);

/** `orbweaver verify --quick` explores every configuration; here are the first of each module and those that mend a death. */
function firstOfEachModule(): string[] {
  const seen = new Set<string>();
  return configurationNames("small").filter((name) => {
    const { module } = findEntry(name);
    const isFirst = !seen.has(module);
    seen.add(module);
    return (isFirst && !LONG.has(name)) || name.endsWith("-reclaim");
  });
}

for (const name of firstOfEachModule()) {
  test(`${name}: holds as shipped, and every mutant is caught and replays`, () => {
    const result = runConfigurations([name], BUDGET_SECONDS);
    const [configuration] = result.configurations;
    assert.equal(result.failed, 0, JSON.stringify(configuration));
    for (const mutant of configuration!.mutants) {
      assert.ok(replaySchedule(mutant.schedule!).violation, mutant.schedule!);
    }
  });
}

test("every configuration has a mutant", () => {
  const bare = catalogue
    // A configuration that must fail is a broken variant itself.
    .filter(
      ({ configuration: { mutants, expect } }) => mutants.length === 0 && expect === undefined,
    )
    .map(({ configuration }) => configuration.name);
  assert.deepEqual(bare, []);
});

test("both searches find the same ends in lock-free code", () => {
  for (const name of ["ring-2p1c1", "gate-table-reserve-3", "gate-table-3"]) {
    const { module, configuration } = findEntry(name);
    const ends = (searcher: "dpor" | "stateful"): string[] => {
      const found = new Set<string>();
      const spied = {
        ...configuration,
        check(outcome: Parameters<NonNullable<typeof configuration.check>>[0]) {
          found.add(JSON.stringify([outcome.reports, [...outcome.words(0)]]));
          return undefined;
        },
      };
      const world = new World(module, spied, []);
      const run = searcher === "dpor" ? new Dpor(world) : new Stateful(world);
      assert.ok(run.search(BUDGET_SECONDS).complete);
      return [...found].sort();
    };
    assert.deepEqual(ends("dpor"), ends("stateful"), name);
  }
});

test("leaving out private steps changes no end", () => {
  for (const name of ["frontier-coarse-2p", "frontier-fine-b1-1p1c2", "semaphore-reclaim"]) {
    const { module, configuration } = findEntry(name);
    const [all, fewer] = [false, true].map((privateSteps) =>
      new Stateful(new World(module, { ...configuration, privateSteps }, [])).search(60),
    );
    assert.ok(all!.complete && fewer!.complete, name);
    assert.equal(fewer!.executions, all!.executions, name);
    assert.ok(fewer!.states < all!.states, name);
  }
});

test("a mutant whose text is gone fails the run instead of passing unseen", () => {
  const entry = findEntry("mutex-3x2");
  const patch = { module: "sync/mutex.js", find: "no such text", replace: "" };
  assert.throws(() => search(entry, [patch], 1), /no longer applies: its text occurs 0 times/);
});

test("the claim says what was shown and nothing more", () => {
  const { configurations } = runConfigurations(["mutex-reclaim"], BUDGET_SECONDS);
  assert.equal(
    claimOf(configurations[0]!),
    "exhaustive for 3 threads x 1 operations under sequential consistency",
  );
  assert.equal(
    claimOf({ ...configurations[0]!, complete: false }),
    "cut off by the budget: no claim",
  );
  assert.equal(
    claimOf({ ...configurations[0]!, reductions: ["interchangeable threads"] }),
    "exhaustive for 3 threads x 1 operations under sequential consistency; interchangeable threads",
  );
});

test("a search that runs out of memory is cut off and claims nothing", () => {
  const { module, configuration } = findEntry("mutex-3x2");
  const cut = new Stateful(new World(module, configuration, [])).search(BUDGET_SECONDS, 1 << 20);
  assert.deepEqual([cut.complete, cut.cutOff, cut.violation], [false, "memory", null]);
  const whole = new Stateful(new World(module, configuration, [])).search(BUDGET_SECONDS);
  assert.deepEqual([whole.complete, whole.cutOff], [true, undefined]);
  assert.ok(cut.states < whole.states);
});

test("a replay tells every step", () => {
  const { log, violation } = replaySchedule("doorbell-2x1+lost-wake-up:c3a4b2c");
  assert.match(violation!, /^deadlock: thread 2 sleeps/);
  assert.equal(log.length, 11, log.join("\n"));
  assert.match(log[0]!, /thread 2 {2}load rung \(word 2\) = 0/);
  assert.match(log[9]!, /thread 2 {2}wait rung \(word 2\), 0 sleeps/);
});
