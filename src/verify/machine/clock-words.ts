import type { Machine } from "./machine.ts";
import { HELD } from "./state-layout.ts";

/** Readings of a clock word: its value is still the one read, or no longer. */
export const FRESH = 1;
export const STALE = 2;

/** Which reading of a clock word a thread holds: 0 none, 1 fresh, 2 stale. */
export function held(machine: Machine, t: number, clock: number): number {
  return (machine.mem[machine.cellsOf(t) + HELD]! >> (2 * clock)) & 3;
}

/** Changes which reading of a clock word a thread holds. */
export function hold(machine: Machine, t: number, clock: number, reading: number): void {
  const cell = machine.cellsOf(t) + HELD;
  machine.set(cell, (machine.mem[cell]! & ~(3 << (2 * clock))) | (reading << (2 * clock)));
}

/** The word has changed: every fresh reading of it is stale. */
export function makeStale(machine: Machine, clock: number): void {
  for (let t = 0; t < machine.threads; t++) {
    if (held(machine, t, clock) === FRESH) hold(machine, t, clock, STALE);
  }
}
