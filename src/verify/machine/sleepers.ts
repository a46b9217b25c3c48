import type { Machine } from "./machine.ts";
import { LISTENS, QUEUED, RUNG } from "./state-layout.ts";

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

/** Who has slept longest on a word, or -1. */
export function firstInQueue(machine: Machine, cell: number): number {
  for (let t = 0; t < machine.threads; t++) {
    const at = machine.cellsOf(t);
    if (machine.mem[at + QUEUED] === 1 && machine.automata[t]!.cell[machine.mem[at]!] === cell)
      return t;
  }
  return -1;
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

/** Begins an asynchronous wait; a sentence when there is one already. */
export function listenTo(machine: Machine, t: number, cell: number): string | undefined {
  const at = machine.cellsOf(t) + LISTENS;
  const before = machine.mem[at];
  machine.set(at, cell + 1);
  return before === 0 ? undefined : "a second asynchronous wait at a time";
}

/** Ends asynchronous waits. Their order among sleepers of the same word is not modelled: nothing mixes them. */
export function ringListeners(machine: Machine, by: number, cell: number, count: number): void {
  for (let t = 0, left = count; t < machine.threads && left > 0; t++) {
    const at = machine.cellsOf(t) + LISTENS;
    if (machine.mem[at] !== cell + 1) continue;
    left--;
    machine.set(at, RUNG);
    machine.woken[machine.wokenCount++] = t;
    machine.races?.handOver(by, t);
  }
}
