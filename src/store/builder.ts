import { randomInt } from "node:crypto";
import { CapacityError } from "../errors.ts";
import { isList as listsPages } from "../frontier/via.ts";
import { type Archived, type Capture, type Location, UNKEPT } from "./capture.ts";
import { type CrawlPaths, crawlPaths, partOf } from "./folder/crawl-folder.ts";
import { graphPaths } from "./graph/link-graph.ts";
import { graphFacts, LinkLog } from "./graph/link-log.ts";
import { cdxjLine } from "./lists/cdxj.ts";
import { JsonlWriter, jsonText } from "./lists/jsonl.ts";
import { pageLine } from "./lists/page-line.ts";
import { PageTree } from "./tree/page-tree.ts";
import { Archive, type ArchiveOptions } from "./warc/archive.ts";
import { sha1, sha256 } from "./warc/digest.ts";
import { newRecordId } from "./warc/warc-record.ts";

const NOWHERE: Location = { file: "", offset: 0, length: 0 };

/** Where a builder writes; `folder` is the crawl's output folder, made by createCrawlFolder. */
export interface BuilderOptions extends ArchiveOptions {
  /** What pages are kept in; absent means a WARC archive. */
  stores?: { readonly warc: boolean; readonly tree: boolean };
  /** Shared by all builders of a crawl that keeps a tree: `treeLockMemory`. */
  treeLocks?: SharedArrayBuffer;
}

/**
 * Everything one builder thread writes. Each file has one writer: builder 0 writes pages.jsonl and
 * crawl.jsonl themselves, so that they can be followed while the crawl runs, the others a part
 * beside them; index and skipped report are parts for all, because they end up sorted.
 */
export class Builder {
  readonly #archive: Archive | undefined;
  readonly #tree: PageTree | undefined;
  readonly #links: LinkLog;
  readonly #pages: JsonlWriter;
  readonly #index: JsonlWriter;
  readonly #log: JsonlWriter;
  readonly #skipped: JsonlWriter;
  readonly #debugPath: string;
  #debug: JsonlWriter | undefined;
  /** Random, so that no other builder and no later run begins near it. */
  #unkeptNumber = randomInt(2 ** 47);

  constructor(options: BuilderOptions) {
    const { thread, stores = { warc: true, tree: false } } = options;
    const paths = crawlPaths(options.folder);
    const own = (path: string) => (thread === 0 ? path : partOf(path, thread));
    this.#archive = stores.warc ? new Archive({ ...options, folder: paths.archive }) : undefined;
    this.#tree = stores.tree ? openTree(options, paths) : undefined;
    const graph = graphPaths(options.folder);
    this.#links = new LinkLog(
      graphFacts(graph.facts),
      partOf(graph.out, thread),
      partOf(graph.nodes, thread),
    );
    this.#pages = new JsonlWriter(own(paths.pages));
    this.#log = new JsonlWriter(own(paths.log));
    this.#index = new JsonlWriter(partOf(paths.index, thread));
    this.#skipped = new JsonlWriter(partOf(paths.skipped, thread));
    this.#debugPath = own(paths.debugLog);
  }

  /**
   * Stores a capture, indexes it, and lists it as a page if its status is 2xx; it is on its way to
   * the disk after the next `flush`. After a DiskFullError nothing of it was taken and the same call
   * may be repeated. The file is "" when it is not for this store: a tree holds pages
   * only; without any store it is UNKEPT.
   */
  page(capture: Capture): Location {
    // Emptied before the archive is touched: from here on only the stores can meet a full disk.
    if (this.#pages.due || this.#index.due || this.#links.isDue(capture.outlinks.length))
      this.flush();
    const isList = capture.via !== undefined && listsPages(capture.via);
    const isPage = capture.status >= 200 && capture.status < 300 && !isList;
    const inTree = isPage ? this.#tree?.add(capture) : undefined;
    const archived =
      this.#archive?.append(capture) ??
      (inTree && treeOnly(capture, inTree)) ??
      (this.#tree === undefined ? this.#unkept() : undefined);
    if (this.#archive !== undefined) this.#index.writeLine(cdxjLine(capture, archived!));
    if (isPage) this.#pages.writeLine(pageLine(capture, archived!));
    if (capture.outlinks.length > 0) this.#links.page(capture.url, capture.outlinks);
    return archived?.location ?? NOWHERE;
  }

  /** The place of what no store keeps: a number that tells this fetch from any other of the crawl. */
  #unkept(): Archived {
    const location = { file: UNKEPT, offset: this.#unkeptNumber++, length: 0 };
    const recordId = newRecordId();
    return { location, payloadDigest: "", payloadSha256: "", recordId, isRevisit: false };
  }

  /** One line of logs/crawl.jsonl, as `jsonLine` writes it: what became of a URL. */
  outcome(line: string): void {
    if (this.#log.due) this.flush();
    this.#log.writeLine(line);
  }

  /** The same of a capture: the beginning of the line comes from the crawler, and the place of the record behind it. */
  captured(start: Uint8Array, { file, offset }: Location): void {
    if (this.#log.due) this.flush();
    this.#log.holdParts(start, file === "" ? "}" : `,"file":${jsonText(file)},"offset":${offset}}`);
  }

  /** One line of reports/skipped.jsonl; each URL is reported once, however often it was skipped. */
  skipped(line: { url: string }): void {
    // The URL comes first, so that sorting brings equal ones together.
    const { url, ...rest } = line;
    this.#skipped.write({ url, ...rest });
  }

  /** One line of logs/debug.jsonl, which exists only if there is one. */
  debug(line: object): void {
    this.#debug ??= new JsonlWriter(this.#debugPath);
    this.#debug.write(line);
  }

  /** Hands everything to the operating system, records before the lines that name them. */
  flush(): void {
    this.#archive?.flush();
    for (const writer of this.#writers()) writer.flush();
  }

  /** Returns when every record so far survives a power loss. */
  syncArchive(): void {
    this.#archive?.sync();
  }

  /** Closes the archive under its final name, then the lists. */
  close(): void {
    this.#archive?.close();
    for (const writer of this.#writers()) writer.close();
  }

  #writers(): (JsonlWriter | LinkLog)[] {
    const always = [this.#index, this.#pages, this.#log, this.#skipped, this.#links];
    return this.#debug === undefined ? always : [...always, this.#debug];
  }
}

function openTree({ folder, treeLocks, thread }: BuilderOptions, paths: CrawlPaths): PageTree {
  if (treeLocks === undefined) throw new CapacityError("a URL tree needs the locks of its crawl");
  return new PageTree(folder, paths.tree, treeLocks, thread);
}

/** What the page list says about a page that is in no archive. */
function treeOnly(capture: Capture, location: Location): Archived {
  return {
    location,
    payloadDigest: sha1(capture.body),
    payloadSha256: sha256(capture.body),
    recordId: newRecordId(),
    isRevisit: false,
  };
}
