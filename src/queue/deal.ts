import type { Keys } from "./keys.ts";
import { INBOX_KEYS, type PivotSlice } from "./pivot-slice.ts";

/**
 * Hands keys [from, …) to the slices like cards, the shortest slices first until all are level, and returns where it
 * stopped because an inbox was full. Levelling keeps every slice within its even share of the capacity.
 */
export function deal(keys: Keys, from: number, slices: readonly PivotSlice[]): number {
  const left = keys.length - from;
  const level = waterLevel(
    slices.map((slice) => slice.size),
    left,
  );
  const room = slices.map((slice) => Math.min(INBOX_KEYS, Math.max(0, level - slice.size)));
  const to = Math.min(keys.length, from + room.reduce((sum, free) => sum + free, 0));
  let next = 0;
  for (let k = from; k < to; k++) {
    while (room[next] === 0) next = next + 1 === room.length ? 0 : next + 1;
    slices[next]!.give(keys.priorities[k]!, keys.ids[k]!);
    room[next]!--;
    next = next + 1 === room.length ? 0 : next + 1;
  }
  return to;
}

/** The height to which `sizes` are filled by `amount`, rounded up. */
export function waterLevel(sizes: readonly number[], amount: number): number {
  const rising = sizes.toSorted((a, b) => a - b);
  let sum = amount;
  for (let i = 0; i < rising.length; i++) {
    sum += rising[i]!;
    const level = Math.ceil(sum / (i + 1));
    if (i + 1 === rising.length || level <= rising[i + 1]!) return level;
  }
  return 0;
}
