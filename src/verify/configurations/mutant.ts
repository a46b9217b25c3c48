import type { Mutant } from "../configuration.ts";

/** A broken variant of one compiled module: each `find` occurs once and is replaced. */
export function mutant(
  name: string,
  module: string,
  ...changes: readonly (readonly [find: string, replace: string])[]
): Mutant {
  return { name, patches: changes.map(([find, replace]) => ({ module, find, replace })) };
}
