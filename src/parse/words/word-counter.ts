import { type PageText, wellFormed } from "../page-text.ts";

import { setOf } from "../tags.ts";
import type { TextRun } from "./text-run.ts";

/** Tags that do not end a word; unknown ones do not either. */
export const INLINE: Uint8Array = setOf(
  "a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label link mark meta nobr q " +
    "rb ruby s samp script small span strike strong style sub sup template time tt u var wbr",
);
INLINE[0] = 1;

/** How many words are kept as text, besides being counted. */
export const FIRST_WORDS = 20;
/** Longer words are cut. */
export const MAX_WORD_CHARACTERS = 100;

/** Cells of a count: words begun, and 1 when the last byte belonged to one. */
const WORDS = 0;
const IN_WORD = 1;

// Byte classes: 0 separates words, 1 belongs to a word, 2 may begin a separator of several bytes.
const ASCII_SPACES = [0x09, 0x0a, 0x0c, 0x0d, 0x20];

function classes(spaces: number[], starts: number[]): Uint8Array {
  const table = new Uint8Array(256).fill(1);
  for (const byte of spaces) table[byte] = 0;
  for (const byte of starts) table[byte] = 2;
  return table;
}

/** Classes of bytes for UTF-8, for charsets with one byte per character, and for others. */
export const UTF8: Uint8Array = classes(ASCII_SPACES, [0x26, 0xc2, 0xe2, 0xe3]);
export const SINGLE_BYTE: Uint8Array = classes([...ASCII_SPACES, 0xa0], [0x26]);
export const MULTI_BYTE: Uint8Array = classes(ASCII_SPACES, [0x26]);

const NBSP_REFERENCES = ["&nbsp;", "&#160;", "&#xa0;", "&#xA0;"].map((text) => Buffer.from(text));

/** Length of the no-break space or wide space that begins at `p`, 0 when there is none. */
function separatorLength(buf: Buffer, p: number): number {
  const byte = buf[p];
  if (byte === 0xc2) return buf[p + 1] === 0xa0 ? 2 : 0;
  if (byte === 0xe3) return buf[p + 1] === 0x80 && buf[p + 2] === 0x80 ? 3 : 0; // U+3000
  if (byte === 0xe2) {
    // Not every byte below 8B: half a character before a "<" must not swallow the tag.
    const last = buf[p + 2] ?? 0;
    const isSpace = (last >= 0x80 && last <= 0x8a) || last === 0xaf;
    return buf[p + 1] === 0x80 && isSpace ? 3 : 0; // U+2000-200A, U+202F
  }
  for (const reference of NBSP_REFERENCES) {
    const end = Math.min(p + reference.length, buf.length);
    if (buf.compare(reference, 0, reference.length, p, end) === 0) {
      return reference.length;
    }
  }
  return 0;
}

/** Classes of bytes for a charset. */
export function classesOf(charset: string): Uint8Array {
  if (charset === "utf-8") return UTF8;
  const isSingle = /^(windows|iso-8859|macintosh|koi8|ibm866)/.test(charset);
  return isSingle ? SINGLE_BYTE : MULTI_BYTE;
}

/** Takes the visible text of a page, run by run, as a scan comes to it. */
export type TextSink = Pick<WordCounter, "until" | "range" | "literal" | "endWord">;

/**
 * Counts the words of a page's visible text: runs without white space, across inline tags. Works on
 * bytes, because white space is the same byte in every charset that reaches the scanner.
 */
export class WordCounter {
  readonly first: string[] = [];
  readonly #buf: Buffer;
  readonly #text: PageText;
  readonly #classes: Uint8Array;
  readonly #run: TextRun | undefined;
  readonly #cells: Int32Array;
  #opened = ""; // the beginning of a word that goes on after a tag, while first words are collected

  /** `run` counts faster; `buf` must then be the beginning of its memory. */
  constructor(buf: Buffer, text: PageText, charset: string, run?: TextRun) {
    this.#buf = buf;
    this.#text = text;
    this.#run = run;
    this.#cells = run?.cells ?? new Int32Array(2);
    this.#cells[WORDS] = 0;
    this.#cells[IN_WORD] = 0;
    this.#classes = classesOf(charset);
  }

