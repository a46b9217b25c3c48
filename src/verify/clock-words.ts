import type { Machine } from "./machine.ts";
import { HELD } from "./state-layout.ts";

/** Which reading of a clock word a thread holds: 0 none, 1 fresh, 2 stale. */
export function held(machine: Machine, t: number, clock: number): number {
  return (machine.mem[machine.cellsOf(t) + HELD]! >> (2 * clock)) & 3;
}

/** Changes which reading of a clock word a thread holds. */
export function hold(machine: Machine, t: number, clock: number, reading: number): void {
  const cell = machine.cellsOf(t) + HELD;
  machine.set(cell, (machine.mem[cell]! & ~(3 << (2 * clock))) | (reading << (2 * clock)));
}
