import { BlockCache, leastRecent, type Victim } from "./external-blocks.ts";
import { Quickheap } from "./quickheap.ts";

/** Which blocks of a Quickheap stay in RAM: the paper's choice (section 3.2), or whatever was used last. */
export type QuickheapCaching = "paper" | "lru";

/** A Quickheap and the block cache its memory would go through. */
export interface ExternalQuickheap {
  readonly queue: Quickheap;
  readonly cache: BlockCache;
}

/**
 * For the experiment of figure 9: a Quickheap of at most `capacity` keys of which `cacheBlocks` blocks are in RAM.
 * The paper keeps the pivot stack and `idx`, the block of each pivot, and the longest possible prefix of the keys; so
 * what leaves is the block farthest from the head that holds no pivot.
 */
export function externalQuickheap(
  capacity: number,
  blockKeys: number,
  cacheBlocks: number,
  caching: QuickheapCaching,
): ExternalQuickheap {
  const keys = Math.ceil(capacity / blockKeys) * blockKeys; // whole blocks, so that the circle closes between two
  const farthest: Victim = (cached) => {
    const pinned = new Set<number>();
    queue.boundaries((position) => {
      pinned.add(cache.blockOf(position));
    });
    const head = cache.blockOf(queue.headPosition);
    const blocks = keys / blockKeys;
    let victim = -1;
    let most = -1;
    for (const block of cached) {
      const distance = block < head ? block + blocks - head : block - head;
      if (distance <= most || pinned.has(block)) continue;
      most = distance;
      victim = block;
    }
    return victim >= 0 ? victim : head; // more pivots than blocks: something has to go
  };
  const victim = caching === "paper" ? farthest : leastRecent;
  const cache = new BlockCache(keys, blockKeys, cacheBlocks, victim);
  const queue = new Quickheap(keys, undefined, cache);
  return { queue, cache };
}
