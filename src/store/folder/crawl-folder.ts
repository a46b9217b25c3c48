import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import type { CrawlConfig } from "../../config/schema.ts";
import { StoreCorruptError } from "../../errors.ts";
import type { Consent } from "../../fetch/route/address.ts";
import { firstDifference } from "../files/file-window.ts";
import { parseJson } from "../files/jsonl.ts";
import { replaceWith } from "../files/replace-file.ts";
import { openSealed, sealedJson } from "../files/sealed-json.ts";
import type { RunHistory } from "./run-history.ts";

/** Of state/crawl.json. */
export const FORMAT_VERSION = 3;

const LOST = "its settings are lost; orbweaver recover keeps what was archived";

/** Every path of an output folder, in one place. */
export interface CrawlPaths {
  archive: string;
  index: string;
  pages: string;
  log: string;
  debugLog: string;
  /** What was changed while the crawl ran. */
  control: string;
  skipped: string;
  state: string;
  /** A copy, from which a damaged state can be repaired. */
  stateCopy: string;
  /** Folder of the journals. */
  journals: string;
  /** The link graph. */
  links: string;
  /** The indexed URL tree, if the crawl keeps one. */
  tree: string;
  reports: string;
  /** What went through queues and buffers, interval by interval. */
  hourly: string;
  series: string;
  /** What threads exchanged, by the moment. */
  exchanges: string;
  /** The pages of a visited set that keeps them. */
  visited: string;
  /** What handlers pushed. */
  data: string;
  /** How far that is committed. */
  rows: string;
}

/** state/crawl.json: what a later program must know about a crawl before it touches it. */
export interface CrawlState {
  readonly version: number;
  readonly created: string;
  readonly frontier: CrawlConfig["frontier"];
  /** How many journals were begun before this was written: each has files from then on. Absent in older crawls. */
  readonly journals?: number;
  /** Seeds of the fingerprints. */
  readonly seedLow: number;
  readonly seedHigh: number;
  /** Number of the newest run. */
  readonly epoch: number;
  /** The configuration, as the crawl was started or last resumed; only the crawl knows its shape. */
  readonly config: object;
  /** Where seeds were redirected to: seeds as well. */
  readonly moreSeeds: readonly string[];
  /** The private addresses that the user's words meant when the crawl began; absent in older crawls. */
  readonly consents?: readonly Consent[];
  /** Files of the archive that `recover` found missing or cut off: what was committed in them is lost, and known to be. */
  readonly lostArchives?: readonly string[];
  /** How many committed records `recover` did not find, in those files or elsewhere: they are in no list. */
  readonly lostRecords?: number;
  /** `recover` was putting new files in the place of journals and has not come to the end: they do not fit each other. */
  readonly salvaging?: boolean;
  /** The runs before the newest one; absent in a first run, and in older crawls. */
  readonly history?: RunHistory;
  /** When the newest run began. */
  readonly began?: string;
  /** `recover` found damage that it could not repair: something of what was committed is lost, and known to be. */
  readonly damaged?: boolean;
  /** How the newest run ended; "running" after a crash. */
  readonly ended: string;
  /** The newest run had no time to sort and join what its builders wrote; `finalizeIfLeft` does it. */
  readonly left?: boolean;
}

/** Makes a new state durable; the old one stays until then. */
export function writeCrawlState(dir: string, state: CrawlState): void {
  const { state: path, stateCopy } = crawlPaths(dir);
  const bytes = sealedJson(state);
  // The copy first: what is read in place of a damaged file must not name an older run.
  for (const each of [stateCopy, path]) replaceWith(each, bytes);
}

/** The state of a crawl folder; undefined when the folder holds no crawl. Throws StoreCorruptError for one that is damaged. */
export function readCrawlState(dir: string): CrawlState | undefined {
  const { state, stateCopy, journals } = crawlPaths(dir);
  const cure = isWhole(stateCopy) ? "orbweaver recover puts it right from its copy" : LOST;
  if (!existsSync(state)) {
    if (!holdsAnything(journals)) return undefined;
    throw new StoreCorruptError(`${state}:0: the state of the crawl is missing: ${cure}`);
  }
  const bytes = readFileSync(state);
  const value = openSealed(bytes) as CrawlState | undefined;
  if (value?.version === FORMAT_VERSION) return value;
  const what =
    value !== undefined || isOlder(bytes)
      ? "written by another version of this program"
      : `not the state of a crawl as it was written: ${cure}`;
  throw new StoreCorruptError(`${state}:0: ${what}`);
}

