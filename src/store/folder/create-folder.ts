import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { FolderTakenError, OrbweaverError, pathTrouble, UsageError } from "../../errors.ts";
import { reserveSegment } from "../../frontier/journal/journal-files.ts";
import { replaceWith } from "../files/replace-file.ts";
import { makeFolders, syncFolder } from "../files/system-calls.ts";
import {
  type CrawlPaths,
  type CrawlState,
  crawlPaths,
  FORMAT_VERSION,
  writeCrawlState,
} from "./crawl-folder.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";
import { graphFacts, graphPaths } from "./graph-facts.ts";

/** First line of pages.jsonl: WACZ readers refuse the file without it. Page lines have a `url`. */
export const PAGES_HEADER: Buffer = Buffer.from(
  '{"format":"json-pages-1.0","id":"pages","title":"All Pages"}\n',
);

/** What a new crawl is given beside its folder. */
export type NewCrawl = Partial<
  Pick<CrawlState, "frontier" | "seedLow" | "seedHigh" | "journals" | "config">
>;

/** The only files that are there before state/crawl.json; journals are empty then. */
const FIRST_FILES =
  /^(?:state\/lock(?:\.\S+)?|state\/crawl(?:-copy\.json|(?:-copy)?\.json\.tmp)|links\/graph\.json(?:\.tmp)?|state\/journals\/shard-\d+\.000001\.journal|pages\/pages\.jsonl(?:\.tmp)?)$/;

/**
 * Makes a new output folder, or throws FolderTakenError with what to do instead: what is already on disk is never
 * overwritten, mixed with or deleted. A folder that a crawl left while it was being made holds nothing and is taken over.
 */
export function createCrawlFolder(
  dir: string,
  wallMs: number = Date.now(),
  crawl: NewCrawl = {},
): CrawlPaths {
  createLockedFolder(dir, wallMs, crawl).release();
  return crawlPaths(dir);
}

/** The same for a crawl that begins at once: nobody comes between making the folder and holding it. */
export function createLockedFolder(
  dir: string,
  wallMs: number,
  crawl: NewCrawl,
  onLost?: () => void,
): FolderLock {
  try {
    return create(dir, crawlPaths(dir), wallMs, crawl, onLost);
  } catch (fault) {
    throw outFault(fault, dir);
  }
}

/** Nothing is there yet: where the system does not let us write, another folder helps. */
function outFault(fault: unknown, dir: string): unknown {
  if (fault instanceof OrbweaverError) return fault;
  const isReadOnly = (fault as NodeJS.ErrnoException).code === "EROFS";
  const why = isReadOnly ? "the disk is read-only" : pathTrouble(fault);
  if (why === undefined) return fault;
  return new UsageError(`${dir} cannot hold a crawl: ${why}; choose another --out`, fault);
}

function create(
  dir: string,
  paths: CrawlPaths,
  wallMs: number,
  crawl: NewCrawl,
  onLost?: () => void,
): FolderLock {
  refuseIfTaken(dir, paths);
  makeFolders(dirname(paths.state));
  // Of two crawls that start at once only one goes on; it looks again, for the other may have been quick.
  const lock = lockFolder(dir, onLost);
  try {
    refuseIfTaken(dir, paths);
    fill(dir, paths, wallMs, crawl);
    return lock;
  } catch (fault) {
    lock.release();
    throw fault;
  }
}

/** True for a folder whose crawl was stopped before it was made: nothing can have been committed in it. */
export function isUnfinished(dir: string): boolean {
  const { state, pages } = crawlPaths(dir);
  if (!existsSync(dirname(state)) || existsSync(state)) return false;
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) continue;
    if (!FIRST_FILES.test(relative(dir, path).replaceAll("\\", "/"))) return false;
    if (path.endsWith(".journal") && statSync(path).size > 0) return false;
  }
  return !existsSync(pages) || statSync(pages).size <= PAGES_HEADER.length;
}

function fill(dir: string, paths: CrawlPaths, wallMs: number, crawl: NewCrawl): void {
  const files = [paths.index, paths.pages, paths.log, paths.skipped];
  for (const folder of [paths.archive, paths.links, paths.journals, ...files.map(dirname)])
    mkdirSync(folder, { recursive: true });
  // Here, not by the builders: all of them must use the same ids.
  graphFacts(graphPaths(dir).facts, crawl);
  replaceWith(paths.pages, PAGES_HEADER);
  for (let shard = 0; shard < (crawl.journals ?? 0); shard++)
    reserveSegment(paths.journals, shard, 1);
  syncFolder(paths.journals);
  // Last, so that a folder with a state file is a complete one.
  writeCrawlState(dir, {
    version: FORMAT_VERSION,
    created: new Date(wallMs).toISOString(),
    frontier: "sharded",
    seedLow: 0,
    seedHigh: 0,
    epoch: 1,
    config: {},
    moreSeeds: [],
    ended: "running",
    ...crawl,
  });
  syncFolder(dir);
}

/** Refuses a folder that cannot hold a new crawl, before anything is made elsewhere. */
export function refuseTakenFolder(dir: string): void {
  refuseIfTaken(dir, crawlPaths(dir));
}

function refuseIfTaken(dir: string, paths: CrawlPaths): void {
  const why = whyTaken(dir, paths);
  if (why !== "") throw new FolderTakenError(`${dir} ${why}`);
}

/** "" when it is not. */
function whyTaken(dir: string, paths: CrawlPaths): string {
  if (!existsSync(dir)) return "";
  if (!statSync(dir).isDirectory()) return "is a file, not a folder: choose another --out";
  if (existsSync(paths.state))
    return `already holds a crawl, which is never overwritten: continue it with orbweaver resume ${dir}, or choose another --out`;
  if (readdirSync(dir).length > 0 && !isUnfinished(dir))
    return "is not empty and not a crawl folder: choose another --out, or an empty folder";
  return "";
}
