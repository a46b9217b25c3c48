import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { salvageShard } from "../../frontier/fold/salvage-shard.ts";
import type { Damage } from "../../frontier/journal/journal-reader.ts";
import { shardsIn } from "../finish/journal-view.ts";
import { crawlPaths, wholeState } from "../folder/crawl-folder.ts";

/**
 * Lets a crawl with damaged journals go on without what the damaged bytes knew: a copy of each damaged file is kept in
 * state/damaged, and every shard begins from a snapshot of what is intact. False when nothing was damaged, or when the
 * state of the crawl is lost as well.
 */
export function salvageJournals(dir: string, damages: readonly Damage[]): boolean {
  const { journals: folder } = crawlPaths(dir);
  const state = damages.length === 0 ? undefined : wholeState(dir);
  if (state === undefined) return false;
  const { seedLow, seedHigh } = state;
  const damagedFiles = new Set(damages.map(({ file }) => file));
  const kept = join(dirname(folder), "damaged");
  mkdirSync(kept, { recursive: true });
  for (const file of damagedFiles) {
    if (existsSync(file)) copyFileSync(file, join(kept, basename(file)));
  }
  const isDamaged = (shard: number) =>
    [...damagedFiles].some((file) => Number(/^shard-(\d+)\./.exec(basename(file))?.[1]) === shard);
  const shards = shardsIn(folder, state.journals);
  // The damaged shards come last: as long as one is left the crawl cannot be resumed, so a kill in between does no harm.
  const inOrder = [...shards.filter((shard) => !isDamaged(shard)), ...shards.filter(isDamaged)];
  for (const shard of inOrder) salvageShard({ folder, shard, seedLow, seedHigh });
  return true;
}
