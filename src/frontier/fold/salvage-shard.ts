import { readCashBlock } from "../cash/cash-block.ts";
import { CASH_COUNTERS } from "../cash/shard-cash.ts";
import { listJournals } from "../journal/journal-listing.ts";
import { readJournal } from "../journal/journal-reader.ts";
import type { OutboxBlock } from "../link/link-block.ts";
import { readDone } from "./done-list.ts";
import type { ShardState } from "./shard-state.ts";
import { openSnapshot, type SmallState } from "./snapshot.ts";
import { type SnapshotOptions, writeSnapshot } from "./write-snapshot.ts";

/** No run has this number; they begin with 1. */
const SALVAGED_EPOCH = 0;
const silent = () => {};

/** Which shard of a damaged crawl. */
export type SalvageOptions = Omit<SnapshotOptions, "upTo">;

/**
 * Puts a snapshot of everything intact in the place of a shard's damaged files, so that the crawl can go on. Numbers of
 * blocks begin anew, because nobody knows which were lost; so **every** shard of the crawl must be salvaged, and the
 * damaged ones last: until then the crawl refuses to go on. What a shard has not confirmed is sent to it again.
 */
export function salvageShard(options: SalvageOptions): void {
  const { folder, shard } = options;
  const old = openSnapshot(folder, shard, silent);
  const { segments, snapshots, lists } = listJournals(folder)(shard);
  const upTo = 1 + Math.max(0, ...segments, ...snapshots, ...lists);
  const tail = () => readJournal({ folder, shard, upTo, salvage: silent, after: old?.end });
  // A snapshot that is there knows what ended before it.
  const ends = () => (old === undefined ? readDone(folder, shard, silent, upTo) : []);
  const small = (state: ShardState, waitingCash: number | undefined) =>
    withNewBook(withNewNumbers(state), waitingCash);
  writeSnapshot({ ...options, upTo }, { old, tail, salvage: { ends, small } });
}

function withNewNumbers(state: ShardState): SmallState {
  const sent = new Map<string, number>();
  const blocks: OutboxBlock[] = [];
  for (const block of state.unconfirmed()) {
    const name = `${block.target} ${SALVAGED_EPOCH}`;
    const number = (sent.get(name) ?? 0) + 1;
    sent.set(name, number);
    blocks.push({ ...block, epoch: SALVAGED_EPOCH, number });
  }
  const { outcomes, counters, hosts, archives } = state;
  const received = new Map<string, number>();
  return { outcomes, counters, hosts, archives, sent, received, unconfirmed: () => blocks };
}

/**
 * The book of a shard that orders by cash begins anew with what is there: what pages that wait have got, what the virtual
 * page has as far as that is known, and the blocks that are sent again, all of it minted here. So it adds up, in this
 * shard and over all of them; cash that was lost is gone, and of a block that had arrived there is twice as much.
 */
function withNewBook(small: SmallState, waitingCash: number | undefined): SmallState {
  if (waitingCash === undefined) return small;
  const { minted, sent, received } = CASH_COUNTERS;
  const counters = Float64Array.from(small.counters);
  const left = counters[minted]! + counters[received]! - counters[sent]! - waitingCash;
  let inBlocks = 0;
  for (const { bytes } of small.unconfirmed()) inBlocks += readCashBlock(Buffer.from(bytes)).total;
  counters[minted] = waitingCash + inBlocks + Math.max(0, left);
  counters[sent] = inBlocks;
  counters[received] = 0;
  return { ...small, counters };
}
