import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { giveBackMemory } from "../../runtime/collect-garbage.ts";
import { pageRows } from "../../store/export/page-rows.ts";
import { parseJson } from "../../store/files/jsonl.ts";
import { linesAt } from "../../store/files/read-file.ts";
import { replaceFile, replaceWith } from "../../store/files/replace-file.ts";
import { makeFolders } from "../../store/files/system-calls.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";
import { ArchivedPages } from "../read/archived-pages.ts";
import { scanText } from "../read/visible-text.ts";
import { PostingFile, postingOf, type SearchField } from "./posting-file.ts";
import { wordsOf } from "./search-words.ts";

/** Postings held before they are sorted and written: 16 MiB. */
const HELD = 2 ** 21;
const COLLECT_EVERY = 4096;
const VERSION = 1;

/** indexes/search/search.json: what an index is made of, and the list it was made from. */
interface IndexFacts {
  readonly version: number;
  readonly pages: number;
  readonly segments: number;
  /** Size and time of the page list: another list needs another index. */
  readonly listBytes: number;
  readonly listMs: number;
}

/** Where the index of a crawl is. */
function searchPath(dir: string, name: string): string {
  return join(dir, "indexes", "search", name);
}

function factsOf(dir: string): IndexFacts | undefined {
  const path = searchPath(dir, "search.json");
  if (!existsSync(path)) return undefined;
  const facts = parseJson(readFileSync(path, "utf8")) as IndexFacts | undefined;
  const { size, mtimeMs } = statSync(crawlPaths(dir).pages);
  const isCurrent =
    facts?.version === VERSION && facts.listBytes === size && facts.listMs === mtimeMs;
  return isCurrent ? facts : undefined;
}

/** Makes the index of a crawl if it has none of its present pages; memory does not grow with their number. */
export function prepareIndex(dir: string, onProgress?: (pages: number) => void): void {
  if (factsOf(dir) !== undefined) return;
  rmSync(searchPath(dir, ""), { recursive: true, force: true });
  makeFolders(searchPath(dir, ""));
  const { size, mtimeMs } = statSync(crawlPaths(dir).pages);
  const archived = new ArchivedPages(dir);
  const postings = new Float64Array(HELD);
  let held = 0;
  let segments = 0;
  let pages = 0;
  const flush = () => {
    const sorted = postings.subarray(0, held).sort();
    const path = searchPath(dir, `segment-${segments++}.bin`);
    replaceFile(path, (file) => file.write(new Uint8Array(sorted.buffer, 0, held * 8)));
    held = 0;
  };
  const add = (field: SearchField, text: string, page: number) => {
    for (const word of wordsOf(text)) {
      if (held === HELD) flush();
      postings[held++] = postingOf(field, word, page);
    }
  };
  try {
    for (const page of pageRows(crawlPaths(dir).pages)) {
      const answer = archived.answer(page);
      add("text", (answer && scanText(page.mime, answer)?.text) ?? "", pages);
      add("title", page.title, pages);
      add("url", decoded(page.url), pages);
      pages++;
      if (pages % COLLECT_EVERY !== 0) continue;
      giveBackMemory();
      onProgress?.(pages);
    }
  } finally {
    archived.close();
  }
  flush();
  writePlaces(dir);
  const facts: IndexFacts = { version: VERSION, pages, segments, listBytes: size, listMs: mtimeMs };
  replaceWith(searchPath(dir, "search.json"), `${JSON.stringify(facts)}\n`);
}

/** Percent-escapes hide words. */
function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

/** Where the line of each page begins. The first line of the list is its header. */
function writePlaces(dir: string): void {
  replaceFile(searchPath(dir, "places.bin"), (file) => {
    let places: number[] = [];
    const flush = () => {
      file.write(new Uint8Array(Float64Array.from(places).buffer));
      places = [];
    };
    for (const [offset] of linesAt(crawlPaths(dir).pages)) {
      if (offset === 0) continue;
      if (places.push(offset) === COLLECT_EVERY) flush();
    }
    flush();
  });
}

/** The finished index of a crawl. */
export class SearchIndex {
  readonly pages: number;
  /** Places of the lines of pages, as bytes of the list. */
  readonly placesPath: string;
  readonly #segments: PostingFile[];

  constructor(dir: string) {
    const facts = factsOf(dir)!;
    this.pages = facts.pages;
    this.placesPath = searchPath(dir, "places.bin");
    this.#segments = Array.from(
      { length: facts.segments },
      (_, i) => new PostingFile(searchPath(dir, `segment-${i}.bin`)),
    );
  }

  /** The pages with a word in a field, at most so many. */
  *find(field: SearchField, word: string, most: number): Generator<number, void> {
    for (const segment of this.#segments) yield* segment.pages(field, word, most);
  }

  close(): void {
    for (const segment of this.#segments) segment.close();
  }
}
