import { OUTCOME } from "../../frontier/frontier.ts";
import { enqueueWaiting } from "../../frontier/journal/recover-shard.ts";
import { QueueLog } from "../../frontier/queue-log.ts";
import { SeenSet } from "../../frontier/seen.ts";
import { Shard } from "../../frontier/shard.ts";
import { SEED_HIGH, SEED_LOW, Violation } from "./oracle.ts";
import type { World } from "./world.ts";

const QUEUE_BYTES = 1 << 22;

/** Folds the journals of a thread's shards, as `recoverShard` does with files. */
export function openOwned(
  { disk, parts, plan, memory }: Pick<World, "disk" | "parts" | "plan" | "memory">,
  thread: number,
  startMs: number,
): { owned: Shard[]; pages: number } {
  const { delayMs } = plan;
  const seeds = { seedLow: SEED_LOW, seedHigh: SEED_HIGH };
  const rules = { delayMs, perHost: 1, order: plan.order, startMs, ...seeds };
  const log = new QueueLog(() => {
    throw new Violation("so few URLs need no file");
  }, QUEUE_BYTES);
  const owned: Shard[] = [];
  let pages = 0;
  for (let number = thread; number < plan.shards; number += memory.threads) {
    const finished = new SeenSet(SEED_LOW, SEED_HIGH);
    const state = new parts.State(SEED_LOW, SEED_HIGH, finished);
    for (const batch of disk.batches(number)) state.apply(batch);
    if (state.contradictions.length > 0) {
      throw new Violation(`shard ${number}: ${JSON.stringify(state.contradictions[0])}`);
    }
    const shard = new Shard(number, rules, state, log);
    enqueueWaiting(
      (low, high) => finished.addPrint(low, high),
      undefined,
      disk.batches(number),
      (queued) => shard.enqueue(queued),
    );
    state.finished = undefined;
    if (!parts.epochs) state.sent.clear();
    pages += state.outcomes[OUTCOME.page]!;
    owned.push(shard);
  }
  return { owned, pages };
}
