import { ShardCash } from "../../frontier/cash/shard-cash.ts";
import { exchangeOf, type ShardExchange } from "../../frontier/fold/exchange-check.ts";
import { enqueueWaiting, waitingTest } from "../../frontier/fold/recover-shard.ts";
import { BYTES_COUNTER } from "../../frontier/fold/shard-state.ts";
import { OUTCOME } from "../../frontier/frontier.ts";
import type { HostSettings } from "../../frontier/host-settings.ts";
import { CashBoard } from "../../frontier/opic/cash-board.ts";
import { ExchangeSize } from "../../frontier/opic/exchange-size.ts";
import { OpicQueue } from "../../frontier/opic/opic-queue.ts";
import { ThreadOrder } from "../../frontier/opic/thread-order.ts";
import { ChainQueue } from "../../frontier/queue/chain-queue.ts";
import { QueueLog } from "../../frontier/queue/queue-log.ts";
import { BulkAdd } from "../../frontier/seen/bulk-add.ts";
import { SeenSet } from "../../frontier/seen/seen-set.ts";
import { Shard } from "../../frontier/shard/shard.ts";
import { SiteShares } from "../../frontier/site-shares.ts";
import { SEED_HIGH, SEED_LOW, Violation } from "./oracle.ts";
import type { World } from "./simulated-crawl.ts";

/** Few pages: an exchange after every second visit. */
const EXCHANGE_SIZE = 2;
const QUEUE_BYTES = 1 << 22;

/** Folds the journals of a thread's shards, as `recoverShard` does with files. */
export function openOwned(
  { disk, parts, plan, memory, wall }: Pick<World, "disk" | "parts" | "plan" | "memory" | "wall">,
  thread: number,
  startMs: number,
  settings?: HostSettings,
): {
  owned: Shard[];
  pages: number;
  order: ThreadOrder | undefined;
  shares: SiteShares;
  exchanges: ShardExchange[];
} {
  const { delayMs } = plan;
  const seeds = { seedLow: SEED_LOW, seedHigh: SEED_HIGH };
  const wallAheadMs = () => wall.aheadMs;
  const shares = new SiteShares(plan.links);
  const rules = {
    delayMs,
    perHost: 1,
    order: plan.order,
    startMs,
    wallAheadMs,
    shares,
    settings,
    ...seeds,
  };
  const noFile = () => {
    throw new Violation("so few URLs need no file");
  };
  const log = new QueueLog(noFile, QUEUE_BYTES);
  // Nothing is lent over a network with faults, so nobody looks at what others have there.
  const seat =
    plan.network === "rings" ? { board: new CashBoard(memory.cashBoard, thread), places: 1 } : {};
  const exchange = new ExchangeSize(EXCHANGE_SIZE);
  const order = plan.order === "opic" ? new ThreadOrder({ ...seat, exchange }) : undefined;
  const owned: Shard[] = [];
  const exchanges: ShardExchange[] = [];
  let pages = 0;
  for (let number = thread; number < plan.shards; number += memory.threads) {
    const finished = new SeenSet();
    const state = new parts.State(SEED_LOW, SEED_HIGH, finished, order && new ShardCash());
    if (order === undefined) state.gathered = new BulkAdd();
    for (const batch of disk.batches(number)) state.apply(batch);
    // As `openShard` does.
    if (parts.syncsFound) disk.synced[number] = disk.journals[number]!.length;
    state.settle();
    state.gathered = undefined;
    if (state.contradictions.length > 0) {
      throw new Violation(`shard ${number}: ${JSON.stringify(state.contradictions[0])}`);
    }
    state.cash?.book.settle();
    const queue =
      order === undefined
        ? new ChainQueue(log, plan.order === "dfs")
        : new OpicQueue(state.cash!, log, noFile, order);
    if (!parts.recalls) state.hosts = undefined;
    if (!parts.recallsBudgets) state.sites.clear();
    if (!parts.recallsBytes) state.counters[BYTES_COUNTER] = 0;
    const shard = new Shard(number, rules, state, queue);
    enqueueWaiting(waitingTest(state, finished), [], disk.batches(number), (run) =>
      shard.enqueue(run),
    );
    state.finished = undefined;
    exchanges.push(exchangeOf("disk", number, state, undefined));
    if (!parts.epochs) state.sent.clear();
    pages += state.outcomes[OUTCOME.page]!;
    owned.push(shard);
  }
  return { owned, pages, order, shares, exchanges };
}
