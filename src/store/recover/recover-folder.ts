import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { StoreCorruptError, UsageError } from "../../errors.ts";
import { dropHoles } from "../files/drop-holes.ts";
import { cutTornLine, jsonLine } from "../files/jsonl.ts";
import { readLines } from "../files/read-file.ts";
import { replaceWith } from "../files/replace-file.ts";
import { removeIfThere } from "../files/system-calls.ts";
import { type LostArchive, lostArchives } from "../finish/check-archives.ts";
import { type ClosedArchive, closeArchives } from "../finish/close-archives.ts";
import {
  Committed,
  type FoundUrl,
  isArchive,
  type JournalView,
  type ListedUrl,
} from "../finish/committed.ts";
import { dropUncommitted } from "../finish/drop-uncommitted.ts";
import { openJournals, type Seeds, seedsInJournals } from "../finish/journal-view.ts";
import { mergeParts } from "../finish/merge-parts.ts";
import { committedLines, keepOneLinePerUrl } from "../finish/one-line-per-url.ts";
import {
  type CrawlState,
  crawlPaths,
  readCrawlState,
  repairCrawlState,
  wholeState,
  withParts,
  writeCrawlState,
} from "../folder/crawl-folder.ts";
import { isUnfinished } from "../folder/create-folder.ts";
import { lockFolder } from "../folder/folder-lock.ts";
import { requireFolder } from "../folder/no-crawl.ts";
import { writeResults, writeTreeResults } from "../reports/crawl-results.ts";
import type { ListCounts, RunFacts } from "../reports/result-lists.ts";
import { mergeRows, repairRows } from "../rows/merge-rows.ts";
import { readTree } from "../tree/tree-files.ts";
import { archiveFiles } from "../warc/archive-scan.ts";
import { putInPlace } from "./put-in-place.ts";
import { FAILED, orphanPath, rebuildLists } from "./rebuild-lists.ts";
import { repairControlLog } from "./repair-control-log.ts";
import { compareJournals, damagedOf, salvageJournals } from "./salvage-journals.ts";

/** A place in a file. */
export interface Place {
  readonly file: string;
  readonly offset: number;
}

/** What `recover` found and did; reports/recover.json. */
export interface Recovery {
  /** What could not be repaired: bytes that are lost. Everything intact was kept. */
  readonly damages: readonly (Place & { readonly what: string })[];
  /** Archive files that a crash had left open. */
  readonly closed: readonly ClosedArchive[];
  /** Torn ends of journals that were cut off. */
  readonly journalsCut: readonly (Place & { readonly bytes: number })[];
  /** Bytes with a known value, such as the header of a gzip member, that were flipped and are repaired. */
  readonly repaired: readonly Place[];
  /** Lists that did not agree with the archive and were written again, with the first byte that differed. */
  readonly rebuilt: readonly Place[];
  readonly captures: number;
  /** Records whose commit did not happen: they stay in the archive, and reports/orphans.jsonl lists them. */
  readonly orphans: number;
  /** URLs that ended without an answer and whose text is nowhere any more. */
  readonly unnamed: number;
  /** Blocks of links between shards that no file holds any more: what was found only there is not visited. */
  readonly lostBlocks: number;
  /** Journals were damaged, and what is intact of them has taken their place: the crawl can be resumed. */
  readonly salvaged: boolean;
  readonly lists: ListCounts;
}

/**
 * Rebuilds indexes and lists from archive and journal, or from a URL tree alone, and repairs what can be repaired.
 * Nothing that is intact is changed; killed anywhere and called again, it ends with the same files.
 */
export function recoverFolder(dir: string, facts: RunFacts): Recovery {
  const paths = crawlPaths(dir);
  const hasArchive = existsSync(paths.archive);
  requireFolder(dir);
  if (!hasArchive && !existsSync(paths.tree)) {
    throw new UsageError(`${dir} holds neither an archive nor a URL tree: nothing to recover`);
  }
  if (isUnfinished(dir)) {
    throw new UsageError(`${dir} was left while it was being made: there is nothing to recover`);
  }
  const lists = [paths.index, paths.pages, paths.log].map(dirname);
  for (const folder of [paths.reports, ...(hasArchive ? [paths.links, ...lists] : [])])
    mkdirSync(folder, { recursive: true });
  const lock = existsSync(dirname(paths.state)) ? lockFolder(dir) : undefined;
  let recovery: Recovery;
  try {
    recovery = hasArchive ? fromArchive(dir, facts) : fromTree(dir, facts);
  } finally {
    lock?.release();
  }
  const { crawled, uncrawled, seeds } = recovery.lists;
  const told = { ...recovery, lists: { crawled, uncrawled, seeds } };
  replaceWith(join(paths.reports, "recover.json"), `${jsonLine(told)}\n`);
  return told;
}

