import { statSync } from "node:fs";
import { parseJson } from "../../store/files/jsonl.ts";
import { readFully } from "../../store/files/read-file.ts";
import { withFile } from "../../store/files/system-calls.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";
import type { PageLine } from "../../store/lists/page-line.ts";
import { ArchivedPages } from "../read/archived-pages.ts";
import { scanText } from "../read/visible-text.ts";
import { FIELDS, type SearchField } from "./posting-file.ts";
import { SearchIndex } from "./search-index.ts";
import { folded, wordsOf } from "./search-words.ts";

/** A word in a title says more about a page than one in its text. */
const WEIGHTS: Readonly<Record<SearchField, number>> = { text: 1, url: 2, title: 4 };
/** Of a word that is nearly everywhere so many pages are looked at. */
const MAX_PAGES_PER_WORD = 1_000_000;
const AROUND = 80;
const FIRST_LINE_BYTES = 64 * 1024;

/** A page that was found. */
export interface Hit {
  readonly url: string;
  readonly title: string;
  readonly score: number;
  /** The text around the first of the words; "" where the words are not in the text. */
  readonly snippet: string;
}

/** What was found. */
export interface SearchResult {
  /** The words, without case and accents. */
  readonly words: readonly string[];
  /** Pages that have all words, in text, title or URL. */
  readonly total: number;
  /** The best of them. */
  readonly hits: readonly Hit[];
}

/** Finds the pages of an indexed crawl that have all words of a query, the best ones first. */
export function searchCrawl(dir: string, query: string, top: number): SearchResult {
  const words = [...wordsOf(query)];
  const index = new SearchIndex(dir);
  const archived = new ArchivedPages(dir);
  try {
    const scores = scoresOf(index, words);
    const best = [...scores].sort(([a, x], [b, y]) => y - x || a - b).slice(0, top);
    const hits = best.map(([place, score]): Hit => {
      const page = pageAt(dir, index, place);
      const answer = archived.answer(page);
      const text = (answer && scanText(page.mime, answer)?.text) ?? "";
      const { url, title } = page;
      return { url, title, score: Number(score.toFixed(3)), snippet: snippetOf(text, words) };
    });
    return { words, total: scores.size, hits };
  } finally {
    archived.close();
    index.close();
  }
}

/** Pages with all words: rare words count more, and titles more than texts. */
function scoresOf(index: SearchIndex, words: readonly string[]): Map<number, number> {
  let scores: Map<number, number> | undefined;
  for (const word of words) {
    const found = new Map<number, number>();
    for (const field of FIELDS)
      for (const page of index.find(field, word, MAX_PAGES_PER_WORD))
        if (scores === undefined || scores.has(page))
          found.set(page, (found.get(page) ?? 0) + WEIGHTS[field]);
    const rarity = Math.log2(1 + index.pages / Math.max(1, found.size));
    for (const [page, weight] of found) found.set(page, weight * rarity + (scores?.get(page) ?? 0));
    scores = found;
  }
  return scores ?? new Map();
}

/** The line of a page, by its place in the list. */
function pageAt(dir: string, { placesPath }: SearchIndex, place: number): PageLine {
  const { pages } = crawlPaths(dir);
  const [offset] = withFile(placesPath, "r", (file) => {
    const one = new Float64Array(1);
    readFully(file, new Uint8Array(one.buffer), place * 8);
    return one;
  });
  const left = statSync(pages).size - offset!;
  return withFile(pages, "r", (file) => {
    // Data of a handler may make a line long.
    for (let room = Math.min(FIRST_LINE_BYTES, left); ; room = Math.min(4 * room, left)) {
      const bytes = Buffer.alloc(room);
      readFully(file, bytes, offset!);
      const end = bytes.indexOf("\n");
      if (end >= 0 || room === left)
        return parseJson(bytes.toString("utf8", 0, end < 0 ? room : end)) as PageLine;
    }
  });
}

/** The text around the first of the words, on one line. */
function snippetOf(text: string, words: readonly string[]): string {
  const plain = text.replace(/\s+/g, " ").trim();
  const low = folded(plain);
  // Folding may change the length of a text; then the place is only near.
  const places = words.map((word) => placeOf(low, word)).filter((place) => place >= 0);
  if (places.length === 0) return "";
  const at = Math.min(...places);
  const from = at <= AROUND ? 0 : plain.indexOf(" ", at - AROUND) + 1;
  const last = plain.lastIndexOf(" ", at + AROUND);
  const to = at + AROUND >= plain.length || last <= from ? at + AROUND : last;
  const cut = plain.slice(from, to);
  return `${from > 0 ? "… " : ""}${cut}${to < plain.length ? " …" : ""}`;
}

/** Where a word stands as a word, not as a part of another one. */
function placeOf(text: string, word: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isStart = at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!);
    const next = text[at + word.length];
    if (isStart && (next === undefined || !/[\p{L}\p{N}]/u.test(next))) return at;
  }
  return text.indexOf(word);
}
