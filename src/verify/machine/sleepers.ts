import type { Machine } from "./machine.ts";
import { LISTENS, QUEUED, RUNG } from "./state-layout.ts";

/** The place of a thread in the queue of a word, counted from 1; 0 when it does not sleep there. */
function placeOf(machine: Machine, t: number, cell: number): number {
  const at = machine.cellsOf(t);
  return machine.automata[t]!.cell[machine.mem[at]!] === cell ? machine.mem[at + QUEUED]! : 0;
}

/** How many threads sleep on a word. */
export function queueLength(machine: Machine, cell: number): number {
  let length = 0;
  for (let t = 0; t < machine.threads; t++) if (placeOf(machine, t, cell) > 0) length++;
  return length;
}

/** Who has slept longest on a word, or -1. */
export function firstInQueue(machine: Machine, cell: number): number {
  for (let t = 0; t < machine.threads; t++) if (placeOf(machine, t, cell) === 1) return t;
  return -1;
}

/** Takes a sleeper out of its queue; those behind it move up. */
export function leaveQueue(machine: Machine, t: number): void {
  const at = machine.cellsOf(t);
  const cell = machine.automata[t]!.cell[machine.mem[at]!]!;
  const place = machine.mem[at + QUEUED]!;
  machine.set(at + QUEUED, 0);
  for (let other = 0; other < machine.threads; other++) {
    const behind = placeOf(machine, other, cell);
    if (behind > place) machine.set(machine.cellsOf(other) + QUEUED, behind - 1);
  }
}

/** Begins an asynchronous wait; returns a sentence when there is one already. */
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
