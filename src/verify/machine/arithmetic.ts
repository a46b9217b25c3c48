import { KIND } from "../operations.ts";

/** The value of a 32-bit word after an Atomics call other than compareExchange. */
export function combine(kind: number, old: number, a: number): number {
  switch (kind) {
    case KIND.load:
      return old;
    case KIND.add:
      return (old + a) | 0;
    case KIND.sub:
      return (old - a) | 0;
    case KIND.and:
      return old & a;
    case KIND.or:
      return old | a;
    case KIND.xor:
      return old ^ a;
    default:
      return a;
  }
}
