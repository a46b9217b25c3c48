import { BoundedBytes } from "./xml-bytes.ts";
import { isNameStart, XmlNames } from "./xml-names.ts";
import { xmlAttributes } from "./xml-text.ts";

/** Receives the tags of a document; names are local (without prefix) and in lower case. */
export interface XmlSink {
  /** A start tag; during the call the scanner's `attributes` are those of this tag. `<a/>` is closed at once. */
  open(name: string, prefix: string): void;
  close(name: string): void;
  /** What follows `<!DOCTYPE`, shortened; the sink decides whether reading goes on. */
  doctype(text: string): void;
}

const TEXT = 0;
const OPEN = 1; // after "<"
const TAG = 2;
const BANG = 3; // after "<!", until it is known what it is
const COMMENT = 4;
const CDATA = 5;
const INSTRUCTION = 6;
const DECLARATION = 7;
const DOCTYPE = 8;

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const AMPERSAND = 0x26;
const BRACKET = 0x5d;

const MAX_TAG_BYTES = 64 * 1024;
/** A URL of 2,083 characters, each written as a reference of up to seven bytes, still fits. */
const MAX_TEXT_BYTES = 16 * 1024;
const MAX_DOCTYPE_CHARACTERS = 64;
const ESCAPED_AMPERSAND = Buffer.from("&amp;", "latin1");

/**
 * Splits UTF-8 bytes into tags and wanted text, in pieces of any size, looking at each byte once. It does not
 * validate: what is not well formed is read as far as it makes sense, and nothing is ever expanded or fetched.
 * Invariant: the calls depend on the bytes alone, not on the pieces.
 */
export class XmlScanner {
  readonly #sink: XmlSink;
  #state = TEXT;
  #quote = 0;
  /** How much of "-->", "]]>" or "?>" has been seen. */
  #ending = 0;
  #word = "";
  // A tag that is cut by the end of a piece waits here; one within a piece is never copied.
  readonly #tag = new BoundedBytes(MAX_TAG_BYTES);
  readonly #text = new BoundedBytes(MAX_TEXT_BYTES);
  readonly #names = new XmlNames();
  // Where the current start tag is, for the few whose attributes are needed.
  #current: Uint8Array = new Uint8Array(0);
  #currentStart = 0;
  #currentEnd = 0;
  #collecting = false;
  #stopped = false;

  constructor(sink: XmlSink) {
    this.#sink = sink;
  }

  /** Keeps character data from here on, until `take` or the next `collect`. */
  collect(): void {
    this.#text.clear();
    this.#collecting = true;
  }

  /** Ends collecting; undefined when the text was too long. */
  take(): string | undefined {
    this.#collecting = false;
    return this.#text.text();
  }

  /** Length of the current start tag, name included. */
  get tagBytes(): number {
    return this.#currentEnd - this.#currentStart;
  }

  /** The attributes of the current start tag. */
  attributes(): Map<string, string> {
    return xmlAttributes(this.#current.subarray(this.#currentStart, this.#currentEnd));
  }

  /** Ignores the rest of the document. */
  stop(): void {
    this.#stopped = true;
  }

  /** Reads the next piece. */
  push(piece: Uint8Array): void {
    let at = 0;
    while (at < piece.length && !this.#stopped) at = this.#step(piece, at);
  }

  #step(piece: Uint8Array, at: number): number {
    switch (this.#state) {
      case TEXT:
        return this.#readText(piece, at);
      case OPEN:
        return this.#readOpen(piece, at);
      case TAG:
        return this.#readTag(piece, at);
      case BANG:
        return this.#readBang(piece, at);
      case COMMENT:
        return this.#skipPast(piece, at, 0x2d, 2);
      case CDATA:
        return this.#readCdata(piece, at);
      case INSTRUCTION:
        return this.#skipPast(piece, at, 0x3f, 1);
      case DOCTYPE:
        return this.#readDoctype(piece, at);
      default:
        return this.#skipPast(piece, at, 0, 0);
    }
  }

  #readText(piece: Uint8Array, at: number): number {
    const found = piece.indexOf(LT, at);
    const end = found < 0 ? piece.length : found;
    if (this.#collecting) this.#text.append(piece, at, end);
    if (found < 0) return end;
    this.#state = OPEN;
    return end + 1;
  }

  #readOpen(piece: Uint8Array, at: number): number {
    const byte = piece[at]!;
    if (byte === 0x21) {
      this.#word = "";
      this.#state = BANG;
      return at + 1;
    }
    if (byte === 0x3f) {
      this.#ending = 0;
      this.#state = INSTRUCTION;
      return at + 1;
    }
    if (byte === SLASH || isNameStart(byte)) {
      this.#quote = 0;
      this.#tag.clear();
      this.#state = TAG;
      return at;
    }
    // Not a tag: a stray "<" is text.
    if (this.#collecting) this.#text.add(LT);
    this.#state = TEXT;
    return at;
  }

  #readTag(piece: Uint8Array, start: number): number {
    let quote = this.#quote;
    let at = start;
    for (; at < piece.length; at++) {
      const byte = piece[at]!;
      // XML forbids "<" even inside quotes, so it ends a tag whose ">" or quote is missing.
      if (byte === LT) break;
      if (quote !== 0) {
        if (byte === quote) quote = 0;
      } else if (byte === GT) break;
      else if (byte === 0x22 || byte === 0x27) quote = byte;
    }
    this.#quote = quote;
    if (at === piece.length) {
      this.#tag.append(piece, start, at);
      return at;
    }
    const ended = piece[at] === GT;
    this.#state = ended ? TEXT : OPEN;
    if (this.#tag.isEmpty) {
      if (at - start <= MAX_TAG_BYTES) this.#emit(piece, start, at);
    } else {
      this.#tag.append(piece, start, at);
      const whole = this.#tag.whole();
      if (whole !== undefined) this.#emit(whole, 0, whole.length);
    }
    return at + 1;
  }

