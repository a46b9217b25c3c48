import { DisturbedCrawl, type EngineMutant, type Placed } from "./disturbed-crawl.ts";

/** What was explored, and the first promise that was broken. */
export interface DisturbanceResult {
  readonly crawls: number;
  readonly violation: string | undefined;
  /** What happened before it. */
  readonly disturbances: readonly string[];
  /** How to see it again. */
  readonly placed: readonly Placed[];
}

/** Runs a crawl with every placement of at most `depth` disturbances: each kind, before every step. */
export function exploreDisturbances(
  depth: number,
  mutant: EngineMutant = { name: "shipped" },
  maxCrawls = Number.POSITIVE_INFINITY,
): DisturbanceResult {
  let crawls = 0;
  const explore = (placed: readonly Placed[]): DisturbanceResult | undefined => {
    if (crawls >= maxCrawls) return undefined;
    crawls++;
    const { violation, choices, disturbances } = new DisturbedCrawl(mutant).run(placed);
    if (violation !== undefined) return { crawls, violation, disturbances, placed };
    if (placed.length === depth) return undefined;
    for (let step = (placed.at(-1)?.step ?? -1) + 1; step < choices.length; step++) {
      for (let choice = 0; choice < choices[step]!; choice++) {
        const found = explore([...placed, { step, choice }]);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
  return explore([]) ?? { crawls, violation: undefined, disturbances: [], placed: [] };
}
