import { existsSync, readdirSync } from "node:fs";
import { decodeEvents } from "../frontier/journal/event-cursor.ts";
import { ShardState } from "../frontier/journal/fold.ts";
import {
  type Damage,
  type JournalEnd,
  readJournal,
  repairTail,
} from "../frontier/journal/journal-reader.ts";
import type { EndedUrl, FoundUrl, JournalView } from "./committed.ts";

/** What opening the journals of a crawl found beside their content. */
export interface OpenedJournals {
  /** Undefined when the crawl keeps no journal. */
  readonly view: JournalView | undefined;
  readonly damages: readonly Damage[];
  /** Torn tails that were cut off; nothing of them was ever acknowledged. */
  readonly cut: readonly {
    readonly file: string;
    readonly offset: number;
    readonly bytes: number;
  }[];
}

/** Opens the journals of a folder: cuts torn tails, reports damage, keeps everything that is intact. */
export function openJournals(folder: string): OpenedJournals {
  const shards = shardsIn(folder);
  const damages: Damage[] = [];
  const cut: OpenedJournals["cut"][number][] = [];
  let seeds: readonly [low: number, high: number] | undefined;
  for (const shard of shards) {
    const end = drain(
      readJournal({ folder, shard, salvage: (damage) => damages.push(damage) }),
      (batch) => {
        seeds ??= [batch.seedLow | 0, batch.seedHigh | 0];
      },
    );
    if (end.torn === undefined) continue;
    cut.push({ file: end.torn.file, offset: end.torn.offset, bytes: end.torn.bytes });
    repairTail(end, folder);
  }
  if (seeds === undefined) return { view: undefined, damages, cut };
  return { view: viewOf(folder, shards, seeds), damages, cut };
}

/** Numbers of the shards that have a journal in the folder. */
function shardsIn(folder: string): number[] {
  if (!existsSync(folder)) return [];
  const numbers = readdirSync(folder).map((name) => /^shard-(\d+)\.\d+\.journal$/.exec(name)?.[1]);
  return [...new Set(numbers.filter((number) => number !== undefined).map(Number))].sort(
    (a, b) => a - b,
  );
}

function viewOf(
  folder: string,
  shards: readonly number[],
  [seedLow, seedHigh]: readonly [low: number, high: number],
): JournalView {
  // Damage was reported when the journals were opened.
  const batches = (shard: number) => readJournal({ folder, shard, salvage: () => {} });
  return {
    seedLow,
    seedHigh,
    *ended(): Generator<EndedUrl, void> {
      for (const shard of shards) {
        const seen = new ShardState(seedLow, seedHigh);
        for (const batch of batches(shard)) {
          for (const event of decodeEvents(batch)) {
            if (event.kind !== "done") continue;
            const { low, high, where } = event;
            // A URL ends once; what a salvage shows a second time is a copy.
            const before = seen.prints.add(low, high);
            if (before >= 0) yield { low, high, where };
          }
        }
      }
    },
    *waiting(): Generator<FoundUrl, void> {
      for (const shard of shards) {
        const state = new ShardState(seedLow, seedHigh);
        for (const batch of batches(shard)) state.apply(batch);
        for (const { url, parent } of state.queued()) yield { url, source: parent ?? "" };
      }
    },
  };
}

function drain<T>(reader: Generator<T, JournalEnd>, each: (batch: T) => void): JournalEnd {
  for (;;) {
    const step = reader.next();
    if (step.done === true) return step.value;
    each(step.value);
  }
}
