import { existsSync, readdirSync } from "node:fs";

/** Which files a shard has: numbers, ascending. */
export interface ShardFiles {
  readonly segments: readonly number[];
  readonly snapshots: readonly number[];
  /** Lists of what was done before a snapshot. */
  readonly lists: readonly number[];
  /** Names of what an interrupted compaction left. */
  readonly unfinished: readonly string[];
}

const NAME = /^shard-(\d{2}|[1-9]\d{2,})\.(\d{6}|[1-9]\d{6,})\.(journal|snapshot|done)(\.new)?$/;
const KINDS = { journal: "segments", snapshot: "snapshots", done: "lists" } as const;
const none = () => ({
  segments: [] as number[],
  snapshots: [] as number[],
  lists: [] as number[],
  unfinished: [] as string[],
});

/** Names of files of shards that a crawl with so many shards does not have. */
export function strayJournals(folder: string, shards: number): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => Number(NAME.exec(name)?.[1] ?? -1) >= shards).sort();
}

/**
 * Lists the files of all shards in one pass over the folder. After many crashes there are hundreds of them, and a thread
 * that takes over asks for those of each of its shards several times.
 */
export function listJournals(folder: string): (shard: number) => ShardFiles {
  const shards = new Map<number, ReturnType<typeof none>>();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, two, six, kind, end] = NAME.exec(name) ?? [];
    if (two === undefined) continue;
    const files = shards.get(Number(two)) ?? none();
    shards.set(Number(two), files);
    if (end !== undefined) files.unfinished.push(name);
    else files[KINDS[kind as keyof typeof KINDS]].push(Number(six));
  }
  for (const { segments, snapshots, lists } of shards.values())
    for (const numbers of [segments, snapshots, lists]) numbers.sort((a, b) => a - b);
  return (shard) => shards.get(shard) ?? none();
}
