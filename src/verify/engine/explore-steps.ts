/** Something that may happen next. */
export interface Step {
  /** Who and what, as it is shown in a counterexample. */
  readonly name: string;
  run(): void | Promise<void>;
}

/** A small system whose every order of steps is explored. It is made anew for each path, so it may hold anything. */
export interface StepWorld {
  /** What may happen now, in an order that depends on the state alone. Nothing: the path has ended. */
  steps(): readonly Step[];
  /** Equal for states that behave equally from here on. */
  key(): string;
  /** What is wrong with this state; `isEnd` when nothing can happen any more. */
  violation(isEnd: boolean): string | undefined;
}

/** What an exploration covered, and the shortest way to a violation. */
export interface ExploreResult {
  readonly states: number;
  readonly steps: number;
  /** Longest path. */
  readonly depth: number;
  readonly violation: string | undefined;
  readonly path: readonly string[];
  /** Stopped by the limit of states: nothing is claimed. */
  readonly isCut: boolean;
}

/**
 * Goes breadth first through every order of steps. Code that keeps promises and closures cannot be copied, so a state is
 * reached by running its path again from the start; a state that was met before is not continued.
 */
export async function exploreSteps(
  newWorld: () => StepWorld | Promise<StepWorld>,
  maxStates = Number.POSITIVE_INFINITY,
): Promise<ExploreResult> {
  const met = new Set<string>();
  let paths: (readonly number[])[] = [[]];
  let steps = 0;
  for (let depth = 0; paths.length > 0; depth++) {
    const longer: (readonly number[])[] = [];
    for (const path of paths) {
      const { world, names } = await walk(newWorld, path);
      steps += path.length;
      const next = world.steps();
      const result = { states: met.size, steps, depth, path: names };
      const violation = world.violation(next.length === 0);
      if (violation !== undefined) return { ...result, violation, isCut: false };
      const key = world.key();
      if (met.has(key)) continue;
      met.add(key);
      if (met.size > maxStates) return { ...result, violation: undefined, path: [], isCut: true };
      for (const i of next.keys()) longer.push([...path, i]);
    }
    if (longer.length === 0)
      return { states: met.size, steps, depth, violation: undefined, path: [], isCut: false };
    paths = longer;
  }
  throw new Error("there is always the empty path");
}

async function walk(newWorld: () => StepWorld | Promise<StepWorld>, path: readonly number[]) {
  const world = await newWorld();
  const names: string[] = [];
  for (const choice of path) {
    const step = world.steps()[choice]!;
    names.push(step.name);
    await step.run();
  }
  return { world, names };
}
