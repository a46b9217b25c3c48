const TIME = Buffer.from('{"time":"');
const URL_START = Buffer.from('","url":"');
const OUTCOME = Buffer.from('","outcome":"page","depth":');
const VIA = Buffer.from(',"via":"');
const PARENT = Buffer.from('","parent":"');
const END = Buffer.from('",');
/** What stands between the texts and numbers of such a line, in this order. */
export const PAGE_PIECES: readonly Uint8Array[] = [TIME, URL_START, OUTCOME, VIA, PARENT, END];
const QUOTE = 34;
const BACKSLASH = 92;
const AT_SIGN = 64;
const ZERO = 48;
const NINE = 57;

/**
 * Finds URL and parent in the line of a page as we write it, without making a string of it. Only what stands in lists as
 * it is, by the rules of `safeUri`, is found; everything else is for `plainLine` and `parsedLine`.
 */
export class PageInLog {
  urlFrom = 0;
  urlTo = 0;
  parentFrom = 0;
  parentTo = 0;
  #bytes: Uint8Array = TIME;
  #at = 0;
  #to = 0;

  /** True when the line between these places is that of a page with a parent, and both URLs are plain. */
  find(bytes: Uint8Array, from: number, to: number): boolean {
    this.#bytes = bytes;
    this.#at = from;
    this.#to = to;
    if (!this.#skip(TIME) || !this.#skipText() || !this.#skip(URL_START)) return false;
    this.urlFrom = this.#at;
    if (!this.#skipText()) return false;
    this.urlTo = this.#at;
    if (!this.#skip(OUTCOME) || !this.#skipNumber() || !this.#skip(VIA)) return false;
    if (!this.#skipText() || !this.#skip(PARENT)) return false;
    this.parentFrom = this.#at;
    if (!this.#skipText()) return false;
    this.parentTo = this.#at;
    return this.#skip(END);
  }

  #skip(text: Uint8Array): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
    this.#at = at + text.length;
    return this.#at <= this.#to;
  }

  /** Steps over a text up to its quotation mark; false when it is empty or not plain. */
  #skipText(): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    for (; at < this.#to; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) break;
      if (byte < 0x21 || byte > 0x7e || byte === BACKSLASH || byte === AT_SIGN) return false;
    }
    const isEmpty = at === this.#at;
    this.#at = at;
    return !isEmpty && at < this.#to;
  }

  #skipNumber(): boolean {
    const bytes = this.#bytes;
    const from = this.#at;
    let at = from;
    while (at < this.#to && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
    this.#at = at;
    return at > from;
  }
}
