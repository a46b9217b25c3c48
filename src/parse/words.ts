import { type PageText, wellFormed } from "./page-text.ts";

import { setOf } from "./tags.ts";

/** Tags that do not end a word; unknown ones do not either. */
export const INLINE: Uint8Array = setOf(
  "a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label link mark meta nobr q " +
    "rb ruby s samp script small span strike strong style sub sup template time tt u var wbr",
);
INLINE[0] = 1;

/** How many words are kept as text, besides being counted. */
export const FIRST_WORDS = 20;
const MAX_WORD_CHARACTERS = 100;

// Byte classes: 0 separates words, 1 belongs to a word, 2 may begin a separator of several bytes.
const ASCII_SPACES = [0x09, 0x0a, 0x0c, 0x0d, 0x20];

function classes(spaces: number[], starts: number[]): Uint8Array {
  const table = new Uint8Array(256).fill(1);
  for (const byte of spaces) table[byte] = 0;
  for (const byte of starts) table[byte] = 2;
  return table;
}

const UTF8 = classes(ASCII_SPACES, [0x26, 0xc2, 0xe2, 0xe3]);
const SINGLE_BYTE = classes([...ASCII_SPACES, 0xa0], [0x26]);
const MULTI_BYTE = classes(ASCII_SPACES, [0x26]);

const NBSP_REFERENCES = ["&nbsp;", "&#160;", "&#xa0;", "&#xA0;"].map((text) => Buffer.from(text));

/** Length of the no-break space or wide space that begins at `p`, 0 when there is none. */
function separatorLength(buf: Buffer, p: number): number {
  const byte = buf[p];
  if (byte === 0xc2) return buf[p + 1] === 0xa0 ? 2 : 0;
  if (byte === 0xe3) return buf[p + 1] === 0x80 && buf[p + 2] === 0x80 ? 3 : 0; // U+3000
  if (byte === 0xe2) {
    const last = buf[p + 2] ?? 0;
    return buf[p + 1] === 0x80 && (last <= 0x8a || last === 0xaf) ? 3 : 0; // U+2000-200A, U+202F
  }
  for (const reference of NBSP_REFERENCES) {
    const end = Math.min(p + reference.length, buf.length);
    if (buf.compare(reference, 0, reference.length, p, end) === 0) {
      return reference.length;
    }
  }
  return 0;
}

/**
 * Counts the words of a page's visible text: runs without white space, across inline tags. Works on
 * bytes, because white space is the same byte in every charset that reaches the scanner.
 */
export class WordCounter {
  words = 0;
  readonly first: string[] = [];
  readonly #buf: Buffer;
  readonly #text: PageText;
  readonly #classes: Uint8Array;
  #inWord = 0;
  #opened = ""; // the beginning of a word that goes on after a tag, while first words are collected

  constructor(buf: Buffer, text: PageText, charset: string) {
    this.#buf = buf;
    this.#text = text;
    if (charset === "utf-8") this.#classes = UTF8;
    else if (/^(windows|iso-8859|macintosh|koi8|ibm866)/.test(charset)) this.#classes = SINGLE_BYTE;
    else this.#classes = MULTI_BYTE;
  }

  /** Counts text from `start` up to the next "<" and returns that offset, or the page's end. */
  until(start: number): number {
    if (this.first.length < FIRST_WORDS) return this.#collect(start, this.#buf.length, true);
    const buf = this.#buf;
    const end = buf.length;
    const table = this.#classes;
    let inWord = this.#inWord;
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
    this.words += words;
    this.#inWord = inWord;
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
    this.#inWord = 0;
  }

  #close(): void {
    if (this.first.length < FIRST_WORDS) {
      this.first.push(wellFormed(this.#opened.slice(0, MAX_WORD_CHARACTERS)));
    }
    this.#opened = "";
  }

  #collect(start: number, end: number, stopAtTag: boolean): number {
    const buf = this.#buf;
    let wordStart = this.#inWord === 1 ? start : -1;
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
        this.words++;
      } else if (kind === 0 && wordStart >= 0) {
        this.#append(wordStart, p);
        this.#close();
        wordStart = -1;
      }
      p += length - 1;
    }
    if (wordStart >= 0) this.#append(wordStart, p);
    this.#inWord = wordStart >= 0 ? 1 : 0;
    return p;
  }

  #append(start: number, end: number): void {
    if (this.first.length >= FIRST_WORDS || this.#opened.length >= MAX_WORD_CHARACTERS) return;
    this.#opened += this.#text.text(start, Math.min(end, start + 4 * MAX_WORD_CHARACTERS));
  }
}
