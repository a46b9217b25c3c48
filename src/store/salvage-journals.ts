import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StoreCorruptError } from "../errors.ts";
import type { Damage } from "../frontier/journal/journal-reader.ts";
import { salvageShard } from "../frontier/journal/salvage-shard.ts";
import { crawlPaths, readCrawlState } from "./crawl-folder.ts";
import { shardsIn } from "./journal-view.ts";

/**
 * Lets a crawl with damaged journals go on without what the damaged bytes knew: a copy of each damaged file is kept in
 * state/damaged, and every shard begins from a snapshot of what is intact. False when nothing was damaged, or when the
 * state of the crawl is lost as well, or when it is ordered by cash, of which not a bit may be missing.
 */
export function salvageJournals(dir: string, damages: readonly Damage[]): boolean {
  const { journals: folder } = crawlPaths(dir);
  const seeds = damages.length === 0 ? undefined : stateOf(dir);
  if (seeds === undefined) return false;
  const damagedFiles = new Set(damages.map(({ file }) => file));
  const kept = join(dirname(folder), "damaged");
  mkdirSync(kept, { recursive: true });
  for (const file of damagedFiles) {
    if (existsSync(file)) copyFileSync(file, join(kept, basename(file)));
  }
  const isDamaged = (shard: number) =>
    [...damagedFiles].some((file) => Number(/^shard-(\d+)\./.exec(basename(file))?.[1]) === shard);
  const shards = shardsIn(folder);
  // As long as one damaged shard is left the crawl refuses to go on, so a kill in between does no harm.
  const inOrder = [...shards.filter((shard) => !isDamaged(shard)), ...shards.filter(isDamaged)];
  for (const shard of inOrder) salvageShard({ folder, shard, ...seeds });
  return true;
}

function stateOf(dir: string): { seedLow: number; seedHigh: number } | undefined {
  try {
    const state = readCrawlState(dir);
    if (state === undefined || (state.config as { order?: string }).order === "opic")
      return undefined;
    return { seedLow: state.seedLow, seedHigh: state.seedHigh };
  } catch (fault) {
    if (fault instanceof StoreCorruptError) return undefined;
    throw fault;
  }
}
