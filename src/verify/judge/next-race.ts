import type { Machine } from "../machine/machine.ts";
import { raceSentence } from "../machine/race-clocks.ts";
import { conflict, isPlain, KIND } from "../operations.ts";

/** Two threads whose next accesses touch the same payload, one of them writing: nothing orders them. */
export function raceBetweenNext(machine: Machine): string | undefined {
  for (let t = 0; t < machine.threads; t++) {
    if (!isPlain(machine.kindOf(t)) || machine.ended(t)) continue;
    const one = machine.operationOf(t);
    for (let u = 0; u < t; u++) {
      const two = machine.operationOf(u);
      if (machine.ended(u) || !conflict(one, two)) continue;
      const did = two.kind === KIND.read ? "read" : "write";
      const does = one.kind === KIND.read ? "read" : "write";
      return raceSentence(Math.max(one.byte, two.byte), u, did, t, does);
    }
  }
  return undefined;
}
