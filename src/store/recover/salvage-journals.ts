import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { mendDone } from "../../frontier/fold/done-list.ts";
import {
  contradictionsIn,
  exchangeOf,
  receivedIn,
  type ShardExchange,
} from "../../frontier/fold/exchange-check.ts";
import { recoverShard } from "../../frontier/fold/recover-shard.ts";
import { salvageShard } from "../../frontier/fold/salvage-shard.ts";
import { segmentName } from "../../frontier/journal/journal-files.ts";
import type { Damage } from "../../frontier/journal/journal-reader.ts";
import { type Seeds, shardsIn } from "../finish/journal-view.ts";
import {
  type CrawlState,
  crawlPaths,
  wholeState,
  writeCrawlState,
} from "../folder/crawl-folder.ts";

const ignore = () => {};

/** Where damaged files are kept. */
export function damagedOf(dir: string): string {
  return join(dirname(crawlPaths(dir).journals), "damaged");
}

/** What the journals of a crawl say of each other. */
export interface ComparedJournals {
  readonly exchanges: readonly ShardExchange[];
  /** Where they contradict each other. */
  readonly damages: readonly Damage[];
}

/** Reads what is intact of all journals and compares it, as a run does when it begins. */
export function compareJournals(
  folder: string,
  seeds: Seeds & Partial<CrawlState>,
): ComparedJournals {
  const { seedLow, seedHigh, journals, epoch: newest = Number.POSITIVE_INFINITY } = seeds;
  const exchanges = shardsIn(folder, journals).map((shard) => {
    const options = { folder, shard, seedLow, seedHigh, salvage: ignore };
    const { state, end } = recoverShard(options, ignore);
    return exchangeOf(folder, shard, state, end);
  });
  const late = exchanges
    .filter(({ epoch }) => epoch > newest)
    .map(({ file, epoch }) => {
      const what = `run ${epoch} wrote this, and state/crawl.json knew no run after ${newest}`;
      return { file, offset: 0, what };
    });
  return { exchanges, damages: [...late, ...contradictionsIn(exchanges)] };
}

/** What became of damaged journals. */
export interface Salvaged {
  readonly salvaged: boolean;
  /** Blocks of links that a shard had sent, its target lacks, and no file holds any more. */
  readonly lost: readonly (Damage & { readonly blocks: number })[];
}

/**
 * Lets a crawl with damaged journals go on without what the damaged bytes knew: a copy of each damaged file is kept in
 * state/damaged, and every shard begins from a snapshot of what is intact. Nothing is done when nothing is damaged, or when
 * the state of the crawl is lost as well.
 */
export function salvageJournals(
  dir: string,
  damages: readonly Damage[],
  exchanges: readonly ShardExchange[],
): Salvaged {
  const { journals: folder } = crawlPaths(dir);
  const state = wholeState(dir);
  if (state === undefined || (damages.length === 0 && state.salvaging !== true))
    return { salvaged: false, lost: [] };
  const { seedLow, seedHigh } = state;
  const damagedFiles = new Set(damages.map(({ file }) => file));
  const kept = damagedOf(dir);
  mkdirSync(kept, { recursive: true });
  for (const file of damagedFiles) {
    if (!existsSync(file)) continue;
    copyFileSync(file, join(kept, basename(file)));
    if (file.endsWith(".done")) mendDone(file);
  }
  const epoch = 1 + Math.max(state.epoch, ...exchanges.map((one) => one.epoch));
  // Until all shards have new files their numbers do not fit each other, and no run may begin.
  writeCrawlState(dir, { ...state, epoch, salvaging: true });
  const receivedOf = receivedIn(exchanges);
  const lost: Salvaged["lost"][number][] = [];
  for (const shard of shardsIn(folder, state.journals)) {
    const reached = (target: number, run: number) => receivedOf(shard, target, run);
    const options = { folder, shard, seedLow, seedHigh, epoch, reached };
    for (const { target, epoch: run, blocks } of salvageShard(options)) {
      const what = `${blocks} blocks of links of run ${run} for shard ${target} are nowhere any more: what was found only there may not be visited`;
      lost.push({ file: join(folder, segmentName(shard, 1)), offset: 0, what, blocks });
    }
  }
  const { salvaging: _, ...after } = { ...state, epoch };
  writeCrawlState(dir, after);
  return { salvaged: true, lost };
}
