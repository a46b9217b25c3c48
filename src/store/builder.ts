import { isList as listsPages } from "../frontier/via.ts";
import { Archive, type ArchiveOptions } from "./archive.ts";
import type { Capture, Location } from "./capture.ts";
import { cdxjLine } from "./cdxj.ts";
import { crawlPaths, partOf } from "./crawl-folder.ts";
import { JsonlWriter } from "./jsonl.ts";
import { pageLine } from "./page-line.ts";

/** Where a builder writes; `folder` is the crawl's output folder, made by createCrawlFolder. */
export type BuilderOptions = ArchiveOptions;

/**
 * Everything one builder thread writes. Each file has one writer: builder 0 writes pages.jsonl and
 * crawl.jsonl themselves, so that they can be followed while the crawl runs, the others a part
 * beside them; index and skipped report are parts for all, because they end up sorted.
 */
export class Builder {
  readonly #archive: Archive;
  readonly #pages: JsonlWriter;
  readonly #index: JsonlWriter;
  readonly #log: JsonlWriter;
  readonly #skipped: JsonlWriter;
  readonly #debugPath: string;
  #debug: JsonlWriter | undefined;

  constructor(options: BuilderOptions) {
    const { thread } = options;
    const paths = crawlPaths(options.folder);
    const own = (path: string) => (thread === 0 ? path : partOf(path, thread));
    this.#archive = new Archive({ ...options, folder: paths.archive });
    this.#pages = new JsonlWriter(own(paths.pages));
    this.#log = new JsonlWriter(own(paths.log));
    this.#index = new JsonlWriter(partOf(paths.index, thread));
    this.#skipped = new JsonlWriter(partOf(paths.skipped, thread));
    this.#debugPath = own(paths.debugLog);
  }

  /**
   * Archives a capture, indexes it, and lists it as a page if its status is 2xx. After a
   * DiskFullError nothing of it was stored and the same call may be repeated.
   */
  page(capture: Capture): Location {
    // Emptied before the archive is touched: from here on only the archive can meet a full disk.
    if (this.#pages.due) this.#pages.flush();
    if (this.#index.due) this.#index.flush();
    const archived = this.#archive.append(capture);
    this.#index.writeLine(cdxjLine(capture, archived.location, archived.payloadDigest));
    const isList = capture.via !== undefined && listsPages(capture.via);
    if (capture.status >= 200 && capture.status < 300 && !isList)
      this.#pages.write(pageLine(capture, archived));
    return archived.location;
  }

  /** One line of logs/crawl.jsonl, as `jsonLine` writes it: what became of a URL. */
  outcome(line: string): void {
    this.#log.writeLine(line);
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

  /** Hands everything to the operating system; the archive is there already. */
  flush(): void {
    for (const writer of this.#writers()) writer.flush();
  }

  /** Returns when every record so far survives a power loss. */
  syncArchive(): void {
    this.#archive.sync();
  }

  /** Closes the archive under its final name, then the lists. */
  close(): void {
    this.#archive.close();
    for (const writer of this.#writers()) writer.close();
  }

  #writers(): JsonlWriter[] {
    const always = [this.#index, this.#pages, this.#log, this.#skipped];
    return this.#debug === undefined ? always : [...always, this.#debug];
  }
}
