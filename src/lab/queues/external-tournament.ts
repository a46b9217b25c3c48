import { BlockCache } from "./external-blocks.ts";
import { Tournament } from "./tournament.ts";

/** A tournament and the block cache its chunks would go through. */
export interface ExternalTournament {
  readonly queue: Tournament;
  readonly cache: BlockCache;
}

/**
 * For the experiment of figure 9: a tournament whose chunks of `chunkKeys` keys lie in contiguous disk blocks behind an
 * LRU cache of `cacheBlocks` blocks (section 3.1 of the paper). The tree itself, one number per chunk, stays in RAM.
 */
export function externalTournament(
  chunkKeys: number,
  blockKeys: number,
  cacheBlocks: number,
): ExternalTournament {
  // Items are numbered densely and their space is reused, so the memory is as long as the most chunks there ever were.
  const cache = new BlockCache(Number.MAX_SAFE_INTEGER, blockKeys, cacheBlocks);
  return { queue: new Tournament(chunkKeys, undefined, { watch: cache, blockKeys }), cache };
}
