import type { CrawlConfig } from "../config/schema.ts";
import { MAX_LINKS_PER_THREAD } from "../config/values/pace-limits.ts";
import { UsageError } from "../errors.ts";
import { maxOpenFiles } from "../runtime/open-files.ts";

/** What a Node process has open at its start, and what the supervisor opens. */
const OWN_FILES = 21;
/** The event loop of a thread. */
const THREAD_FILES = 4;
/** Beside the event loop: the scratch file and name lookups. */
const CRAWLER_FILES = THREAD_FILES + 2;
/** Beside the event loop: archive, index, pages, log, skipped, two of the link graph; a folder being synced, a file being replaced. */
const BUILDER_FILES = THREAD_FILES + 9;
/** One for a request in flight, one for a connection kept open. */
const SOCKETS_PER_LINK = 2;

/** The settings that decide how many files are open. */
export type FileNeeds = Pick<
  CrawlConfig,
  "threads" | "linksPerThread" | "adaptsLinks" | "builders" | "shards" | "debug" | "recrawl"
>;

/** A configuration that fits the number of files this process may open, and a note if it had to be reduced for that. */
export interface Fitted {
  readonly config: CrawlConfig;
  readonly note: string | undefined;
}

/** Reduces threads and links per thread until sockets and files fit; refuses when not even one link does. */
export function fitToOpenFiles(asked: CrawlConfig, limit: number = maxOpenFiles()): Fitted {
  const { linksPerThread, maxUncommitted } = asked;
  // Every thread must be allowed at least one uncommitted visit.
  const threads = Math.min(asked.threads, maxUncommitted);
  const config = threads === asked.threads ? asked : { ...asked, threads };
  let best = { threads: 0, linksPerThread: 0 };
  for (let t = 1; t <= threads; t++) {
    const sockets = limit - filesOf(config, t);
    const links = Math.min(linksPerThread, Math.floor(sockets / (SOCKETS_PER_LINK * t)));
    if (t * links >= best.threads * best.linksPerThread && links > 0)
      best = { threads: t, linksPerThread: links };
  }
  if (best.threads === 0) {
    const needed = filesOf(config, 1) + SOCKETS_PER_LINK;
    throw new UsageError(
      `only ${limit} files may be open, ${needed} are needed: raise the limit (ulimit -n)`,
    );
  }
  if (best.threads === threads && best.linksPerThread === linksPerThread)
    return { config, note: undefined };
  const perHost = Math.min(config.perHost, best.threads * best.linksPerThread);
  const note = `only ${limit} files may be open: --threads ${best.threads} --links-per-thread ${best.linksPerThread} instead of ${threads} and ${linksPerThread} (ulimit -n raises the limit)`;
  return { config: { ...config, ...best, perHost }, note };
}

/** How many links each thread may have in flight: as many as may be configured, and as files may be open. */
export function maxLinksPerThread(config: FileNeeds, limit: number = maxOpenFiles()): number {
  const { threads } = config;
  const sockets = limit - filesOf(config, threads);
  const most = Math.floor(sockets / (SOCKETS_PER_LINK * threads));
  return Math.max(1, Math.min(MAX_LINKS_PER_THREAD, most));
}

/** The most links that each thread will have in flight: where they adapt, they may use half of what is left of the files. */
export function mostLinksPerThread(config: FileNeeds, limit: number = maxOpenFiles()): number {
  const { linksPerThread, adaptsLinks } = config;
  if (!adaptsLinks) return linksPerThread;
  const { threads } = config;
  const needed = filesOf(config, threads) + SOCKETS_PER_LINK * threads * linksPerThread;
  const more = Math.floor((limit - needed) / (2 * SOCKETS_PER_LINK * threads));
  return Math.min(MAX_LINKS_PER_THREAD, linksPerThread + Math.max(0, more));
}

/** Files that each crawler may open beyond what the crawl needs. */
export function extraFiles(config: FileNeeds, limit: number = maxOpenFiles()): number {
  const { threads } = config;
  const links = mostLinksPerThread(config, limit);
  const needed = filesOf(config, threads) + SOCKETS_PER_LINK * threads * links;
  return Math.max(0, Math.floor((limit - needed) / threads));
}

/** Open files other than sockets, with so many crawler threads. */
function filesOf({ builders, shards, debug, recrawl }: FileNeeds, threads: number): number {
  const perCrawler = CRAWLER_FILES + (recrawl === undefined ? 0 : 2);
  const debugLog = debug ? THREAD_FILES + 1 : 0;
  // A builder in a crawler's thread has no event loop of its own.
  const forBuilders =
    builders === 0 ? threads * (BUILDER_FILES - THREAD_FILES) : builders * BUILDER_FILES;
  return OWN_FILES + threads * perCrawler + forBuilders + shards + debugLog;
}
