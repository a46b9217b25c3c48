import { closeSync, fstatSync, openSync } from "node:fs";
import { readFully } from "../../store/files/read-file.ts";

/** A posting is one number: the hash of a word in a field, and the place of a page in the list. */
const PAGES = 2 ** 27;
const HASHES = 2 ** 26;
const POSTING_BYTES = 8;

/** Where a word was found. */
export const FIELDS = ["text", "url", "title"] as const;

/** One of the places where words are looked for. */
export type SearchField = (typeof FIELDS)[number];

/** The posting of a word in a field of a page. Numbers below 2^53 are exact, so postings sort and compare as numbers. */
export function postingOf(field: SearchField, word: string, page: number): number {
  let hash = 0x811c9dc5 ^ FIELDS.indexOf(field);
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) % HASHES) * PAGES + page;
}

/** A sorted file of postings. */
export class PostingFile {
  readonly #file: number;
  readonly #length: number;

  constructor(path: string) {
    this.#file = openSync(path, "r");
    this.#length = Math.floor(fstatSync(this.#file).size / POSTING_BYTES);
  }

  /** The pages with a word in a field, in the order of the list, at most so many. */
  pages(field: SearchField, word: string, most: number): Float64Array {
    const low = postingOf(field, word, 0);
    const from = this.#firstFrom(low);
    const to = Math.min(this.#firstFrom(low + PAGES), from + most);
    const pages = new Float64Array(Math.max(0, to - from));
    readFully(this.#file, new Uint8Array(pages.buffer), from * POSTING_BYTES);
    return pages.map((posting) => posting - low);
  }

  close(): void {
    closeSync(this.#file);
  }

  #firstFrom(posting: number): number {
    const one = new Float64Array(1);
    let first = 0;
    for (let end = this.#length; first < end; ) {
      const middle = Math.floor((first + end) / 2);
      readFully(this.#file, new Uint8Array(one.buffer), middle * POSTING_BYTES);
      if (one[0]! < posting) first = middle + 1;
      else end = middle;
    }
    return first;
  }
}
