import type { CrawlConfig } from "../config/schema.ts";
import { UsageError } from "../errors.ts";
import { maxOpenFiles } from "../runtime/open-files.ts";

/** What a process of Node has open before it does anything, and what the supervisor opens beside that. */
const OWN_FILES = 21;
/** Of every thread: its event loop. */
const THREAD_FILES = 4;
/** Scratch file, names. */
const CRAWLER_FILES = THREAD_FILES + 2;
/** Archive, index, pages, log, skipped, two of the link graph; a folder being synced, a file being replaced. */
const BUILDER_FILES = THREAD_FILES + 9;
/** A request in flight, and a connection that is kept. */
const SOCKETS_PER_LINK = 2;

/** What of a configuration decides how many files are open. */
export type FileNeeds = Pick<
  CrawlConfig,
  "threads" | "linksPerThread" | "builders" | "shards" | "debug" | "recrawl"
>;

/** A configuration that fits the files this process may have open, and what had to give way for that. */
export interface Fitted {
  readonly config: CrawlConfig;
  readonly note: string | undefined;
}

/** Lowers threads and links per thread until sockets and files fit; refuses when not even one link does. */
export function fitToOpenFiles(asked: CrawlConfig, most: number = maxOpenFiles()): Fitted {
  const { linksPerThread, maxUncommitted } = asked;
  // Every thread needs one of those that a crash may cost.
  const threads = Math.min(asked.threads, maxUncommitted);
  const config = threads === asked.threads ? asked : { ...asked, threads };
  let best = { threads: 0, linksPerThread: 0 };
  for (let t = 1; t <= threads; t++) {
    const sockets = most - filesOf(config, t);
    const links = Math.min(linksPerThread, Math.floor(sockets / (SOCKETS_PER_LINK * t)));
    if (t * links >= best.threads * best.linksPerThread && links > 0)
      best = { threads: t, linksPerThread: links };
  }
  if (best.threads === 0) {
    const least = filesOf(config, 1) + SOCKETS_PER_LINK;
    throw new UsageError(
      `only ${most} files may be open, ${least} are needed: raise the limit (ulimit -n)`,
    );
  }
  if (best.threads === threads && best.linksPerThread === linksPerThread)
    return { config, note: undefined };
  const perHost = Math.min(config.perHost, best.linksPerThread);
  const note = `only ${most} files may be open: --threads ${best.threads} --links-per-thread ${best.linksPerThread} instead of ${threads} and ${linksPerThread} (ulimit -n raises the limit)`;
  return { config: { ...config, ...best, perHost }, note };
}

/** How many files each crawler may have open beyond what a crawl needs. */
export function spareFiles(config: FileNeeds, most: number = maxOpenFiles()): number {
  const { threads, linksPerThread } = config;
  const needed = filesOf(config, threads) + SOCKETS_PER_LINK * threads * linksPerThread;
  return Math.max(0, Math.floor((most - needed) / threads));
}

/** Files that are no sockets, with so many crawler threads. */
function filesOf({ builders, shards, debug, recrawl }: FileNeeds, threads: number): number {
  const perCrawler = CRAWLER_FILES + (recrawl === undefined ? 0 : 2);
  const debugLog = debug ? THREAD_FILES + 1 : 0;
  return OWN_FILES + threads * perCrawler + builders * BUILDER_FILES + shards + debugLog;
}