  #emit(bytes: Uint8Array, start: number, end: number): void {
    if (bytes[start] === SLASH) {
      this.#sink.close(this.#names.at(bytes, start + 1, end).local);
      return;
    }
    this.#current = bytes;
    this.#currentStart = start;
    this.#currentEnd = end;
    const { local, prefix } = this.#names.at(bytes, start, end);
    this.#sink.open(local, prefix);
    if (bytes[end - 1] === SLASH && !this.#stopped) this.#sink.close(local);
  }

  #readBang(piece: Uint8Array, at: number): number {
    const word = this.#word + String.fromCharCode(piece[at]!).toUpperCase();
    this.#word = word;
    this.#ending = 0;
    if (word === "--") this.#state = COMMENT;
    else if (word === "[CDATA[") this.#state = CDATA;
    else if (word === "DOCTYPE") {
      this.#word = "";
      this.#state = DOCTYPE;
    } else if (!"--".startsWith(word) && !"[CDATA[".startsWith(word) && !"DOCTYPE".startsWith(word))
      this.#state = DECLARATION;
    return this.#state === DECLARATION ? at : at + 1;
  }

  #readDoctype(piece: Uint8Array, start: number): number {
    for (let at = start; at < piece.length; at++) {
      const byte = piece[at]!;
      if (byte === GT || byte === 0x5b || this.#word.length >= MAX_DOCTYPE_CHARACTERS) {
        this.#ending = 0;
        this.#state = DECLARATION;
        this.#sink.doctype(this.#word);
        return at;
      }
      this.#word += String.fromCharCode(byte);
    }
    return piece.length;
  }

  #readCdata(piece: Uint8Array, start: number): number {
    for (let at = start; at < piece.length; at++) {
      const byte = piece[at]!;
      if (byte === BRACKET) {
        this.#ending++;
        continue;
      }
      const ends = byte === GT && this.#ending >= 2;
      if (this.#collecting) {
        for (let i = ends ? 2 : 0; i < this.#ending; i++) this.#text.add(BRACKET);
        // Kept as a reference, so that one rule reads the whole text afterwards.
        if (byte === AMPERSAND) this.#text.append(ESCAPED_AMPERSAND, 0, ESCAPED_AMPERSAND.length);
        else if (!ends) this.#text.add(byte);
      }
      this.#ending = 0;
      if (!ends) continue;
      this.#state = TEXT;
      return at + 1;
    }
    return piece.length;
  }

  /** Skips past the next ">" that follows at least `count` bytes of the given kind. */
  #skipPast(piece: Uint8Array, start: number, before: number, count: number): number {
    let seen = this.#ending;
    for (let at = start; at < piece.length; at++) {
      const byte = piece[at]!;
      if (byte === GT && seen >= count) {
        this.#state = TEXT;
        return at + 1;
      }
      seen = byte === before ? seen + 1 : 0;
    }
    this.#ending = seen;
    return piece.length;
  }
}