  /** Words begun so far. */
  get words(): number {
    return this.#cells[WORDS]!;
  }

  /**
   * Counts text from `start` up to the next "<" and returns that offset, or the page's end. Tags of the kinds in `passes`
   * may be skipped.
   */
  until(start: number, passes = 0): number {
    if (this.first.length < FIRST_WORDS) return this.#collect(start, this.#buf.length, true);
    if (this.#run === undefined) return this.#walk(start);
    const space = this.#classes === SINGLE_BYTE ? 0xa0 : 0x20;
    const utf8 = this.#classes === UTF8 ? 1 : 0;
    const buf = this.#buf;
    let p = start;
    for (;;) {
      p = this.#run.run(p, buf.length, space, utf8, passes);
      if (p >= buf.length || buf[p] === 0x3c) return p;
      p = this.#reference(p);
    }
  }

  /** An "&" begins a no-break space or is a letter like others. */
  #reference(p: number): number {
    const cells = this.#cells;
    const length = separatorLength(this.#buf, p);
    if (length === 0 && cells[IN_WORD] === 0) cells[WORDS]!++;
    cells[IN_WORD] = length === 0 ? 1 : 0;
    return p + Math.max(1, length);
  }

  /** The same byte by byte. */
  #walk(start: number): number {
    const buf = this.#buf;
    const end = buf.length;
    const table = this.#classes;
    let inWord = this.#cells[IN_WORD]!;
    let words = 0;
    let p = start;
    for (; p < end; p++) {
      const byte = buf[p]!;
      if (byte === 0x3c) break;
      let kind = table[byte]!;
      if (kind === 2) {
        const length = separatorLength(buf, p);
        kind = length === 0 ? 1 : 0;
        if (length > 0) p += length - 1;
      }
      words += kind & (inWord ^ 1);
      inWord = kind;
    }
    this.#cells[WORDS]! += words;
    this.#cells[IN_WORD] = inWord;
    return p;
  }

  /** Counts text that holds no markup, such as that of xmp, where "<" is a character. */
  range(start: number, end: number): void {
    this.#collect(start, end, false);
  }

  /** A "<" that opens no tag is part of the text. */
  literal(start: number): void {
    this.#collect(start, start + 1, false);
  }

  /** A block-level tag ends the word before it. */
  endWord(): void {
    if (this.#opened !== "") this.#close();
    this.#cells[IN_WORD] = 0;
  }

  #close(): void {
    if (this.first.length < FIRST_WORDS) {
      this.first.push(wellFormed(this.#opened.slice(0, MAX_WORD_CHARACTERS)));
    }
    this.#opened = "";
  }

  #collect(start: number, end: number, stopAtTag: boolean): number {
    const buf = this.#buf;
    let wordStart = this.#cells[IN_WORD] === 1 ? start : -1;
    let p = start;
    for (; p < end; p++) {
      const byte = buf[p]!;
      if (stopAtTag && byte === 0x3c) break;
      let kind = this.#classes[byte]!;
      let length = 1;
      if (kind === 2) {
        const separator = separatorLength(buf, p);
        kind = separator === 0 ? 1 : 0;
        if (separator > 0) length = separator;
      }
      if (kind === 1 && wordStart < 0) {
        wordStart = p;
        this.#cells[WORDS]!++;
      } else if (kind === 0 && wordStart >= 0) {
        this.#append(wordStart, p);
        this.#close();
        wordStart = -1;
      }
      p += length - 1;
    }
    if (wordStart >= 0) this.#append(wordStart, p);
    this.#cells[IN_WORD] = wordStart >= 0 ? 1 : 0;
    return p;
  }

  #append(start: number, end: number): void {
    if (this.first.length >= FIRST_WORDS || this.#opened.length >= MAX_WORD_CHARACTERS) return;
    this.#opened += this.#text.text(start, Math.min(end, start + 4 * MAX_WORD_CHARACTERS));
  }
}