/** The state of a crawl folder; undefined when it is damaged or not there. */
export function wholeState(dir: string): CrawlState | undefined {
  try {
    return readCrawlState(dir);
  } catch (fault) {
    if (fault instanceof StoreCorruptError) return undefined;
    throw fault;
  }
}

/** Journals are begun before the state is there, with empty files. */
function holdsAnything(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder).some((name) => statSync(join(folder, name)).size > 0);
}

/** Before there were checksums. */
function isOlder(bytes: Buffer): boolean {
  const state = parseJson(bytes.toString("utf8")) as Partial<CrawlState> | null | undefined;
  return (state?.version ?? FORMAT_VERSION) < FORMAT_VERSION;
}

/** Repairs a damaged state from its copy, or the copy from the state; answers which, and where they differed. */
export function repairCrawlState(
  dir: string,
): { readonly file: string; readonly offset: number }[] {
  const { state, stateCopy } = crawlPaths(dir);
  const [file, from] = isWhole(state) ? [stateCopy, state] : [state, stateCopy];
  if (isWhole(file) || !isWhole(from)) return [];
  const offset = existsSync(file) ? (firstDifference(file, from) ?? 0) : 0;
  replaceWith(file, readFileSync(from));
  return [{ file, offset }];
}

function isWhole(path: string): boolean {
  return existsSync(path) && openSealed(readFileSync(path)) !== undefined;
}

/** The paths of the output folder `dir`. */
export function crawlPaths(dir: string): CrawlPaths {
  if (dir !== lastDir) {
    lastPaths = pathsIn(dir);
    lastDir = dir;
  }
  return lastPaths!;
}

// A crawl asks for the paths of its one folder again and again.
let lastDir: string | undefined;
let lastPaths: CrawlPaths | undefined;

function pathsIn(dir: string): CrawlPaths {
  return {
    archive: join(dir, "archive"),
    index: join(dir, "indexes", "index.cdxj"),
    pages: join(dir, "pages", "pages.jsonl"),
    log: join(dir, "logs", "crawl.jsonl"),
    debugLog: join(dir, "logs", "debug.jsonl"),
    control: join(dir, "logs", "control.jsonl"),
    skipped: join(dir, "reports", "skipped.jsonl"),
    state: join(dir, "state", "crawl.json"),
    stateCopy: join(dir, "state", "crawl-copy.json"),
    journals: join(dir, "state", "journals"),
    links: join(dir, "links"),
    tree: join(dir, "tree"),
    reports: join(dir, "reports"),
    hourly: join(dir, "reports", "hourly_statistics.jsonl"),
    exchanges: join(dir, "reports", "exchanges.jsonl"),
    visited: join(dir, "reports", "visited.jsonl"),
    data: join(dir, "data"),
    rows: join(dir, "state", "rows.json"),
    series: join(dir, "reports", "series.jsonl"),
  };
}

/** What one builder writes of a file: pages/pages.jsonl becomes pages/pages-2.jsonl.part. */
export function partOf(path: string, thread: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${thread}${extension}.part`;
}

/** The parts of a file that are there, in the order of their threads. */
export function partsOf(path: string): string[] {
  const folder = dirname(path);
  if (!existsSync(folder)) return [];
  const threads = readdirSync(folder).flatMap((name) => {
    const thread = Number(/-(\d+)\.\w+\.part$/.exec(name)?.[1]);
    return partOf(basename(path), thread) === name ? thread : [];
  });
  return threads.sort((a, b) => a - b).map((thread) => partOf(path, thread));
}

/** A file and its parts, as far as they are there. */
export function withParts(path: string): string[] {
  return [path, ...partsOf(path)].filter((each) => existsSync(each));
}
