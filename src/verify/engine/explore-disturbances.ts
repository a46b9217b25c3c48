import {
  DisturbedCrawl,
  type EngineMutant,
  type Placed,
  TURNS,
  type Window,
} from "./disturbed-crawl.ts";

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

/** Runs a crawl with pairs of disturbances, of all that there are every so-many-th. */
export function explorePairs(every: number, mutant?: EngineMutant): DisturbanceResult {
  const variant = mutant ?? { name: "shipped" };
  const run = (placed: readonly Placed[]) => new DisturbedCrawl(variant).run(placed);
  let pairs = 0;
  let crawls = 0;
  for (const [step, choices] of run([]).choices.entries())
    for (let choice = 0; choice < choices; choice++) {
      const first = { step, choice };
      for (const [later, more] of run([first]).choices.entries()) {
        if (later <= step) continue;
        for (let second = 0; second < more; second++) {
          if (++pairs % every !== 0) continue;
          crawls++;
          const placed = [first, { step: later, choice: second }];
          const { violation, disturbances } = run(placed);
          if (violation !== undefined) return { crawls, violation, disturbances, placed };
        }
      }
    }
  return { crawls, violation: undefined, disturbances: [], placed: [] };
}

/** What is explored of the orders in which things happen. */
export interface WindowBounds {
  /** Rounds in a row of which every order is tried. */
  readonly width: number;
  /** Windows begin at every so-many-th step. */
  readonly stride: number;
  readonly mutant?: EngineMutant;
}

/**
 * Runs a crawl with every order of `width` rounds in a row, wherever they begin: which worker's round it is, and whether the
 * engine executes none, the first or all of the calls that it has made, so that calls of several rounds pile up and claims,
 * settlements and their repetitions overtake each other; and with each of these orders every single disturbance inside it.
 */
export function exploreWindows({ width, stride, mutant }: WindowBounds): DisturbanceResult {
  const variant = mutant ?? { name: "shipped" };
  const steps = new DisturbedCrawl(variant).run([]).choices.length;
  const orders = TURNS ** width;
  let crawls = 0;
  const tryOne = (placed: readonly Placed[], window: Window) => {
    crawls++;
    const { violation, choices, disturbances } = new DisturbedCrawl(variant).run(placed, window);
    const order = `rounds ${window.turns.join(" ")} from step ${window.from}`;
    const all = [order, ...disturbances];
    const found = violation === undefined ? undefined : { violation, disturbances: all, placed };
    return { found: found && { crawls, ...found }, choices };
  };
  for (let from = 0; from < steps; from += stride) {
    for (let order = 0; order < orders; order++) {
      const turns = Array.from({ length: width }, (_, i) => Math.floor(order / TURNS ** i) % TURNS);
      const window = { from, turns };
      const { found, choices } = tryOne([], window);
      if (found !== undefined) return found;
      for (let step = from; step < Math.min(from + width, choices.length); step++)
        for (let choice = 0; choice < choices[step]!; choice++) {
          const disturbed = tryOne([{ step, choice }], window);
          if (disturbed.found !== undefined) return disturbed.found;
        }
    }
  }
  return { crawls, violation: undefined, disturbances: [], placed: [] };
}
