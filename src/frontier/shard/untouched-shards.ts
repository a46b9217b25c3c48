import { exchangeOf, type ShardExchange } from "../fold/exchange-check.ts";
import { listJournals } from "../journal/journal-listing.ts";
import { BEGUN, isNew } from "./open-shard.ts";

const NOTHING = { sent: new Map(), received: new Map(), outbox: new Map(), contradictions: [] };

/**
 * The shards that nothing was ever written of, each with what it has exchanged, which is nothing: others that know better
 * contradict it. So its owner has nothing to read.
 */
export function untouchedShards(
  folder: string,
  shards: number,
  begun: boolean,
): Map<number, ShardExchange> {
  const listed = listJournals(folder);
  const untouched = new Map<number, ShardExchange>();
  for (let shard = 0; shard < shards; shard++) {
    if (isNew(folder, shard, begun, listed(shard)))
      untouched.set(shard, exchangeOf(folder, shard, NOTHING, BEGUN));
  }
  return untouched;
}
