import type { Configuration } from "../configuration.ts";

/** How a search leaves out orders of steps, in words: its claim is worth no more than these reductions. */
export function reductionsOf(configuration: Configuration): string[] {
  const used: [boolean, string][] = [
    [configuration.strategy === "dpor", "orders of independent steps once (source and sleep sets)"],
    [configuration.sectionWords !== undefined, "critical sections as one step"],
    [configuration.roles !== undefined, "interchangeable threads"],
    [configuration.clockWords !== undefined, "signal counters as fresh or stale"],
    [configuration.eagerPayload === true, "payload not checked for races"],
    [
      configuration.privateSteps === true,
      "steps that no other thread can see or hinder are not interleaved",
    ],
  ];
  return used.filter(([is]) => is).map(([, words]) => words);
}
