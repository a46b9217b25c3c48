import { UsageError } from "../errors.ts";
import type { Configuration } from "./configuration.ts";
import { configurations as answers } from "./configurations/answer-checks.ts";
import { configurations as budgets } from "./configurations/budget-checks.ts";
import { configurations as calling } from "./configurations/calling-checks.ts";
import { configurations as crossing } from "./configurations/crossing-checks.ts";
import { configurations as deaths } from "./configurations/death-checks.ts";
import { configurations as eventLoops } from "./configurations/event-loop-checks.ts";
import { configurations as handOff } from "./configurations/hand-off-checks.ts";
import { configurations as monitor } from "./configurations/monitor-checks.ts";
import { configurations as mutex } from "./configurations/mutex-checks.ts";
import { configurations as ownLocks } from "./configurations/own-lock-checks.ts";
import { configurations as owners } from "./configurations/owner-checks.ts";
import { configurations as phases } from "./configurations/phase-checks.ts";
import { configurations as ring } from "./configurations/ring-checks.ts";
import { configurations as semaphore } from "./configurations/semaphore-checks.ts";
import { configurations as sleeping } from "./configurations/sleeping-checks.ts";
import { configurations as techniques } from "./configurations/technique-checks.ts";
import { configurations as tree } from "./configurations/tree-checks.ts";
import { configurations as visited } from "./configurations/visited-checks.ts";
import { configurations as waiting } from "./configurations/waiting-checks.ts";

/** A configuration and the compiled module it comes from. */
export interface Entry {
  readonly module: string;
  readonly configuration: Configuration;
}

/** Every configuration, by the file that holds it. A new file is added here and nowhere else. */
export const catalogue: readonly Entry[] = [
  ...entries("ring", ring),
  ...entries("mutex", mutex),
  ...entries("semaphore", semaphore),
  ...entries("monitor", monitor),
  ...entries("sleeping", sleeping),
  ...entries("event-loop", eventLoops),
  ...entries("calling", calling),
  ...entries("crossing", crossing),
  ...entries("owner", owners),
  ...entries("hand-off", handOff),
  ...entries("tree", tree),
  ...entries("waiting", waiting),
  ...entries("technique", techniques),
  ...entries("death", deaths),
  ...entries("visited", visited),
  ...entries("phase", phases),
  ...entries("budget", budgets),
  ...entries("own-lock", ownLocks),
  ...entries("answer", answers),
];

/** The configuration with that name. */
export function findEntry(name: string): Entry {
  const found = catalogue.find((entry) => entry.configuration.name === name);
  if (!found) throw new UsageError(`no configuration is called ${name}`);
  return found;
}

function entries(subject: string, configurations: readonly object[]): Entry[] {
  return configurations.map((configuration) => ({
    module: `verify/configurations/${subject}-checks.js`,
    // Each configuration only ever sees the subject that its own attach made.
    configuration: configuration as Configuration,
  }));
}
