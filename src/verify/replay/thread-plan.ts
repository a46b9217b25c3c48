import { standBeforeRace } from "../judge/standing-race.ts";
import type { World } from "../machine/explored-world.ts";
import { isEager } from "../search/concrete.ts";
import { namedWorld, replaySchedule, resolveSchedule } from "./replay-schedule.ts";

/** What real threads are made to do for a schedule. */
export interface ThreadPlan {
  readonly violation: string | undefined;
  readonly world: World;
  /** Thread of each step; threads + thread is a kill. */
  readonly choices: readonly number[];
  /** Payload needs no turn of its own. */
  readonly eager: boolean;
  /** Threads that run in circles at the end, when that is what is wrong. */
  readonly circling: ReadonlySet<number>;
}

/** How many rounds a circle must be repeated before it counts. */
const ROUNDS = 10;

/** Makes the violation of a schedule visible in real threads, where there are no clocks and no list of states. */
export function threadPlan(text: string): ThreadPlan {
  const { schedule, entry, patches } = resolveSchedule(text);
  const { violation, roundFrom } = replaySchedule(text);
  const world = namedWorld(entry, patches);
  const eager = isEager(world);
  const plan = { violation, world, eager, choices: schedule.choices, circling: new Set<number>() };
  if (roundFrom !== undefined) {
    const round = schedule.choices.slice(roundFrom);
    const rounds = Array.from({ length: ROUNDS - 1 }, () => round).flat();
    const circling = new Set(round.map((choice) => choice % world.automata.length));
    return { ...plan, choices: [...schedule.choices, ...rounds], circling };
  }
  const races = eager && violation?.startsWith("data race");
  const standing = races ? standBeforeRace(world, schedule.choices) : undefined;
  return standing === undefined ? plan : { ...plan, choices: standing, eager: false };
}
