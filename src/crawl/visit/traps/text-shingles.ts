import type { CrawlUrl } from "../../../url/crawl-url.ts";

/** Words in a shingle: long enough that two texts share few by chance, also with few different words. */
const SHINGLE = 4;
/** A longer page is judged by its beginning. */
const MAX_BYTES = 128 * 1024;
const MAX_SHINGLES = 1024;
/** What stands in these is no text, the title of the page, or the name of another page. */
const SKIPPED = ["script", "style", "title", "a"];
const DATE_WORDS = new Set(
  "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun am pm utc gmt".split(
    " ",
  ),
);

/** What is known of the text of a page. */
export interface PageText {
  /** Fingerprints of its runs of four words; of a long text the first ones. */
  readonly shingles: Uint32Array;
  /** All its words. */
  readonly words: number;
}

/**
 * Fingerprints of the runs of four words in a page's text, without what pages of a trap make up anew: numbers, dates, the
 * title, the words of links and those of the page's own address. Takes time, so it is done for few pages.
 */
export function textOf(html: Uint8Array, url: CrawlUrl): PageText {
  const bytes = Buffer.from(html.buffer, html.byteOffset, Math.min(html.length, MAX_BYTES));
  const text = bytes.toString("latin1").toLowerCase();
  const own = new Set(url.toLowerCase().split(/[^a-z]+/));
  const shingles = new Uint32Array(MAX_SHINGLES);
  const recent = new Uint32Array(SHINGLE);
  let words = 0;
  let count = 0;
  for (const segment of segmentsOf(text)) {
    for (const word of segment.split(/[^a-z0-9\x80-\xff]+/)) {
      if (word === "" || /\d/.test(word) || DATE_WORDS.has(word) || own.has(word)) continue;
      words++;
      if (count === MAX_SHINGLES) continue;
      recent[words % SHINGLE] = hashOf(word);
      if (words < SHINGLE) continue;
      let shingle = 0;
      for (let i = 0; i < SHINGLE; i++)
        shingle = Math.imul(shingle ^ recent[(words + 1 + i) % SHINGLE]!, 0x01000193) >>> 0;
      shingles[count++] = shingle;
    }
  }
  return { shingles: shingles.slice(0, count), words };
}

/** The text between tags, without what stands in skipped elements. Every character is passed once. */
function* segmentsOf(text: string): Generator<string> {
  const unclosed = new Set<string>();
  for (let at = 0; at < text.length; ) {
    const tag = text.indexOf("<", at);
    if (tag < 0) {
      yield text.slice(at);
      return;
    }
    if (tag > at) yield text.slice(at, tag);
    const end = text.indexOf(">", tag);
    if (end < 0) return;
    const name = /^[a-z][a-z0-9]*/.exec(text.slice(tag + 1, tag + 12))?.[0] ?? "";
    at = end + 1;
    if (!SKIPPED.includes(name) || unclosed.has(name)) continue;
    const close = text.indexOf(`</${name}`, at);
    if (close < 0) unclosed.add(name);
    else at = close;
  }
}

function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++)
    hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193) >>> 0;
  return hash ^ (hash >>> 15);
}
