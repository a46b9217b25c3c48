import { Random } from "../../web/seeded-random.ts";
import { Oracle } from "./oracle.ts";
import type { Plan } from "./plan.ts";
import { type Cut, SimDisk } from "./sim-disk.ts";
import type { SimParts } from "./sim-parts.ts";
import { SimWeb } from "./sim-web.ts";
import { World } from "./simulated-crawl.ts";

/** How much is explored. */
export interface CrashPointOptions {
  /** Orders in which threads, builder and time take their steps. */
  readonly schedules: number;
  /** 1: one crash per crawl; 2: the run that resumes may crash as well, at every point. */
  readonly depth: number;
  /** Schedules in which a thread dies after every step, too. */
  readonly deaths: number;
  readonly pages?: number;
}

/** What was explored, and the first promise that was broken. */
export interface CrashPointResult {
  /** Different disks that a crash left. */
  readonly cuts: number;
  /** Deaths of a thread that were tried. */
  readonly deaths: number;
  readonly violation: string | undefined;
}

const THREADS = 2;
const SHARDS = 3;

/**
 * Two threads, three shards, a handful of pages. After every step of a run the journals are cut at every place at
 * which a loss of power could cut them, in every combination over the shards and the archive; each disk left is
 * recovered, the crawl finished, and its end compared with the truth; then a thread dies after every step.
 */
export function exploreCrashPoints(parts: SimParts, options: CrashPointOptions): CrashPointResult {
  let cuts = 0;
  let deaths = 0;
  let where = "";
  try {
    for (let schedule = 1; schedule <= options.schedules; schedule++) {
      const explore = (disk: SimDisk, seed: number, depth: number): void => {
        const world = openSmall(parts, options, disk, seed, schedule);
        const seen = new Set<string>();
        const look = () => {
          for (const cut of cutsOf(world.disk)) {
            const key = `${cut.batches} ${cut.records}`;
            if (seen.has(key)) continue;
            seen.add(key);
            cuts++;
            where = `schedule ${schedule}, cut at ${key}`;
            const left = world.disk.after(cut);
            if (depth > 1) explore(left, seed + seen.size, depth - 1);
            else openSmall(parts, options, left, seed + seen.size, schedule).run();
          }
        };
        for (look(); !world.isOver; look()) world.step();
        world.end();
      };
      explore(new SimDisk(SHARDS), schedule, options.depth);
      if (schedule > options.deaths) continue;
      deaths += dieEverywhere(parts, options, schedule, (step) => {
        where = `schedule ${schedule}, death at step ${step}`;
      });
    }
  } catch (fault) {
    return { cuts, deaths, violation: `${where}: ${(fault as Error).message}` };
  }
  return { cuts, deaths, violation: undefined };
}

/** Every thread dies once at every step of the schedule. */
function dieEverywhere(
  parts: SimParts,
  options: CrashPointOptions,
  schedule: number,
  tell: (step: number) => void,
): number {
  let deaths = 0;
  for (let step = 1, last = false; !last; step++) {
    for (let thread = 0; thread < THREADS; thread++) {
      tell(step);
      const world = openSmall(parts, options, new SimDisk(SHARDS), schedule, schedule);
      for (let i = 0; i < step && !world.isOver; i++) world.step();
      last = world.isOver;
      if (last) break;
      world.supervisor.kill(thread);
      deaths++;
      world.run();
    }
  }
  return deaths;
}

/** A small crawl as it goes on from a disk. */
export function openSmall(
  parts: SimParts,
  options: Pick<CrashPointOptions, "pages">,
  disk: SimDisk,
  seed: number,
  schedule: number,
): World {
  const { pages = 6 } = options;
  const plan: Plan = {
    shards: SHARDS,
    pages,
    sites: 6,
    delayMs: 0,
    latencyMs: 1,
    links: 2,
    maxUncommitted: 8,
    // Every third crawl has a limit, which must be met to the page after every crash.
    maxPages: schedule % 3 === 2 ? Math.ceil(pages / 2) : undefined,
    maxPagesPerSite: schedule % 5 === 4 ? 1 : undefined,
    maxBytes: undefined,
    // Every fourth one has seeds that widen its scope.
    isScoped: schedule % 4 === 1,
    redirectingSeeds: 2,
    bufferSize: 1 + (schedule % 3),
    handOff: schedule % 2 === 0 ? "full" : "count-or-time",
    isJoined: schedule % 4 === 1,
    order: "bfs",
    demanding: false,
    sleeping: false,
    network: "rings",
    runs: [],
  };
  // The same web for all runs of a schedule, another order of steps for each.
  const webOf = (seed: number) => {
    const scoped = { seeds: plan.redirectingSeeds, random: new Random(~seed) };
    const scope = plan.isScoped ? scoped : undefined;
    return new SimWeb(new Random(seed), pages, plan.sites, scope);
  };
  let web = webOf(schedule);
  for (let more = 1; web.truth().size < pages; more++) web = webOf(schedule + 1000 * more);
  const oracle = new Oracle(web.truth(), plan);
  oracle.resumed(disk);
  const around = {
    plan,
    parts,
    web,
    oracle,
    random: new Random(seed),
    wall: { aheadMs: 0 },
    log: undefined,
  };
  return new World(around, disk, { threads: THREADS, faults: [] }, disk.epoch);
}

/** Every disk that a loss of power could leave now. */
export function* cutsOf(disk: SimDisk): Generator<Cut> {
  const { all, safe } = disk;
  let combinations: number[][] = [[]];
  for (const [shard, least] of safe.batches.entries()) {
    combinations = combinations.flatMap((cut) => {
      const more: number[][] = [];
      for (let count = least; count <= all.batches[shard]!; count++) more.push([...cut, count]);
      return more;
    });
  }
  for (const batches of combinations) {
    for (let records = safe.records; records <= all.records; records++) yield { batches, records };
  }
}
