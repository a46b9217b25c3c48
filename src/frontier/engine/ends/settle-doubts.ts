import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { EventBatch } from "../../journal/event-batch.ts";
import { type JournalOptions, JournalWriter } from "../../journal/journal-writer.ts";
import type { EngineOrder } from "../engine.ts";
import type { EngineKeys } from "../engine-keys.ts";
import type { RedisClient } from "../load-ioredis.ts";
import { runScript } from "../scripts/named-scripts.ts";
import { type Doubt, readDoubts, removeDoubts, type SentBlock } from "./doubt-log.ts";
import { readEnds } from "./end-journal.ts";
import { lateKey, writeLate } from "./late-ends.ts";

const TRY_AGAIN_MS = 100;

/** The crawl that a worker was part of, as the engine has it. */
export interface AskedCrawl {
  readonly client: RedisClient;
  readonly keys: EngineKeys;
  readonly order: EngineOrder;
}

/** Where a dead worker's ends are; its folder must be the caller's. */
export interface WorkerFiles extends Pick<JournalOptions, "seedLow" | "seedHigh"> {
  /** Folder of what is in doubt. */
  readonly state: string;
  readonly journals: string;
  /** A run number that is above those of all runs, and durable. */
  readonly nextEpoch: () => number;
}

/** Threads of a worker that left something in doubt. */
export function doubtfulThreads(state: string): number[] {
  const found = readdirSync(state).map((name) => /^doubts-(\d+)\.[01]$/.exec(name)?.[1]);
  return [...new Set(found.filter((one) => one !== undefined).map(Number))];
}

/**
 * Asks the engine which of the ends that a dead worker left in doubt it has accepted, and journals the others as late.
 * Its leases end before it is asked, so that nothing that is still on its way can change the answer. Answers how many
 * visits do not count.
 */
export async function settleDoubts(crawl: AskedCrawl, files: WorkerFiles): Promise<number> {
  let late = 0;
  for (const thread of doubtfulThreads(files.state)) {
    const { counts, end } = readEnds(files.journals, thread);
    // Noted and never journaled: there is nothing to take back.
    const doubts = readDoubts(files.state, thread).filter(
      ({ low, high }) => (counts.get(lateKey(low, high)) ?? 0) > 0,
    );
    const refused = await refusedOf(crawl, doubts);
    if (refused.length > 0) {
      const { journals: folder, seedLow, seedHigh, nextEpoch } = files;
      const epoch = nextEpoch();
      const options = { folder, shard: thread, epoch, after: end, seedLow, seedHigh };
      const writer = new JournalWriter(options);
      const batch = new EventBatch();
      writeLate(batch, refused);
      writer.append(batch);
      writer.close();
      late += refused.length;
    }
    removeDoubts(files.state, thread);
  }
  return late;
}

async function refusedOf(crawl: AskedCrawl, doubts: readonly Doubt[]): Promise<Doubt[]> {
  const answers = new Map<string, Promise<Reached>>();
  const refused: Doubt[] = [];
  for (const doubt of doubts) {
    const { sent } = doubt;
    if (sent === undefined) {
      refused.push(doubt);
      continue;
    }
    const name = `${sent.partition} ${sent.holder} ${sent.token}`;
    if (!answers.has(name)) answers.set(name, reachedOf(crawl, sent));
    const { reached, firstLate } = await answers.get(name)!;
    if (sent.number > reached || sent.number >= firstLate) refused.push(doubt);
  }
  return refused;
}

interface Reached {
  readonly reached: number;
  readonly firstLate: number;
}

/** How far the blocks of a holder came in a partition, and from which one on they were late. */
async function reachedOf(
  { client, keys, order }: AskedCrawl,
  { holder, partition, token }: SentBlock,
): Promise<Reached> {
  const key = keys.partition(partition);
  // A partition that is being moved answers later.
  while (Number(await runScript(client, "owFence", key, [holder, order])) < 0)
    await sleep(TRY_AGAIN_MS);
  const [reached, firstLate] = await client.hmget(key, `n:${holder}`, `l:${holder} ${token}`);
  return {
    reached: Number(reached ?? 0),
    firstLate: firstLate == null ? Number.POSITIVE_INFINITY : Number(firstLate),
  };
}
