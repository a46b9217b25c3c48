import { Keys } from "../../frontier/queue/keys.ts";

const SHORT_RUN = 32; // below this a loop beats the call of copyWithin

/** Appends the keys at positions [from, to) of circular columns to `into`: two block copies at most. */
export function copyOut(
  priorities: Float64Array,
  ids: Uint32Array,
  from: number,
  to: number,
  into: Keys,
): void {
  const capacity = priorities.length;
  const start = from < capacity ? from : from - capacity;
  const first = Math.min(to - from, capacity - start);
  const rest = to - from - first;
  const at = into.extend(to - from);
  into.priorities.set(priorities.subarray(start, start + first), at);
  into.ids.set(ids.subarray(start, start + first), at);
  if (rest === 0) return;
  into.priorities.set(priorities.subarray(0, rest), at + first);
  into.ids.set(ids.subarray(0, rest), at + first);
}

/** Copies circular columns to larger ones, where they start at 0. */
export function relocate(
  priorities: Float64Array,
  ids: Uint32Array,
  head: number,
  size: number,
  capacity: number,
): Keys {
  const moved = new Keys(capacity);
  copyOut(priorities, ids, head, head + size, moved);
  return moved;
}

/** Copies `count` keys between positions of circular columns that do not overlap. */
export function moveWithin(
  priorities: Float64Array,
  ids: Uint32Array,
  from: number,
  to: number,
  count: number,
): void {
  const capacity = priorities.length;
  let source = from % capacity;
  let target = to % capacity;
  let left = count;
  while (left > 0) {
    const run = Math.min(left, capacity - source, capacity - target);
    if (run < SHORT_RUN) {
      for (let i = 0; i < run; i++) {
        priorities[target + i] = priorities[source + i]!;
        ids[target + i] = ids[source + i]!;
      }
    } else {
      priorities.copyWithin(target, source, source + run);
      ids.copyWithin(target, source, source + run);
    }
    left -= run;
    source = source + run === capacity ? 0 : source + run;
    target = target + run === capacity ? 0 : target + run;
  }
}
