import type { World } from "../machine/explored-world.ts";
import { Machine } from "../machine/machine.ts";
import { Symmetry } from "./symmetry.ts";

/** Must the thread go on because it is inside a critical section that counts as one step? */
export function inSection(machine: Machine, t: number): boolean {
  const words = machine.world.configuration.sectionWords;
  if (words === undefined || words.every((word) => machine.mem[word] === 0)) return false;
  return machine.fault === undefined && machine.enabled(t);
}

/** Turns the choices of a search with interchangeable threads and long steps into single steps of real threads. */
export function concreteChoices(world: World, choices: readonly number[]): number[] {
  if (!world.symmetric && world.configuration.sectionWords === undefined) return [...choices];
  const machine = new Machine(world, isEager(world));
  const symmetry = world.symmetric ? new Symmetry(machine) : undefined;
  machine.begin();
  symmetry?.normalise();
  const steps: number[] = [];
  for (const choice of choices) {
    const real = symmetry?.names[choice] ?? choice;
    do {
      machine.step(choice);
      steps.push(real);
    } while (inSection(machine, choice));
    symmetry?.normalise();
    machine.commit();
  }
  return steps;
}

/** Does payload run together with the step before it? */
export function isEager(world: World): boolean {
  return world.configuration.strategy !== "stateful" || world.configuration.eagerPayload === true;
}
