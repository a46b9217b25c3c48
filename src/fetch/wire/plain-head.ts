import { factOf, HEAD_FACTS } from "../response-head.ts";

/** Indexed by byte: 1 where it may stand in the name of a header here, which is less than what RFC 9110 allows. */
const NAME_BYTES = new Uint8Array(256);
for (const byte of Buffer.from("-0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
  NAME_BYTES[byte] = 1;

/** The names that matter, in lower case, by their length and first letter, which differ. */
const MAX_NAME = 17;
const SLOTS_PER_LENGTH = 32;
const NAMES: (Uint8Array | undefined)[] = new Array((MAX_NAME + 1) * SLOTS_PER_LENGTH).fill(
  undefined,
);
const FACTS = new Int32Array(NAMES.length);
for (const name of HEAD_FACTS) {
  const slot = name.length * SLOTS_PER_LENGTH + (name.charCodeAt(0) & 31);
  NAMES[slot] = Buffer.from(name, "latin1");
  FACTS[slot] = factOf(name);
}

const START = Buffer.from("HTTP/1.1 ", "latin1");
const STATUS_END = START.length + 3;
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
const FRAMING = CONTENT_LENGTH | TRANSFER_ENCODING;
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
  /** The values that came last; servers nearly always send the same ones. */
  #latestType = "";
  #latestCoding = "";
  #latestTransfer = "";
  #latestOption = "";

  constructor(maxBytes: number, maxLines: number) {
    this.#maxBytes = maxBytes;
    this.#maxLines = maxLines;
  }

  /** Reads a head at the start of a piece. Returns its length, 0 when it is not a plain one. */
  read(piece: Uint8Array, to: number): number {
    for (let i = 0; i < START.length; i++) if (piece[i] !== START[i]) return 0;
    this.status = numberOf(piece, START.length, STATUS_END);
    // 204 and 304 have no body, whatever their headers say.
    if (this.status < 200 || this.status > 599 || this.status === 204 || this.status === 304)
      return 0;
    if (piece[STATUS_END] !== SPACE) return 0;
    this.facts = 0;
    this.bodyBytes = -1;
    this.persistent = true;
    this.type = this.coding = undefined;
    // Behind the name of the line, or the status; what that line is about, as far as it matters.
    let from = STATUS_END + 1;
    let fact = 0;
    for (let lines = 0; lines <= this.#maxLines; lines++) {
      let end = from;
      while (end < to && (piece[end]! >= SPACE || piece[end] === TAB)) end++;
      const next = end + 2;
      if (piece[end] !== CR || piece[end + 1] !== LF) return 0;
      if (next + 2 > to || next + 2 >= this.#maxBytes) return 0;
      if ((fact & ONCE) !== 0 && !this.#note(fact, piece, from, end)) return 0;
      this.facts |= fact;
      if (piece[next] === CR) {
        const framing = this.facts & FRAMING;
        const isFramed = framing === CONTENT_LENGTH || framing === TRANSFER_ENCODING;
        return isFramed && piece[next + 1] === LF ? next + 2 : 0;
      }
      let colon = next;
      while (colon < to && NAME_BYTES[piece[colon]!] === 1) colon++;
      if (colon === next || colon >= to || piece[colon] !== COLON) return 0;
      from = colon + 1;
      const length = colon - next;
      const slot = length > MAX_NAME ? 0 : length * SLOTS_PER_LENGTH + (piece[next]! & 31);
      const name = NAMES[slot];
      fact = 0;
      if (name === undefined) continue;
      // A name holds no control character, so bit 0x20 folds its letters and nothing else.
      let same = 0;
      while (same < length && (piece[next + same]! | 0x20) === name[same]) same++;
      if (same === length) fact = FACTS[slot]!;
    }
    return 0;
  }

  /** Notes the value of a header that may come once. False when it is not plain. */
  #note(fact: number, piece: Uint8Array, lineFrom: number, lineEnd: number): boolean {
    if ((this.facts & fact) !== 0) return false;
    let from = lineFrom;
    let to = lineEnd;
    while (from < to && (piece[from] === SPACE || piece[from] === TAB)) from++;
    while (to > from && (piece[to - 1] === SPACE || piece[to - 1] === TAB)) to--;
    if (fact === CONTENT_LENGTH) {
      this.bodyBytes = to - from > MAX_DIGITS ? -1 : numberOf(piece, from, to);
      return this.bodyBytes >= 0;
    }
    if (fact === CONTENT_TYPE) {
      this.type = this.#latestType = textOf(piece, from, to, this.#latestType);
      return true;
    }
    if (fact === CONTENT_ENCODING) {
      this.coding = this.#latestCoding = textOf(piece, from, to, this.#latestCoding);
      return true;
    }
    if (fact === TRANSFER_ENCODING) {
      this.#latestTransfer = textOf(piece, from, to, this.#latestTransfer);
      return this.#latestTransfer.toLowerCase() === "chunked";
    }
    this.#latestOption = textOf(piece, from, to, this.#latestOption);
    const option = this.#latestOption.toLowerCase();
    this.persistent = option !== "close";
    return !this.persistent || option === "keep-alive";
  }
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

/** The text of a value: the given string again where its bytes are the same. */
function textOf(piece: Uint8Array, from: number, to: number, latest: string): string {
  let i = latest.length === to - from ? 0 : -1;
  while (i >= 0 && i < latest.length) i = latest.charCodeAt(i) === piece[from + i] ? i + 1 : -1;
  if (i >= 0) return latest;
  return Buffer.from(piece.buffer, piece.byteOffset + from, to - from).toString("latin1");
}
