import { readCashBlock } from "../cash/cash-block.ts";
import { CASH_COUNTERS } from "../cash/shard-cash.ts";
import { listJournals } from "../journal/journal-listing.ts";
import { readJournal } from "../journal/journal-reader.ts";
import type { OutboxBlock } from "../link/link-block.ts";
import { readDone } from "./done-list.ts";
import type { ShardState } from "./shard-state.ts";
import { openSnapshot, type SmallState } from "./snapshot.ts";
import { type SnapshotOptions, writeSnapshot } from "./write-snapshot.ts";

const silent = () => {};

/** Which shard of a damaged crawl. */
export interface SalvageOptions extends Omit<SnapshotOptions, "upTo"> {
  /** Of the blocks that are sent again; no other run has it. */
  readonly epoch: number;
  /** How far each target has received the blocks of this shard, by what is intact of its journal. */
  readonly reached: (target: number, epoch: number) => number;
}

/** Blocks that a target lacks and that are nowhere any more: a snapshot has replaced the segments that held them. */
export interface LostBlocks {
  readonly target: number;
  readonly epoch: number;
  readonly blocks: number;
}

/**
 * Puts a snapshot of everything intact in the place of a shard's damaged files, so that the crawl can go on. Numbers of
 * blocks begin anew, because nobody knows which were lost; so **every** shard of the crawl must be salvaged, and the
 * damaged ones last: until then the crawl refuses to go on. What a shard has not received is sent to it again, also what
 * it had confirmed: its journal may have lost that. Returns what is lost.
 */
export function salvageShard(options: SalvageOptions): LostBlocks[] {
  const { folder, shard, reached } = options;
  const old = openSnapshot(folder, shard, silent, undefined, options);
  const { segments, snapshots, lists } = listJournals(folder)(shard);
  const upTo = 1 + Math.max(0, ...segments, ...snapshots, ...lists);
  const tail = () =>
    readJournal({ folder, shard, upTo, salvage: silent, seeds: options, after: old?.end });
  // A snapshot that is there knows what ended before it.
  const ends = () => (old === undefined ? readDone(folder, shard, silent, upTo) : []);
  let lost: LostBlocks[] = [];
  const small = (state: ShardState, waitingCash: number | undefined) => {
    lost = lostBlocks(state, reached);
    return withNewBook(withNewNumbers(state, options), waitingCash);
  };
  writeSnapshot({ ...options, upTo }, { old, tail, salvage: { reached, ends, small } });
  return lost;
}

function lostBlocks(state: ShardState, reached: SalvageOptions["reached"]): LostBlocks[] {
  return [...state.sent].flatMap(([name, sent]) => {
    const [target, epoch] = name.split(" ").map(Number) as [number, number];
    const received = reached(target, epoch);
    const kept = (state.outbox.get(name) ?? []).filter(({ number }) => number > received);
    const blocks = sent - received - kept.length;
    return blocks > 0 ? [{ target, epoch, blocks }] : [];
  });
}

function withNewNumbers(state: ShardState, { epoch, reached }: SalvageOptions): SmallState {
  const sent = new Map<string, number>();
  const blocks: OutboxBlock[] = [];
  for (const block of state.unconfirmed()) {
    if (block.number <= reached(block.target, block.epoch)) continue;
    const name = `${block.target} ${epoch}`;
    const number = (sent.get(name) ?? 0) + 1;
    sent.set(name, number);
    blocks.push({ ...block, epoch, number });
  }
  const { outcomes, counters, hosts, archives, sites } = state;
  const received = new Map<string, number>();
  const unconfirmed = () => blocks;
  return { outcomes, counters, hosts, archives, sites, sent, received, unconfirmed };
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
