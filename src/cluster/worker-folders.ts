import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import type { CrawlConfig } from "../config/schema.ts";
import { readNewestRun } from "../crawl/ending/reports.ts";
import {
  type AskedCrawl,
  doubtfulThreads,
  settleDoubts,
} from "../frontier/engine/ends/settle-doubts.ts";
import type { EngineKeys } from "../frontier/engine/engine-keys.ts";
import type { RedisClient } from "../frontier/engine/load-ioredis.ts";
import { crawlPaths, readCrawlState, writeCrawlState } from "../store/folder/crawl-folder.ts";
import { lockFolder } from "../store/folder/folder-lock.ts";
import { recoverFolder } from "../store/recover/recover-folder.ts";

/** Where a worker writes. */
export interface WorkerFolder {
  readonly worker: string;
  readonly host: string;
  readonly folder: string;
}

/** Tells the engine where a worker of this machine writes, for whoever collects. */
export async function registerFolder(
  client: RedisClient,
  keys: EngineKeys,
  worker: string,
  folder: string,
): Promise<void> {
  const place = JSON.stringify({ host: hostname(), folder: resolve(folder) });
  await client.hset(`${keys.crawl}:folders`, worker, place);
}

/** Where the workers of a crawl write, or wrote. */
export async function registeredFolders(
  client: RedisClient,
  keys: EngineKeys,
): Promise<WorkerFolder[]> {
  const found = await client.hgetall(`${keys.crawl}:folders`);
  return Object.entries(found)
    .map(([worker, place]) => ({ worker, ...(JSON.parse(place) as Omit<WorkerFolder, "worker">) }))
    .sort((a, b) => (a.worker < b.worker ? -1 : 1));
}

/** The name of the worker whose folder this is. */
export function workerOfFolder(folder: string): string | undefined {
  return (readCrawlState(folder)?.config as Partial<CrawlConfig> | undefined)?.worker?.id;
}

/**
 * Asks the engine about what a worker that is gone left in doubt in its folder, so that its lists have the pages that
 * count and no others. Answers how many visits do not count.
 */
export async function settleFolder(crawl: AskedCrawl, folder: string): Promise<number> {
  const { state: file, journals } = crawlPaths(folder);
  const state = dirname(file);
  if (!existsSync(state) || doubtfulThreads(state).length === 0) return 0;
  const lock = lockFolder(folder);
  try {
    const { seedLow, seedHigh } = readCrawlState(folder)!;
    const nextEpoch = () => {
      const before = readCrawlState(folder)!;
      writeCrawlState(folder, { ...before, epoch: before.epoch + 1 });
      return before.epoch + 1;
    };
    return await settleDoubts(crawl, { state, journals, seedLow, seedHigh, nextEpoch });
  } finally {
    lock.release();
  }
}

/** Completes the lists of a worker that died; true when it had. One that runs is refused. */
export function completeFolder(folder: string): boolean {
  if (readCrawlState(folder)?.ended !== "running") return false;
  recoverFolder(folder, readNewestRun(folder));
  return true;
}
