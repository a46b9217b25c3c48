import { BlockCache, leastRecent, type Victim } from "./block-cache.ts";
import { Quickheap } from "./quickheap.ts";
import { Tournament } from "./tournament.ts";

/** A queue and the block cache its memory would go through, for the experiment of figure 9. */
export interface ExternalQueue<Q> {
  readonly queue: Q;
  readonly cache: BlockCache;
}

/**
 * A Quickheap of at most `capacity` keys of which `cacheBlocks` blocks are in RAM: the paper's choice (section 3.2), or
 * the least recently used. The paper keeps the pivot stack and `idx`, the block of each pivot, and the longest possible
 * prefix of the keys; so what leaves is the block farthest from the head that holds no pivot.
 */
export function externalQuickheap(
  capacity: number,
  blockKeys: number,
  cacheBlocks: number,
  caching: "paper" | "lru",
): ExternalQueue<Quickheap> {
  const blocks = Math.ceil(capacity / blockKeys); // whole blocks, so that the circle closes between two
  const farthest: Victim = (cached) => {
    const pinned = new Set(queue.boundaries().map((position) => cache.blockOf(position)));
    const head = cache.blockOf(queue.headPosition);
    let victim = head; // more pivots than blocks: something has to go
    let most = -1;
    for (const block of cached) {
      const distance = (block + blocks - head) % blocks;
      if (distance <= most || pinned.has(block)) continue;
      most = distance;
      victim = block;
    }
    return victim;
  };
  const victim = caching === "paper" ? farthest : leastRecent;
  const cache = new BlockCache(blocks * blockKeys, blockKeys, cacheBlocks, victim);
  const queue = new Quickheap(blocks * blockKeys, undefined, cache);
  return { queue, cache };
}

/**
 * A tournament whose chunks of `chunkKeys` keys lie in contiguous disk blocks behind an LRU cache of `cacheBlocks` blocks
 * (section 3.1 of the paper). The tree itself, one number per chunk, stays in RAM.
 */
export function externalTournament(
  chunkKeys: number,
  blockKeys: number,
  cacheBlocks: number,
): ExternalQueue<Tournament> {
  // Items are numbered densely and their space is reused, so the memory is no longer than the chunks there ever were.
  const cache = new BlockCache(Number.MAX_SAFE_INTEGER, blockKeys, cacheBlocks);
  return { queue: new Tournament(chunkKeys, undefined, { watch: cache, blockKeys }), cache };
}
