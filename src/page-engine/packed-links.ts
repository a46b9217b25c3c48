/** Words of a link in the engine's memory: fingerprint (low, high half), where its URL begins and ends, mark, origin. */
export const LINK_WORDS = 6;
/** Words of a link as `putPrints` puts them. */
export const PRINT_WORDS = 3;
const FROM = 2;
const TO = 3;
const MARK = 4;
const ORIGIN = 5;
/** Before and behind a URL in the lines of links. */
const LINE_START = "outlink: ";
const LINE_END = "\r\n";
/** No host begins further behind; its first byte is no slash. */
const SCHEME_BYTES = 8;
const SLASH = 0x2f;

/** Where the engine remembers links that are known for certain, for one keeper at a time: another one begins anew. */
export interface KnownTable {
  /** From now on links with this fingerprint are left out. */
  remember(keeper: object, low: number, high: number): void;
  /** Writes the numbers of all other links of the page to `doubtful`; answers how many there are. */
  leaveOutKnown(keeper: object, links: number): number;
  readonly doubtful: Int32Array;
}

/**
 * The distinct links of a page as bytes and fingerprints, in order of first appearance. They stay in the engine's memory
 * until those of the next page are resolved; whoever still holds them then gets a copy, unless they were released.
 */
export class PackedLinks {
  readonly length: number;
  /** The seed of the fingerprints. */
  readonly seedLow: number;
  readonly seedHigh: number;
  /** How many different origins there are; a link whose number is as high has one of those that were not told apart. */
  readonly origins: number;
  #bytes: ReadableBuffer;
  #words: Uint32Array;
  /** Where the bytes of the lines are, and what to subtract from an address to find it there. */
  #linesAt: number;
  /** How long the lines of a metadata record are, "outlink: URL" each. */
  readonly linesBytes: number;
  #offset = 0;
  /** What the engine remembers of links; undefined when these have left its memory. */
  table: KnownTable | undefined;
  #urls: string[] | undefined;
  #isReleased = false;

  constructor(memory: Buffer, words: Uint32Array, counts: PackedCounts) {
    this.length = counts.links;
    this.origins = counts.origins;
    this.seedLow = counts.seedLow;
    this.seedHigh = counts.seedHigh;
    this.#bytes = memory as ReadableBuffer;
    this.#words = words;
    this.#linesAt = counts.linesAt;
    this.linesBytes = counts.linesBytes;
    this.table = counts.table;
  }

  /** These lines; valid until the next page. */
  get lines(): Buffer {
    if (this.#isReleased) throw released();
    return this.#bytes.subarray(this.#linesAt, this.#linesAt + this.linesBytes);
  }

  /** Puts them into a buffer without one of their own. */
  copyLines(into: Buffer, at: number): void {
    if (this.#isReleased) throw released();
    const { buffer, byteOffset } = this.#bytes;
    into.set(new Uint8Array(buffer, byteOffset + this.#linesAt, this.linesBytes), at);
  }

  low(link: number): number {
    if (this.#isReleased) throw released();
    return this.#words[LINK_WORDS * link]!;
  }

  high(link: number): number {
    return this.#words[LINK_WORDS * link + 1]!;
  }

  /** Copies the fingerprints of the links with these numbers, pairs of low and high half; how many of them are marked. */
  copyFingerprints(numbers: Int32Array, from: number, count: number, into: Uint32Array): number {
    if (this.#isReleased) throw released();
    const words = this.#words;
    let marked = 0;
    for (let i = 0; i < count; i++) {
      const at = LINK_WORDS * numbers[from + i]!;
      into[2 * i] = words[at]!;
      into[2 * i + 1] = words[at + 1]!;
      marked += words[at + MARK]!;
    }
    return marked;
  }

  /** Copies the numbers of the origins of the first `count` of these links, for comparing. */
  copyOrigins(numbers: Int32Array, count: number, into: Int32Array): void {
    const words = this.#words;
    for (let i = 0; i < count; i++) into[i] = words[LINK_WORDS * numbers[i]! + ORIGIN]!;
  }

  /** From now on the engine leaves this link out for this keeper. */
  remember(keeper: object, link: number): void {
    if (this.#isReleased) throw released();
    const at = LINK_WORDS * link;
    this.table?.remember(keeper, this.#words[at]!, this.#words[at + 1]!);
  }

  /** True when the URL contains "%" or ends with "?"; every other URL is the only spelling of its page. */
  isMarked(link: number): boolean {
    return this.#words[LINK_WORDS * link + MARK] === 1;
  }

  /** The number of the link's origin, for comparing. */
  origin(link: number): number {
    return this.#words[LINK_WORDS * link + ORIGIN]!;
  }

  /** Scheme, host and port of the link. */
  originText(link: number): string {
    if (this.#isReleased) throw released();
    const bytes = this.#bytes;
    const from = this.#words[LINK_WORDS * link + FROM]! - this.#offset;
    let to = from + SCHEME_BYTES;
    while (bytes[to] !== SLASH) to++;
    return bytes.latin1Slice(from, to);
  }

  url(link: number): string {
    if (this.#urls !== undefined) return this.#urls[link]!;
    if (this.#isReleased) throw released();
    const at = LINK_WORDS * link;
    const words = this.#words;
    return this.#bytes.latin1Slice(
      words[at + FROM]! - this.#offset,
      words[at + TO]! - this.#offset,
    );
  }

  /** All of them as strings. */
  urls(): string[] {
    if (this.#urls !== undefined) return this.#urls;
    if (this.#isReleased) throw released();
    const from = this.#linesAt + LINE_START.length;
    const to = this.#linesAt + this.linesBytes - LINE_END.length;
    const text = () => this.#bytes.latin1Slice(from, to);
    this.#urls = this.length === 0 ? [] : text().split(LINE_END + LINE_START);
    return this.#urls;
  }

  /**
   * Puts what tells a link of the lines into words: both halves of its fingerprint, and where its URL ends in the lines.
   * Answers the place behind the last of them.
   */
  putPrints(into: Uint32Array, at: number): number {
    if (this.#isReleased) throw released();
    const words = this.#words;
    const offset = this.#offset + this.#linesAt;
    let to = at;
    for (let from = 0; from < LINK_WORDS * this.length; from += LINK_WORDS) {
      into[to] = words[from]!;
      into[to + 1] = words[from + 1]!;
      into[to + 2] = words[from + TO]! - offset;
      to += PRINT_WORDS;
    }
    return to;
  }

  /** Nobody will ask any more: what is in the engine's memory may be overwritten. */
  release(): void {
    this.#isReleased = true;
  }

  /** The engine goes on to another page. */
  leaveEngine(): void {
    if (this.#isReleased) return;
    this.table = undefined;
    this.#bytes = Buffer.from(this.lines) as ReadableBuffer;
    this.#words = this.#words.slice(0, LINK_WORDS * this.length);
    this.#offset = this.#linesAt;
    this.#linesAt = 0;
  }
}

function released(): Error {
  return new Error("the links of this page were released");
}

/** What the engine tells about the links of a page. */
export interface PackedCounts {
  readonly links: number;
  readonly origins: number;
  readonly linesAt: number;
  readonly linesBytes: number;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly table?: KnownTable | undefined;
}

/** Node's buffers have this; called directly it costs a third less than toString on short values. */
interface ReadableBuffer extends Buffer {
  latin1Slice(start: number, end: number): string;
}
