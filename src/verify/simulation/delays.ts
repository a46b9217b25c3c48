import { createHash } from "node:crypto";
import { cutsOf, openSmall } from "./crash-points.ts";
import { Violation } from "./oracle.ts";
import { SimDisk } from "./sim-disk.ts";
import type { SimParts } from "./sim-parts.ts";
import type { World } from "./simulated-crawl.ts";

const SHARDS = 3;
const MAX_TURNS = 20_000;
/** How many of its turns whoever is delayed misses. */
const MISSED = [1, 5] as const;

/** Somebody is delayed from a turn on. */
interface Delay {
  readonly turn: number;
  readonly missed: number;
}

/** How much is explored. */
export interface DelayOptions {
  /** At most so many delays in a schedule. */
  readonly delays: number;
  /** Crawls, each with a web and a hand-off of its own. */
  readonly crawls: number;
  /** A thread dies after every turn of the schedules with at most so many delays; -1 for none. */
  readonly deaths: number;
  readonly pages?: number;
}

/** What was explored, and the first promise that was broken. */
export interface DelayResult {
  readonly schedules: number;
  /** Different disks that a crash left. */
  readonly disks: number;
  readonly deaths: number;
  readonly violation: string | undefined;
}

/**
 * All schedules of a small crawl with few delays: crawlers, builder, messages, time and supervisor take turns, and at each
 * turn somebody may miss one or several (delay bounding: Emmi, Qadeer and Rakamaric, POPL 2011). After every turn of
 * each the journals are cut at every place at which a loss of power could cut them; every different disk is recovered
 * and its crawl finished.
 */
export function exploreDelays(parts: SimParts, options: DelayOptions): DelayResult {
  const result = { schedules: 0, disks: 0, deaths: 0 };
  let where = "";
  try {
    for (let crawl = 1; crawl <= options.crawls; crawl++) {
      const left = new Set<string>();
      const crash = (world: World): void => {
        for (const cut of cutsOf(world.disk)) {
          const disk = world.disk.after(cut);
          const name = nameOf(disk);
          if (left.has(name)) continue;
          left.add(name);
          result.disks++;
          openSmall(parts, options, disk, crawl, crawl).run();
        }
      };
      const explore = (delays: readonly Delay[]): void => {
        where = `crawl ${crawl}, delays ${JSON.stringify(delays)}`;
        result.schedules++;
        const { turns, idle } = run(
          openSmall(parts, options, new SimDisk(SHARDS), crawl, crawl),
          delays,
          crash,
        );
        if (delays.length <= options.deaths) {
          for (let turn = 0; turn < 2 * turns; turn++) {
            where = `crawl ${crawl}, delays ${JSON.stringify(delays)}, death at ${turn}`;
            result.deaths++;
            const world = openSmall(parts, options, new SimDisk(SHARDS), crawl, crawl);
            run(world, delays, (_, at) => {
              if (at === turn >> 1) world.supervisor.kill(turn & 1);
            });
          }
        }
        if (delays.length === options.delays) return;
        for (let turn = (delays.at(-1)?.turn ?? -1) + 1; turn < turns; turn++) {
          // Who had nothing to do is not missed.
          if (idle.has(turn)) continue;
          for (const missed of MISSED) explore([...delays, { turn, missed }]);
        }
      };
      explore([]);
    }
  } catch (fault) {
    return { ...result, violation: `${where}: ${(fault as Error).message}` };
  }
  return { ...result, violation: undefined };
}

/** Runs a crawl to its end by a schedule; answers how many turns it had, and which did nothing. `after` is told of each. */
function run(
  world: World,
  delays: readonly Delay[],
  after: (world: World, turn: number) => void,
): { turns: number; idle: Set<number> } {
  const idle = new Set<number>();
  const missing = new Int32Array(world.actors);
  let turn = 0;
  // Turns that were not a commit's: the others go on where they were.
  for (let others = 0; !world.isOver; turn++) {
    if (turn > MAX_TURNS) throw new Violation("it does not end");
    let actor = world.actorAt(others);
    // A builder that is delayed lets the others go on meanwhile.
    if (missing[actor]! > 0 && world.builder.isCommitting) {
      missing[actor]!--;
      actor = others % world.actors;
    }
    if (actor === others % world.actors) others++;
    for (const delay of delays) if (delay.turn === turn) missing[actor] = delay.missed;
    if (missing[actor]! > 0) missing[actor]!--;
    else if (!world.turn(actor)) idle.add(turn);
    after(world, turn);
  }
  world.end();
  return { turns: turn, idle };
}

function nameOf({ journals, records }: SimDisk): string {
  const hash = createHash("sha1").update(records.join(" "));
  for (const batches of journals) {
    hash.update(`${batches.length}`);
    for (const batch of batches) hash.update(`${batch.length} `).update(batch);
  }
  return hash.digest("base64");
}
