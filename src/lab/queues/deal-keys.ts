import type { Keys } from "../../frontier/queue/keys.ts";
import { INBOX_KEYS, type PivotSlice } from "./pivot-slice.ts";

const EVEN_ENOUGH = 0.02;

/**
 * Hands keys [from, …) to the slices like cards, so that sorted input is no worse than random, and returns where it
 * stopped because an inbox was full. Even hands share the work of inserting best. Once extractions have made the slices
 * uneven by more than a fiftieth, or one of them could overflow, the shortest are filled up first until all are level;
 * a level is never above the even share of the capacity.
 */
export function deal(
  keys: Keys,
  from: number,
  slices: readonly PivotSlice[],
  keysPerSlice: number,
): number {
  const left = keys.length - from;
  const sizes = slices.map((slice) => slice.size);
  const share = Math.ceil(left / sizes.length);
  const longest = Math.max(...sizes);
  const even =
    longest + share <= keysPerSlice && longest - Math.min(...sizes) <= EVEN_ENOUGH * longest;
  const level = even ? 0 : waterLevel(sizes, left);
  const room = sizes.map((size) => Math.min(INBOX_KEYS, even ? share : Math.max(0, level - size)));
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
