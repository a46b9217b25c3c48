/*
 * Pages on their way from the crawlers to the parser, which never make a crawler wait: a log that is written once.
 *
 *   TAIL      words that are reserved
 *   READY     changes with every page, for the parser to sleep on
 *   page      length word (0 until the page is whole), status, length of the record, record and body, padded to whole words
 */
const TAIL = 0;
const READY = 1;
const CLOSED = 2;
const WORDS = 4;
const HEAD_WORDS = 3;

/** A page as its crawler handed it over. */
export interface ListedPage {
  readonly status: number;
  /** URL and depth, as in the frontier. */
  readonly record: Uint8Array;
  readonly body: Uint8Array;
}

/** An endless list of pages that many threads append to and one reads. */
export class PageList {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  #at = WORDS;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.#bytes = new Uint8Array(memory);
  }

  /** Appends a page; false when the memory is used up. */
  append({ status, record, body }: ListedPage): boolean {
    const length = record.length + body.length;
    const words = HEAD_WORDS + Math.ceil(length / 4);
    const at = WORDS + Atomics.add(this.#words, TAIL, words);
    if (at + words > this.#words.length) return false;
    this.#bytes.set(record, (at + HEAD_WORDS) * 4);
    this.#bytes.set(body, (at + HEAD_WORDS) * 4 + record.length);
    Atomics.store(this.#words, at + 1, status);
    Atomics.store(this.#words, at + 2, record.length);
    Atomics.store(this.#words, at, length);
    Atomics.add(this.#words, READY, 1);
    Atomics.notify(this.#words, READY, 1);
    return true;
  }

  /** Sleeps until there is a page, and copies it; undefined when the list is closed. Only for the one reader. */
  next(): ListedPage | undefined {
    for (;;) {
      const ready = Atomics.load(this.#words, READY);
      if (Atomics.load(this.#words, CLOSED) !== 0) return undefined;
      const length = this.#at < this.#words.length ? Atomics.load(this.#words, this.#at) : 0;
      if (length > 0) return this.#read(length);
      Atomics.wait(this.#words, READY, ready);
    }
  }

  #read(length: number): ListedPage {
    const status = Atomics.load(this.#words, this.#at + 1);
    const recordLength = Atomics.load(this.#words, this.#at + 2);
    const start = (this.#at + HEAD_WORDS) * 4;
    const bytes = this.#bytes.slice(start, start + length);
    this.#at += HEAD_WORDS + Math.ceil(length / 4);
    return { status, record: bytes.subarray(0, recordLength), body: bytes.subarray(recordLength) };
  }

  /** Ends every wait. */
  close(): void {
    Atomics.store(this.#words, CLOSED, 1);
    Atomics.add(this.#words, READY, 1);
    Atomics.notify(this.#words, READY);
  }
}
