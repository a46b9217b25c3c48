import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { crc32 } from "node:zlib";
import { StoreCorruptError } from "../errors.ts";
import { jsonLine } from "./jsonl.ts";
import { replaceFile } from "./replace-file.ts";

/** Of state/crawl.json. */
export const FORMAT_VERSION = 3;

const LOST = "its settings are lost; orbweaver recover keeps what was archived";
/** The last member of state/crawl.json: CRC-32 of all bytes before its comma. */
const CHECKSUM = /,"checksum":"([0-9a-f]{8})"\}\n$/;

/** Every path of an output folder, in one place. */
export interface CrawlPaths {
  archive: string;
  index: string;
  pages: string;
  log: string;
  debugLog: string;
  skipped: string;
  state: string;
  /** Folder of the journals. */
  journals: string;
  /** The link graph. */
  links: string;
  /** The indexed URL tree, if the crawl keeps one. */
  tree: string;
  reports: string;
  /** What went through queues and buffers, interval by interval. */
  hourly: string;
}

/** Which frontier a crawl runs on. */
export type FrontierKind = "sharded" | "shared";

/** state/crawl.json: what a later program must know about a crawl before it touches it. */
export interface CrawlState {
  readonly version: number;
  readonly created: string;
  readonly frontier: FrontierKind;
  /** Seeds of the fingerprints. */
  readonly seedLow: number;
  readonly seedHigh: number;
  /** Number of the newest run. */
  readonly epoch: number;
  /** The configuration, as the crawl was started or last resumed; only the crawl knows its shape. */
  readonly config: object;
  /** Where seeds were redirected to: seeds as well. */
  readonly moreSeeds: readonly string[];
  /** How the newest run ended; "running" after a crash. */
  readonly ended: string;
}

/** Makes a new state durable; the old one stays until then. */
export function writeCrawlState(dir: string, state: CrawlState): void {
  const text = jsonLine(state).slice(0, -1);
  const line = `${text},"checksum":"${checksumOf(text)}"}\n`;
  replaceFile(crawlPaths(dir).state, (file) => file.write(Buffer.from(line)));
}

/** The state of a crawl folder; undefined when the folder holds no crawl. Throws StoreCorruptError for one that is damaged. */
export function readCrawlState(dir: string): CrawlState | undefined {
  const { state, journals } = crawlPaths(dir);
  if (!existsSync(state)) {
    if (!existsSync(journals) || readdirSync(journals).length === 0) return undefined;
    throw new StoreCorruptError(`${state}:0: the state of the crawl is missing: ${LOST}`);
  }
  const line = readFileSync(state, "utf8");
  const sum = CHECKSUM.exec(line);
  const text = line.slice(0, sum?.index);
  const isWhole = sum !== null && sum[1] === checksumOf(text);
  if (!isWhole && (sum !== null || !isOlder(line))) {
    throw new StoreCorruptError(`${state}:0: not the state of a crawl as it was written: ${LOST}`);
  }
  const value = isWhole ? (JSON.parse(`${text}}`) as CrawlState) : undefined;
  if (value?.version === FORMAT_VERSION) return value;
  throw new StoreCorruptError(`${state}:0: written by another version of this program`);
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

/** A state of the time before there were checksums. */
function isOlder(line: string): boolean {
  try {
    return (JSON.parse(line) as Partial<CrawlState>).version! < FORMAT_VERSION;
  } catch {
    return false;
  }
}

/** The paths of the output folder `dir`. */
export function crawlPaths(dir: string): CrawlPaths {
  return {
    archive: join(dir, "archive"),
    index: join(dir, "indexes", "index.cdxj"),
    pages: join(dir, "pages", "pages.jsonl"),
    log: join(dir, "logs", "crawl.jsonl"),
    debugLog: join(dir, "logs", "debug.jsonl"),
    skipped: join(dir, "reports", "skipped.jsonl"),
    state: join(dir, "state", "crawl.json"),
    journals: join(dir, "state", "journals"),
    links: join(dir, "links"),
    tree: join(dir, "tree"),
    reports: join(dir, "reports"),
    hourly: join(dir, "reports", "hourly_statistics.jsonl"),
  };
}

/** What one builder writes of a file: pages/pages.jsonl becomes pages/pages-2.jsonl.part. */
export function partOf(path: string, thread: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${thread}${extension}.part`;
}

/** The parts of a file that are there, in the order of their threads. */
export function partsOf(path: string): string[] {
  const [before, after] = partOf(path, 0).split(/-0(?=\.)/) as [string, string];
  const numbered: [number, string][] = [];
  for (const name of readdirSync(dirname(path))) {
    const part = join(dirname(path), name);
    if (!part.startsWith(`${before}-`) || !part.endsWith(after)) continue;
    const thread = part.slice(before.length + 1, part.length - after.length);
    if (/^\d+$/.test(thread)) numbered.push([Number(thread), part]);
  }
  return numbered.sort(([a], [b]) => a - b).map(([, part]) => part);
}
