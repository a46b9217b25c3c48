import { readCashBlock } from "../../frontier/cash/cash-block.ts";
import { ShardCash } from "../../frontier/cash/shard-cash.ts";
import { ShardState } from "../../frontier/fold/shard-state.ts";
import { SeenSet } from "../../frontier/seen/seen-set.ts";
import { SEED_HIGH, SEED_LOW, Violation } from "./oracle.ts";
import type { SimDisk } from "./sim-disk.ts";

/** What a crawl has minted, and how much of it has moved between shards. */
export interface CashAudit {
  readonly minted: number;
  readonly sent: number;
}

/** Folds all journals and looks for every coin: with pages, with virtual pages, in blocks that have not arrived. */
export function auditCash(disk: SimDisk): CashAudit {
  const states = disk.journals.map((_, shard) => foldCash(disk, shard));
  let minted = 0;
  let sent = 0;
  let found = 0;
  for (const [shard, { cash, outbox }] of states.entries()) {
    const { book } = cash!;
    minted += book.minted;
    sent += book.sent;
    found += book.held + book.virtual;
    for (const { target, epoch, number, bytes } of [...outbox.values()].flat()) {
      const reached = states[target]!.received.get(`${shard} ${epoch}`) ?? 0;
      if (number > reached) found += readCashBlock(Buffer.from(bytes)).total;
    }
  }
  if (found !== minted) throw new Violation(`${minted} was minted, ${found} is there`);
  return { minted, sent };
}

function foldCash(disk: SimDisk, shard: number): ShardState {
  const cash = new ShardCash();
  const finished = new SeenSet();
  const state = new ShardState(SEED_LOW, SEED_HIGH, finished, cash);
  for (const batch of disk.batches(shard)) {
    state.apply(batch);
    cash.book.settle();
  }
  return state;
}