/** A recovery that found nothing to do. */
const UNTOUCHED: Omit<Recovery, "captures" | "lists"> = {
  damages: [],
  closed: [],
  journalsCut: [],
  repaired: [],
  rebuilt: [],
  orphans: 0,
  unnamed: 0,
  lostBlocks: 0,
  salvaged: false,
};

/** There is nothing but a tree: every page of it was crawled. */
function fromTree(dir: string, facts: RunFacts): Recovery {
  const { tree, reports } = crawlPaths(dir);
  const damages = repairControlLog(dir, damagedOf(dir));
  const lists = writeTreeResults(tree, reports, facts);
  return { ...UNTOUCHED, damages, captures: lists.crawled + lists.seeds, lists };
}

function fromArchive(dir: string, facts: RunFacts): Recovery {
  const paths = crawlPaths(dir);
  const repairedState = repairCrawlState(dir);
  const state = seedsOf(dir);
  const misplaced = state.seeds && putInPlace(paths.journals, damagedOf(dir), state.seeds);
  const { view, damages, repaired, cut: journalsCut } = openJournals(paths.journals, state.seeds);
  // A worker's journals hold the ends of its visits, and nothing that could fit or not.
  const isWorkers = state.seeds?.frontier === "engine";
  const compared = isWorkers
    ? undefined
    : state.seeds && compareJournals(paths.journals, state.seeds);
  const committed = new Committed(view);
  const closed = closeArchives(paths.archive, committed);
  for (const path of [paths.log, paths.skipped, paths.debugLog, paths.pages])
    for (const each of withParts(path)) cutTornLine(each);
  for (const path of [paths.skipped, paths.debugLog])
    for (const each of withParts(path)) dropHoles(each);
  const stored = fromStores(dir, facts, committed, view);
  const found = [...(misplaced?.removed ?? []), ...damages];
  // Where bytes are lost, other journals know more than what is left of this one: that is no damage of its own.
  const wrong = found.length > 0 ? found : (compared?.damages ?? []);
  // Damaged journals do not say which visits were committed: then every line stays.
  const logged = wrong.length === 0 ? keepOneLinePerUrl(dir, committed) : undefined;
  const lost = lostArchives(paths.archive, committed.ends);
  keepLost(dir, lost, committed);
  // The last thing: everything before reads the journals as they were.
  const { salvaged, lost: lostBlocks } = isWorkers
    ? { salvaged: false, lost: [] }
    : salvageJournals(dir, wrong, compared?.exchanges ?? []);
  const final = salvaged ? listSalvaged(dir, facts, committed, stored) : { committed, stored };
  const missing = missingIn(dir, final.committed, lost);
  const rows = repairRows(dir);
  const changes = repairControlLog(dir, damagedOf(dir));
  mergeRows(dir, final.committed);
  const all = [
    ...[...state.damages, ...wrong, ...lostBlocks, ...stored.damages],
    ...[...missing, ...rows, ...changes],
  ];
  const whole = wholeState(dir);
  const isDamaged =
    all.length > 0 || final.committed.unnamed > 0 || lacksLines(paths.log, final.committed);
  if (whole !== undefined && (whole.left === true || (isDamaged && whole.damaged !== true)))
    writeCrawlState(dir, { ...whole, left: false, damaged: isDamaged || whole.damaged === true });
  const repairedJournals = [...repaired, ...(misplaced?.renamed ?? [])].map(({ file, offset }) => ({
    file,
    offset,
  }));
  return {
    ...UNTOUCHED,
    ...final.stored,
    damages: all,
    lostBlocks: lostBlocks.reduce((sum, { blocks }) => sum + blocks, 0),
    rebuilt: [
      ...stored.rebuilt,
      ...(logged === undefined ? [] : [{ file: paths.log, offset: logged }]),
    ],
    salvaged,
    closed,
    journalsCut,
    repaired: [...repairedState, ...repairedJournals, ...stored.repaired],
    unnamed: final.committed.unnamed,
  };
}

/**
 * Lists what salvaged journals hold. They may know more ends than the damaged ones: a list of done URLs counts together with
 * its snapshot only, and where that is gone it is what is intact.
 */
function listSalvaged(
  dir: string,
  facts: RunFacts,
  before: Committed,
  listed: FromStores,
): { readonly committed: Committed; readonly stored: FromStores } {
  const paths = crawlPaths(dir);
  const { view } = openJournals(paths.journals, readCrawlState(dir));
  const committed = new Committed(view);
  if (committed.endings === before.endings) return { committed: before, stored: listed };
  const { captures, orphans, lists } = fromStores(dir, facts, committed, view);
  keepLost(dir, lostArchives(paths.archive, committed.ends), committed);
  return { committed, stored: { ...listed, captures, orphans, lists } };
}

