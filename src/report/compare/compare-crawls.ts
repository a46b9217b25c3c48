import { join } from "node:path";
import { pageRows } from "../../store/export/page-rows.ts";
import { readLines } from "../../store/files/read-file.ts";
import { replaceFile } from "../../store/files/replace-file.ts";
import { sortLines } from "../../store/files/sort-lines.ts";
import { removeIfThere } from "../../store/files/system-calls.ts";
import { writeLines } from "../../store/files/write-lines.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";

/** Pages of one kind, with examples. */
export interface ComparedPages {
  readonly pages: number;
  readonly examples: readonly string[];
}

/** Sums of a crawl in a comparison. */
export interface SideFigures {
  readonly pages: number;
  readonly meanBytes: number;
  readonly meanWords: number;
  readonly meanLinks: number;
}

/** A crawl beside an earlier one. */
export interface Comparison {
  readonly against: string;
  /** Pages that the other crawl does not have. */
  readonly new: ComparedPages;
  /** Pages that only the other crawl has. */
  readonly gone: ComparedPages;
  /** Pages of both whose bytes differ. */
  readonly changed: ComparedPages;
  readonly same: number;
  readonly here: SideFigures;
  readonly there: SideFigures;
}

/** Compares the pages of two crawls by URL and digest, sorted on disk, so that memory does not grow with them. */
export function compareCrawls(dir: string, other: string, top: number): Comparison {
  const scratch = join(crawlPaths(dir).reports, `compare-${process.pid}`);
  const [a, b] = [`${scratch}-a.tmp`, `${scratch}-b.tmp`];
  try {
    const here = sortedPages(dir, a);
    const there = sortedPages(other, b);
    const groups = { new: new Group(top), gone: new Group(top), changed: new Group(top) };
    let same = 0;
    for (const [mine, theirs] of merged(pagesIn(a), pagesIn(b))) {
      if (theirs === undefined) groups.new.add(mine!.url);
      else if (mine === undefined) groups.gone.add(theirs.url);
      else if (mine.digest !== theirs.digest) groups.changed.add(mine.url);
      else same++;
    }
    return {
      against: other,
      new: groups.new.result(),
      gone: groups.gone.result(),
      changed: groups.changed.result(),
      same,
      here,
      there,
    };
  } finally {
    for (const path of [a, b]) removeIfThere(path);
  }
}

class Group {
  readonly #top: number;
  readonly #examples: string[] = [];
  #pages = 0;

  constructor(top: number) {
    this.#top = top;
  }

  add(url: string): void {
    this.#pages++;
    if (this.#examples.length < this.#top) this.#examples.push(url);
  }

  result(): ComparedPages {
    return { pages: this.#pages, examples: this.#examples };
  }
}

/** Writes a line per page, by URL; answers the figures of all. */
function sortedPages(dir: string, out: string): SideFigures {
  const sums = { pages: 0, bytes: 0, words: 0, links: 0 };
  const lines = function* () {
    for (const { url, digest, bytes, words, links } of pageRows(crawlPaths(dir).pages)) {
      sums.pages++;
      sums.bytes += bytes ?? 0;
      sums.words += words ?? 0;
      sums.links += links ?? 0;
      // The URL first, and a tab, which is below every character of a URL: the order of lines is that of URLs.
      yield `${url}\t${digest}`;
    }
  };
  replaceFile(out, (file) => writeLines(file, lines()));
  sortLines([out], out);
  const mean = (sum: number) => (sums.pages === 0 ? 0 : sum / sums.pages);
  return {
    pages: sums.pages,
    meanBytes: mean(sums.bytes),
    meanWords: mean(sums.words),
    meanLinks: mean(sums.links),
  };
}

interface Side {
  readonly url: string;
  readonly digest: string;
}

function* pagesIn(path: string): Generator<Side, void> {
  for (const line of readLines(path)) {
    const tab = line.indexOf("\t");
    yield { url: line.slice(0, tab), digest: line.slice(tab + 1) };
  }
}

/** Pairs of equal URLs, or a page alone, from two sorted sequences. */
function* merged(
  one: Iterator<Side>,
  other: Iterator<Side>,
): Generator<[Side | undefined, Side | undefined], void> {
  let a = one.next();
  let b = other.next();
  while (a.done !== true || b.done !== true) {
    const before = a.done === true ? 1 : b.done === true ? -1 : order(a.value.url, b.value.url);
    yield [
      before <= 0 ? (a.value as Side) : undefined,
      before >= 0 ? (b.value as Side) : undefined,
    ];
    if (before <= 0) a = one.next();
    if (before >= 0) b = other.next();
  }
}

function order(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
