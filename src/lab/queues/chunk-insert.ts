import type { Keys } from "../../frontier/queue/keys.ts";
import { moveWithin } from "./circular.ts";
import type { AccessWatch } from "./external-blocks.ts";

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
const counts = new Int32Array(MAX_CHUNKS);
const cursors = new Int32Array(MAX_CHUNKS);
let chunkOf = new Uint8Array(1024);

/** The columns of a Quickheap: `ends` and `pivots` as in PivotStack, positions circular. */
export interface Chunks {
  readonly priorities: Float64Array;
  readonly ids: Uint32Array;
  readonly head: number;
  readonly ends: Int32Array;
  readonly pivots: Float64Array;
  readonly depth: number;
  readonly watch?: AccessWatch | undefined;
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
function findChunks({ pivots, depth }: Chunks, keys: Keys): number {
  const { priorities, length } = keys;
  counts.fill(0, 0, depth);
  const looked = depth === 1 ? 0 : lookedAtLast(pivots[1]!, keys);
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

/**
 * How many keys were compared with the pivot of the last chunk: all of them if all belong behind it, as keys do that get
 * worse and worse or are equal. One comparison each tells that, where a search takes several.
 */
function lookedAtLast(pivot: number, { priorities, length }: Keys): number {
  let k = 0;
  while (k < length && priorities[k]! <= pivot) k++;
  return k;
}

/** Moves old keys aside and sets `cursors` to where each chunk's new keys go. */
function makeRoom({ priorities, ids, head, ends, depth, watch }: Chunks): void {
  let shift = 0;
  for (let chunk = 0; chunk < depth; chunk++) shift += counts[chunk]!;
  for (let chunk = 0; chunk < depth; chunk++) {
    shift -= counts[chunk]!;
    const start = chunk + 1 < depth ? ends[chunk + 1]! : head;
    const end = ends[chunk]!;
    const moved = Math.min(shift, end - start);
    if (moved > 0) moveWithin(priorities, ids, start, end + shift - moved, moved);
    watch?.touch(start, start + moved, "write");
    watch?.touch(end + shift - moved, end + shift + counts[chunk]!, "write");
    cursors[chunk] = end + shift;
    ends[chunk] = end + shift + counts[chunk]!;
  }
}
