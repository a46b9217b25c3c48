import type { KeyColumns, Keys } from "../../frontier/queue/keys.ts";
import type { AccessWatch } from "./block-cache.ts";

/*
 * Inserting key by key, as figure 4 of the paper does, opens a hole at the tail and moves it forward by one key per
 * chunk. A batch does the same for all its keys at once: every key finds its chunk by binary search among the pivots,
 * then every chunk, the last first, steps aside by as many places as keys go to the chunks before it, by moving no more
 * keys than that from its front to its end:
 *
 *   before   | chunk 2 | chunk 1     | chunk 0          |
 *   after    | chunk 2 n |       chunk 1 n n |       chunk 0 n |        n: new keys
 */

const MAX_CHUNKS = 256;
const SHORT_RUN = 32; // below this a loop beats the call of copyWithin
const counts = new Int32Array(MAX_CHUNKS);
const cursors = new Int32Array(MAX_CHUNKS);
let chunkOf = new Uint8Array(1024);

/** The columns of a Quickheap: `ends` and `pivots` as in PivotStack, positions circular. */
export interface Chunks extends KeyColumns {
  readonly head: number;
  readonly ends: Int32Array;
  readonly pivots: Float64Array;
  readonly depth: number;
  readonly watch?: AccessWatch | undefined;
}

/** Appends the keys at positions [from, to) of circular columns to `into`: two block copies at most. */
export function copyOut(columns: KeyColumns, from: number, to: number, into: Keys): void {
  const capacity = columns.priorities.length;
  const start = from < capacity ? from : from - capacity;
  const first = Math.min(to - from, capacity - start);
  into.append(columns, start, first);
  into.append(columns, 0, to - from - first);
}

/** Puts the batch into its chunks, for which there must be room, and returns the comparisons made. */
export function insertIntoChunks(chunks: Chunks, keys: Keys): number {
  if (chunkOf.length < keys.length) chunkOf = new Uint8Array(keys.length * 2);
  const compared = findChunks(chunks, keys);
  makeRoom(chunks);
  const { priorities, ids } = chunks;
  const capacity = priorities.length;
  for (let k = 0; k < keys.length; k++) {
    const position = cursors[chunkOf[k]!]!++;
    const at = position < capacity ? position : position - capacity;
    priorities[at] = keys.priorities[k]!;
    ids[at] = keys.ids[k]!;
  }
  return compared;
}

/** A key's chunk is the number of pivots below it: pivots rise with their index. No branch depends on a key. */
function findChunks({ pivots, depth }: Chunks, { priorities, length }: Keys): number {
  counts.fill(0, 0, depth);
  // Keys that get worse and worse, or are equal, all belong behind the last pivot. One comparison each shows that, where
  // a search takes several.
  let looked = 0;
  if (depth > 1) while (looked < length && priorities[looked]! <= pivots[1]!) looked++;
  if (depth === 1 || looked === length) {
    chunkOf.fill(0, 0, length);
    counts[0] = length;
    return looked;
  }
  for (let k = 0; k < length; k++) {
    const priority = priorities[k]!;
    let chunk = 0;
    for (let left = depth - 1; left > 0; left >>= 1) {
      const half = (left + 1) >> 1;
      chunk += half & -((pivots[chunk + half]! < priority) as unknown as number);
    }
    chunkOf[k] = chunk;
    counts[chunk]!++;
  }
  return looked + 1 + length * (32 - Math.clz32(depth - 1));
}

/** Moves old keys aside and sets `cursors` to where each chunk's new keys go. */
function makeRoom(chunks: Chunks): void {
  const { head, ends, depth, watch } = chunks;
  let shift = 0;
  for (let chunk = 0; chunk < depth; chunk++) shift += counts[chunk]!;
  for (let chunk = 0; chunk < depth; chunk++) {
    shift -= counts[chunk]!;
    const start = chunk + 1 < depth ? ends[chunk + 1]! : head;
    const end = ends[chunk]!;
    const moved = Math.min(shift, end - start);
    if (moved > 0) moveWithin(chunks, start, end + shift - moved, moved);
    watch?.touch(start, start + moved, "write");
    watch?.touch(end + shift - moved, end + shift + counts[chunk]!, "write");
    cursors[chunk] = end + shift;
    ends[chunk] = end + shift + counts[chunk]!;
  }
}

/** Copies `count` keys between positions of circular columns that do not overlap. */
function moveWithin(
  { priorities, ids }: KeyColumns,
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
