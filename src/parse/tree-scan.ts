import type { FoundLink, Harvest } from "./harvest.ts";
import type { TagReader } from "./tag-reader.ts";
import type { WordCounter } from "./words.ts";

/** Stub */
export function treeScan(
  _r: TagReader,
  harvest: Harvest,
  _w: WordCounter | undefined,
): FoundLink[] {
  return harvest.links;
}
