import { UsageError } from "../errors.ts";
import type { Configuration } from "./configuration.ts";
import { configurations as crossing } from "./configurations/crossing.ts";
import { configurations as deaths } from "./configurations/deaths.ts";
import { configurations as eventLoops } from "./configurations/event-loops.ts";
import { configurations as handOff } from "./configurations/hand-off.ts";
import { configurations as monitor } from "./configurations/monitor.ts";
import { configurations as mutex } from "./configurations/mutex.ts";
import { configurations as owners } from "./configurations/owners.ts";
import { configurations as phases } from "./configurations/phases.ts";
import { configurations as ring } from "./configurations/ring.ts";
import { configurations as semaphore } from "./configurations/semaphore.ts";
import { configurations as sleeping } from "./configurations/sleeping.ts";
import { configurations as techniques } from "./configurations/techniques.ts";
import { configurations as tree } from "./configurations/tree.ts";
import { configurations as visited } from "./configurations/visited.ts";
import { configurations as waiting } from "./configurations/waiting.ts";

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
  ...entries("event-loops", eventLoops),
  ...entries("crossing", crossing),
  ...entries("owners", owners),
  ...entries("hand-off", handOff),
  ...entries("tree", tree),
  ...entries("waiting", waiting),
  ...entries("techniques", techniques),
  ...entries("deaths", deaths),
  ...entries("visited", visited),
  ...entries("phases", phases),
];

/** The configuration with that name. */
export function findEntry(name: string): Entry {
  const found = catalogue.find((entry) => entry.configuration.name === name);
  if (!found) throw new UsageError(`no configuration is called ${name}`);
  return found;
}

function entries(file: string, configurations: readonly object[]): Entry[] {
  return configurations.map((configuration) => ({
    module: `verify/configurations/${file}.js`,
    // Each configuration only ever sees the subject that its own attach made.
    configuration: configuration as Configuration,
  }));
}
