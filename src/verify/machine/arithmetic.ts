/**
 * What a word holds after an Atomics call, by the number of its kind: load, store, add, sub, and, or, xor, exchange,
 * compareExchange. `a` and `b` are the operands.
 */
export const RESULTS: readonly ((old: number, a: number, b: number) => number)[] = [
  (old) => old,
  (_old, a) => a,
  (old, a) => (old + a) | 0,
  (old, a) => (old - a) | 0,
  (old, a) => old & a,
  (old, a) => old | a,
  (old, a) => old ^ a,
  (_old, a) => a,
  (old, a, b) => (old === a ? b : old),
];

/** The same for 64-bit words. */
export const WIDE_RESULTS: readonly ((old: bigint, a: bigint, b: bigint) => bigint)[] = [
  (old) => old,
  (_old, a) => a,
  (old, a) => old + a,
  (old, a) => old - a,
  (old, a) => old & a,
  (old, a) => old | a,
  (old, a) => old ^ a,
  (_old, a) => a,
  (old, a, b) => (old === a ? b : old),
];
