import type { Machine } from "./machine.ts";
import { QUEUED } from "./state-layout.ts";

/** How many threads sleep on a word. */
export function queueLength(machine: Machine, cell: number): number {
  let length = 0;
  for (let t = 0; t < machine.threads; t++) {
    const at = machine.cellsOf(t);
    if (machine.mem[at + QUEUED]! > 0 && machine.automata[t]!.cell[machine.mem[at]!] === cell)
      length++;
  }
  return length;
}

/** Takes a sleeper out of its queue; those behind it move up. */
export function leaveQueue(machine: Machine, t: number): void {
  const at = machine.cellsOf(t);
  const cell = machine.automata[t]!.cell[machine.mem[at]!]!;
  const place = machine.mem[at + QUEUED]!;
  machine.set(at + QUEUED, 0);
  for (let other = 0; other < machine.threads; other++) {
    const o = machine.cellsOf(other);
    if (machine.mem[o + QUEUED]! <= place) continue;
    if (machine.automata[other]!.cell[machine.mem[o]!] !== cell) continue;
    machine.set(o + QUEUED, machine.mem[o + QUEUED]! - 1);
  }
}
