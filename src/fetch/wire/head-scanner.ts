/** Verdict of the scanner: the head goes on in the next piece. */
export const SCAN_MORE = -1;
/** Verdict of the scanner: more bytes or lines than allowed. */
export const SCAN_TOO_LARGE = -2;
/** Verdict of the scanner: this is not the head of an HTTP/1 response. */
export const SCAN_NOT_HTTP = -3;

const START = [0x68, 0x74, 0x74, 0x70, 0x2f]; // "http/" with bit 0x20 set
const MAX_LEADING = 4; // bytes of CR and LF some servers leave over from the body before; Chromium skips as many
const LF = 0x0a;
const CR = 0x0d;

/**
 * Finds the end of a head in bytes that arrive in any pieces. It goes byte by byte and keeps its state between pieces,
 * so the verdict never depends on where the stream was cut.
 */
export class HeadScanner {
  readonly #maxBytes: number;
  readonly #maxLines: number;
  #matched = 0;
  #leading = 0;
  #bytes = 0;
  #lines = 0;
  #lineBytes = 0;
  #previous = 0;
  /** Where the head starts in the last piece: after leading line ends, otherwise at the start of the piece. */
  headStart = 0;
  /** Where in the last piece the head became too large; the same byte of the stream, however it is cut. */
  tooLargeAt = 0;

  constructor(maxBytes: number, maxLines: number) {
    this.#maxBytes = maxBytes;
    this.#maxLines = maxLines + 1; // the status line is not a header line
  }

  /** Starts over for the next head, such as the one after an informational response. */
  reset(): void {
    this.#matched = this.#leading = this.#bytes = this.#lines = this.#lineBytes = 0;
    this.#previous = 0;
  }

  /** Position after the blank line, or one of the verdicts. */
  scan(piece: Uint8Array, from: number, to: number): number {
    this.headStart = from;
    let at = from;
    while (this.#matched < START.length) {
      if (at === to) return SCAN_MORE;
      const byte = piece[at++]!;
      if (this.#matched === 0 && (byte === CR || byte === LF)) {
        if (++this.#leading > MAX_LEADING) return SCAN_NOT_HTTP;
        this.headStart = at;
      } else if ((byte | 0x20) !== START[this.#matched++]) {
        return SCAN_NOT_HTTP;
      } else {
        this.#bytes++;
        this.#lineBytes++;
      }
    }
    return this.#scanLines(piece, at, to);
  }

  #scanLines(piece: Uint8Array, from: number, to: number): number {
    const limit = Math.min(to, from + this.#maxBytes - this.#bytes);
    let lineStart = from - this.#lineBytes;
    for (let at = from; at < limit; at++) {
      const byte = piece[at]!;
      if (byte > LF) continue;
      if (byte === LF) {
        const length = at - lineStart;
        if (length === 0) return at + 1;
        if (length === 1 && (at > from ? piece[at - 1] : this.#previous) === CR) return at + 1;
        if (++this.#lines > this.#maxLines) {
          this.tooLargeAt = at + 1;
          return SCAN_TOO_LARGE;
        }
        lineStart = at + 1;
      } else if (byte === 0) {
        return SCAN_NOT_HTTP; // browsers treat NUL in a head as a network error
      }
    }
    if (limit < to || this.#bytes + limit - from >= this.#maxBytes) {
      this.tooLargeAt = limit;
      return SCAN_TOO_LARGE;
    }
    this.#bytes += limit - from;
    this.#lineBytes = limit - lineStart;
    if (limit > from) this.#previous = piece[limit - 1]!;
    return SCAN_MORE;
  }
}
