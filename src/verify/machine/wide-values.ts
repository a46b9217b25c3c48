import { KIND, type Operation } from "../operations.ts";
import { WIDE_RESULTS } from "./arithmetic.ts";
import type { Machine } from "./machine.ts";

const LOW_BITS = 32n;

/** Executes an Atomics call on a 64-bit word and returns the number of its result. */
export function applyWide(machine: Machine, operation: Operation): number {
  const cell = operation.byte >> 2;
  const low = BigInt(machine.mem[cell]! >>> 0);
  const old = BigInt.asIntN(64, (BigInt(machine.mem[cell + 1]!) << LOW_BITS) | low);
  const next = WIDE_RESULTS[operation.kind]!(old, operation.wideA!, operation.wideB!);
  if (next !== old) {
    machine.set(cell, Number(BigInt.asIntN(32, next)));
    machine.set(cell + 1, Number(BigInt.asIntN(32, next >> LOW_BITS)));
  }
  return machine.world.values.wideKey(operation.kind === KIND.store ? next : old);
}
