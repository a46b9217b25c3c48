import { exploreCrashPoints } from "./crash-points.ts";
import { type LifeResult, live } from "./life.ts";
import { MUTANTS } from "./mutants.ts";
import { SHIPPED, type SimParts } from "./sim-parts.ts";

/** A broken variant is looked for in so many seeds. */
const MUTANT_SEEDS = 1000;
const QUICK = { schedules: 4, depth: 1, deaths: 0 };

/** By what a broken variant was found; undefined when it survived. */
export interface MutantResult {
  readonly name: string;
  readonly caughtBy: string | undefined;
  readonly violation: string | undefined;
}

/** What a simulation of many seeds showed. */
export interface SimulationResult {
  readonly seeds: number;
  readonly runs: number;
  readonly requests: number;
  readonly repeated: number;
  readonly failed: readonly LifeResult[];
  readonly mutants: readonly MutantResult[];
  readonly cpuSeconds: number;
}

/** Lives the crawls of the seeds 1 to `seeds`, then looks for every mutant. */
export function simulate(
  seeds: number,
  progress: (done: number, failed: number) => void = () => {},
): SimulationResult {
  const start = process.cpuUsage();
  const failed: LifeResult[] = [];
  let runs = 0;
  let requests = 0;
  let repeated = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const result = live(seed, SHIPPED);
    runs += result.runs;
    requests += result.requests;
    repeated += result.repeated;
    if (result.violation !== undefined) failed.push(result);
    if (seed % 100 === 0) progress(seed, failed.length);
  }
  const mutants = findMutants();
  const { user, system } = process.cpuUsage(start);
  return { seeds, runs, requests, repeated, failed, mutants, cpuSeconds: (user + system) / 1e6 };
}

/** Looks for every mutant: first at the crash points of some schedules, then in seeds. */
export function findMutants(): MutantResult[] {
  return MUTANTS.map((parts) => {
    const { name } = parts;
    const { violation } = exploreCrashPoints(parts, QUICK);
    if (violation !== undefined) return { name, caughtBy: "crash points", violation };
    const life = findInSeeds(parts, MUTANT_SEEDS);
    return { name, caughtBy: life && `seed ${life.seed}`, violation: life?.violation };
  });
}

/** The first of the seeds 1 to `seeds` that catches a broken variant. */
export function findInSeeds(parts: SimParts, seeds: number): LifeResult | undefined {
  for (let seed = 1; seed <= seeds; seed++) {
    const life = live(seed, parts, undefined, parts.planOf?.(seed));
    if (life.violation !== undefined) return life;
  }
  return undefined;
}
