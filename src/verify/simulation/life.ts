import { maxUncommittedVisits } from "../../crawl/crawler/uncommitted.ts";
import { Random } from "../../web/seeded-random.ts";
import { auditCash, type CashAudit } from "./cash-audit.ts";
import { Oracle, Violation } from "./oracle.ts";
import { type Plan, planOf } from "./plan.ts";
import { SimDisk } from "./sim-disk.ts";
import type { SimParts } from "./sim-parts.ts";
import { SimWeb } from "./sim-web.ts";
import { World } from "./simulated-crawl.ts";

/** What became of a simulated crawl. */
export interface LifeResult {
  readonly seed: number;
  /** The promise that was broken; undefined when all were kept. */
  readonly violation: string | undefined;
  readonly runs: number;
  readonly requests: number;
  /** Visits that a crash or a death made necessary once more. */
  readonly repeated: number;
  /** The last look for all cash, in crawls ordered by it. */
  readonly audit: CashAudit | undefined;
}

/** One crawl from its first run to its end, through all faults of its plan. */
export function live(
  seed: number,
  parts: SimParts,
  log?: (line: string) => void,
  plan: Plan = planOf(seed),
): LifeResult {
  const random = new Random(seed ^ 0x51a7e);
  const scoped = { seeds: plan.redirectingSeeds, random: new Random(seed) };
  const web = new SimWeb(random, plan.pages, plan.sites, plan.isScoped ? scoped : undefined);
  const oracle = new Oracle(web.truth(), plan);
  const wall = { aheadMs: 1_700_000_000_000 };
  const around = { plan, parts, web, oracle, random, wall, log };
  let disk = new SimDisk(plan.shards);
  let nowMs = 0;
  let runs = 0;
  let audit: CashAudit | undefined;
  const result = (violation: string | undefined): LifeResult => {
    return { seed, violation, runs, requests: oracle.requests, repeated: oracle.repeated, audit };
  };
  try {
    for (const run of plan.runs) {
      runs++;
      const world = new World(around, disk, run, nowMs);
      const end = world.run();
      nowMs = world.nowMs;
      if (end.kind !== "crashed" && plan.order === "opic") audit = auditCash(disk);
      if (end.kind === "ended") return result(undefined);
      if (end.kind === "stopped") oracle.stopped(disk);
      else {
        // What was being fetched has to be fetched again, too.
        const most = maxUncommittedVisits(plan.maxUncommitted, run.threads) - oracle.inFlight;
        world.drop();
        disk = disk.after(end.cut);
        oracle.check(disk);
        if (plan.order === "opic") audit = auditCash(disk);
        oracle.lost(disk, () => true, most);
      }
      nowMs += random.below(100);
    }
    return result("no run came to its end");
  } catch (fault) {
    if (fault instanceof Violation) return result(fault.message);
    // An error out of the code under test is as good a finding.
    return result(`${(fault as Error).stack}`);
  }
}
