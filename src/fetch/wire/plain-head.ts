import { factOf, HEAD_FACTS } from "../response-head.ts";

/** Indexed by byte: 1 where it may stand in the name of a header here, which is less than what RFC 9110 allows. */
const NAME_BYTES = new Uint8Array(256);
for (const byte of Buffer.from("-0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
  NAME_BYTES[byte] = 1;

/** The names that matter, in lower case, by their length and first letter, which differ. */
const MAX_NAME = 17;
const slotOf = (length: number, first: number) => length * 32 + (first & 31);
const NAMES: (Uint8Array | undefined)[] = new Array((MAX_NAME + 1) * 32).fill(undefined);
const FACTS = new Int32Array(NAMES.length);
for (const name of HEAD_FACTS) {
  const slot = slotOf(name.length, name.charCodeAt(0));
  NAMES[slot] = Buffer.from(name, "latin1");
  FACTS[slot] = factOf(name);
}

const START = Buffer.from("HTTP/1.1 ", "latin1");
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
/** More digits of a Content-Length are left to the reader. */
const MAX_DIGITS = 15;

const CONTENT_LENGTH = factOf("content-length");
const CONTENT_TYPE = factOf("content-type");
const CONTENT_ENCODING = factOf("content-encoding");
const CONNECTION = factOf("connection");
const TRANSFER_ENCODING = factOf("transfer-encoding");
/** Twice one of these is nothing plain. */
const ONCE = CONTENT_LENGTH | CONTENT_TYPE | CONTENT_ENCODING | CONNECTION | TRANSFER_ENCODING;

/**
 * Reads the heads that nearly all servers send, from bytes: HTTP/1.1, lines that end in CR LF, a length or chunks, and nothing
 * that takes a rule of leniency. Whatever else comes, or does not come in one piece, is left to `HeadScanner`,
 * `ResponseHead.parse` and `framingOf`, which say what is right; a test compares the two.
 */
export class PlainHead {
  readonly #maxBytes: number;
  readonly #maxLines: number;
  status = 0;
  /** The value of Content-Length; -1 for a body in chunks. */
  bodyBytes = 0;
  persistent = true;
  /** Which headers it has, of those that matter. */
  facts = 0;
  type: string | undefined;
  coding: string | undefined;
  readonly #types = new LatestText();
  readonly #codings = new LatestText();

  constructor(maxBytes: number, maxLines: number) {
    this.#maxBytes = maxBytes;
    this.#maxLines = maxLines;
  }

  /** Reads a head at the start of a piece. Returns its length, 0 when it is not a plain one. */
  read(piece: Uint8Array, to: number): number {
    this.facts = 0;
    this.bodyBytes = -1;
    this.persistent = true;
    this.type = this.coding = undefined;
    let at = this.#statusLine(piece, to);
    for (let lines = 0; at > 0; lines++) {
      if (at + 2 > to || at + 2 >= this.#maxBytes || lines > this.#maxLines) return 0;
      if (piece[at] === CR) return piece[at + 1] === LF && this.#isFramed ? at + 2 : 0;
      at = this.#line(piece, at, to);
    }
    return 0;
  }

  get #isFramed(): boolean {
    const framing = this.facts & (CONTENT_LENGTH | TRANSFER_ENCODING);
    return framing === CONTENT_LENGTH || framing === TRANSFER_ENCODING;
  }

  /** The position after the line, 0 when it is not plain. */
  #statusLine(piece: Uint8Array, to: number): number {
    if (to < START.length + 4) return 0;
    for (let i = 0; i < START.length; i++) if (piece[i] !== START[i]) return 0;
    const status = numberOf(piece, START.length, START.length + 3);
    // 204 and 304 have no body, whatever their headers say.
    if (status < 200 || status > 599 || status === 204 || status === 304) return 0;
    if (piece[START.length + 3] !== SPACE) return 0;
    this.status = status;
    return nextLine(piece, START.length + 4, to);
  }

  #line(piece: Uint8Array, start: number, to: number): number {
    let colon = start;
    while (colon < to && NAME_BYTES[piece[colon]!] === 1) colon++;
    if (colon === start || colon >= to || piece[colon] !== COLON) return 0;
    const next = nextLine(piece, colon + 1, to);
    const length = colon - start;
    if (next === 0 || length > MAX_NAME) return next;
    const slot = slotOf(length, piece[start]!);
    const name = NAMES[slot];
    if (name === undefined || !equals(piece, start, name)) return next;
    const fact = FACTS[slot]!;
    if ((this.facts & fact & ONCE) !== 0) return 0;
    this.facts |= fact;
    if ((fact & ONCE) === 0) return next;
    let from = colon + 1;
    let end = next - 2;
    while (from < end && (piece[from] === SPACE || piece[from] === TAB)) from++;
    while (end > from && (piece[end - 1] === SPACE || piece[end - 1] === TAB)) end--;
    return this.#note(fact, piece, from, end) ? next : 0;
  }

  /** False when the value is not plain. */
  #note(fact: number, piece: Uint8Array, from: number, to: number): boolean {
    if (fact === CONTENT_LENGTH) {
      this.bodyBytes = to - from > MAX_DIGITS ? -1 : numberOf(piece, from, to);
      return this.bodyBytes >= 0;
    }
    if (fact === CONTENT_TYPE) this.type = this.#types.of(piece, from, to);
    else if (fact === CONTENT_ENCODING) this.coding = this.#codings.of(piece, from, to);
    else if (fact === TRANSFER_ENCODING) return isWord(piece, from, to, CHUNKED);
    else {
      this.persistent = !isWord(piece, from, to, CLOSE);
      return !this.persistent || isWord(piece, from, to, KEEP_ALIVE);
    }
    return true;
  }
}

const CHUNKED = Buffer.from("chunked", "latin1");
const CLOSE = Buffer.from("close", "latin1");
const KEEP_ALIVE = Buffer.from("keep-alive", "latin1");

function isWord(piece: Uint8Array, from: number, to: number, word: Uint8Array): boolean {
  return to - from === word.length && equals(piece, from, word);
}

/** Bit 0x20 folds letters only; without the test for a letter a control character would pass for a hyphen. */
function equals(piece: Uint8Array, from: number, word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) {
    const want = word[i]!;
    const have = piece[from + i]!;
    if (have !== want && (want < 0x61 || (have | 0x20) !== want)) return false;
  }
  return true;
}

/** -1 unless there are digits and nothing else. */
function numberOf(piece: Uint8Array, from: number, to: number): number {
  let value = from < to ? 0 : -1;
  for (let at = from; at < to; at++) {
    const digit = piece[at]! - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Position behind CR LF; 0 when another control character, or the end of the piece, comes before. */
function nextLine(piece: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && (piece[at]! >= SPACE || piece[at] === TAB)) at++;
  return at + 1 < to && piece[at] === CR && piece[at + 1] === LF ? at + 2 : 0;
}

/** The text of a value: the same string again as long as servers send the same bytes, as they nearly always do. */
class LatestText {
  #text = "";

  of(piece: Uint8Array, from: number, to: number): string {
    const text = this.#text;
    let i = text.length === to - from ? 0 : -1;
    while (i >= 0 && i < text.length) i = text.charCodeAt(i) === piece[from + i] ? i + 1 : -1;
    if (i < 0) {
      const value = Buffer.from(piece.buffer, piece.byteOffset + from, to - from);
      this.#text = value.toString("latin1");
    }
    return this.#text;
  }
}
