import { wholeState } from "../folder/crawl-folder.ts";

/** Longer chains are cut: what lies further back is fetched anew. */
const MAX_GENERATIONS = 1000;

/**
 * The folder of a crawl, and those of the earlier crawls that it was a recrawl of, newest first: pages that have not
 * changed lie in the archive of the generation that fetched them last.
 */
export function generationsOf(dir: string): string[] {
  const folders = [dir];
  while (folders.length < MAX_GENERATIONS) {
    const state = wholeState(folders.at(-1)!);
    const before = (state?.config as { recrawl?: string } | undefined)?.recrawl;
    if (before === undefined || folders.includes(before)) break;
    folders.push(before);
  }
  return folders;
}