/**
 * Whether the log is older than the journals, as in a folder that was copied while its crawl ran: later lists lack URLs. Lines of
 * visits that were never committed may make up for the number of those that are missing.
 */
function lacksLines(log: string, committed: Committed): boolean {
  if (!committed.hasJournal) return false;
  return (existsSync(log) ? committedLines(log, committed) : 0) < committed.endings;
}

type FromStores = Pick<
  Recovery,
  "captures" | "orphans" | "rebuilt" | "damages" | "repaired" | "lists"
>;

/** Writes all lists from what the stores hold. */
function fromStores(
  dir: string,
  facts: RunFacts,
  committed: Committed,
  view: JournalView | undefined,
): FromStores {
  const { archive, tree } = crawlPaths(dir);
  const hasTree = existsSync(tree);
  if (archiveFiles(archive).length > 0 || (!hasTree && committed.keepsRecords)) {
    const { crawled, changed: rebuilt, ...found } = rebuildLists(dir, committed);
    mergeParts(dir);
    const lists = writeResults(dir, facts, { committed, view, captures: capturesIn(crawled) });
    removeIfThere(crawled);
    return { ...found, rebuilt, lists };
  }
  mergeParts(dir);
  dropUncommitted(dir, committed);
  if (!hasTree) {
    // No store, or no answers: the lists are all there is.
    const lists = writeResults(dir, facts, { committed, view });
    return { ...UNTOUCHED, captures: lists.crawled + lists.seeds, lists };
  }
  const { pages, orphans } = pagesOfTree(dir, committed);
  const lists = writeResults(dir, facts, { committed, view, captures: pages });
  return { ...UNTOUCHED, captures: pages.length, orphans, lists };
}

/** Committed records that are missing; for a file that is gone as a whole there is one entry. */
function missingIn(
  dir: string,
  committed: Committed,
  lost: readonly LostArchive[],
): Recovery["damages"] {
  const gone = new Map<string, number>();
  for (const { name, size } of lost) if (size === undefined) gone.set(name, 0);
  const damages: (Place & { what: string })[] = [];
  for (const place of committed.missing()) {
    const records = gone.get(place.file);
    if (records !== undefined) gone.set(place.file, records + 1);
    else damages.push({ ...place, what: "a committed record is missing" });
  }
  for (const [name, records] of gone) {
    const what = `the file is missing, and with it ${records} committed records`;
    damages.push({ file: join(crawlPaths(dir).archive, name), offset: 0, what });
  }
  return damages;
}

/** Notes lost files and records, so that `resume` goes on without them. */
function keepLost(dir: string, lost: readonly LostArchive[], committed: Committed): void {
  const state = wholeState(dir);
  if (state === undefined) return;
  const names = lost.map(({ name }) => name).sort();
  let records = 0;
  for (const { file } of committed.missing()) if (isArchive(file)) records++;
  const isNoted = names.join() === (state.lostArchives ?? []).join();
  if (isNoted && records === (state.lostRecords ?? 0)) return;
  writeCrawlState(dir, { ...state, lostArchives: names, lostRecords: records });
}

/** The seeds of the fingerprints, from the journals when the crawl's state is damaged or gone. */
function seedsOf(dir: string): {
  seeds: (Seeds & Partial<CrawlState>) | undefined;
  damages: Recovery["damages"];
} {
  try {
    const whole = readCrawlState(dir);
    return { seeds: whole, damages: [] };
  } catch (fault) {
    if (!(fault instanceof StoreCorruptError)) throw fault;
    const { state: file, journals } = crawlPaths(dir);
    const what = "the state of the crawl is damaged or missing: it cannot be resumed";
    return { seeds: seedsInJournals(journals), damages: [{ file, offset: 0, what }] };
  }
}

function* capturesIn(path: string): Generator<ListedUrl, void> {
  for (const line of readLines(path)) {
    const failed = line.endsWith(FAILED);
    const [url, source] = line.split("\t") as [string, string | undefined];
    yield { url, source: source ?? "", failed };
  }
}

/** The pages of a tree that count; the others are listed as orphans. */
function pagesOfTree(dir: string, committed: Committed): { pages: FoundUrl[]; orphans: number } {
  const pages: FoundUrl[] = [];
  const orphans: string[] = [];
  for (const { url, source, file: below } of readTree(crawlPaths(dir).tree)) {
    const file = `tree/${below}`;
    if (committed.find(file, 0)) pages.push({ url, source });
    else orphans.push(`${jsonLine({ url, file })}\n`);
  }
  replaceWith(orphanPath(dir), orphans.join(""));
  return { pages, orphans: orphans.length };
}
