import type { Machine } from "../machine/machine.ts";
import { raceSentence } from "../machine/race-clocks.ts";
import { isPlain, KIND } from "../operations.ts";

/** Two threads whose next accesses touch the same payload, one of them writing: nothing orders them. */
export function raceBetweenNext(machine: Machine): string | undefined {
  for (let t = 0; t < machine.threads; t++) {
    if (!isPlain(machine.kindOf(t)) || machine.ended(t)) continue;
    for (let u = 0; u < t; u++) {
      if (!isPlain(machine.kindOf(u)) || machine.ended(u)) continue;
      const one = machine.automata[t]!.operations[machine.mem[machine.cellsOf(t)]!]!;
      const two = machine.automata[u]!.operations[machine.mem[machine.cellsOf(u)]!]!;
      if (one.kind === KIND.read && two.kind === KIND.read) continue;
      const overlap = Math.max(one.byte, two.byte);
      if (overlap >= Math.min(one.byte + one.bytes, two.byte + two.bytes)) continue;
      const did = two.kind === KIND.read ? "read" : "write";
      return raceSentence(overlap, u, did, t, one.kind === KIND.read ? "read" : "write");
    }
  }
  return undefined;
}
