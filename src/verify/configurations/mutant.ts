import type { Mutant } from "../configuration.ts";

/** A broken variant of one compiled module: each text is there once and is replaced by the other. */
export function mutant(
  name: string,
  module: string,
  ...changes: readonly (readonly [find: string, replace: string])[]
): Mutant {
  return { name, patches: changes.map(([find, replace]) => ({ module, find, replace })) };
}
