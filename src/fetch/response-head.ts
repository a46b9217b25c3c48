// "HTTP" in any letter case, a version of at least 1, three digits that are not part of a longer number, and a
// reason phrase that may be missing: what browsers accept. "HTTP/1" without minor counts as 1.0, as in Chromium.
const STATUS_LINE = /^http\/([1-9])(?:\.([0-9]))?[ \t]+([0-9]{3})(?![0-9])[ \t]*([^\r\n]*)/i;

const FIELDS = 4; // numbers per header line in the index: start and end of name, start and end of value

/** Bit 0x20 folds letters only; without the test for a letter a bare CR would pass for a hyphen. */
function equalsIgnoringCase(text: string, start: number, nameLower: string): boolean {
  for (let i = 0; i < nameLower.length; i++) {
    const have = text.charCodeAt(start + i);
    const want = nameLower.charCodeAt(i);
    if (have !== want && (want < 0x61 || (have | 0x20) !== want)) return false;
  }
  return true;
}

const isBlank = (code: number) => code === 0x20 || code === 0x09 || code === 0x0d;

/** The head that is read: copied when its length is known, so that no array has to grow. */
const scratch: number[] = [];

/** Where names and values of all lines are. */
function indexOf(text: string): number[] {
  let used = 0;
  let at = text.indexOf("\n") + 1;
  // Lines that begin with white space before the first field are consumed unread (RFC 9112, 2.2).
  let foldable = false;
  while (at < text.length) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = text.length;
    const next = end + 1;
    while (end > at && isBlank(text.charCodeAt(end - 1))) end--;
    const first = text.charCodeAt(at);
    if (first === 0x20 || first === 0x09) {
      // obs-fold: the value simply continues; `valueAt` turns the line end into a space.
      if (foldable && end > at) scratch[used - 1] = end;
    } else if (end > at) {
      foldable = indexLine(text, at, end, used);
      if (foldable) used += FIELDS;
    }
    at = next;
  }
  return scratch.slice(0, used);
}

/** Lines without a colon or without a name are skipped, as in browsers. */
function indexLine(text: string, start: number, end: number, at: number): boolean {
  const colon = text.indexOf(":", start);
  if (colon < 0 || colon >= end || colon === start) return false;
  let nameEnd = colon;
  while (nameEnd > start && isBlank(text.charCodeAt(nameEnd - 1))) nameEnd--;
  let value = colon + 1;
  while (value < end && isBlank(text.charCodeAt(value))) value++;
  scratch[at] = start;
  scratch[at + 1] = nameEnd;
  scratch[at + 2] = value;
  scratch[at + 3] = end;
  return true;
}

/** The head of a response: its bytes exactly as received and a reading of them as lenient as browsers'. */
export class ResponseHead {
  readonly version: string;
  readonly status: number;
  readonly reason: string;
  /** Status line through blank line, one character per byte (latin1), so that nothing is lost. */
  readonly text: string;
  readonly #index: readonly number[];

  private constructor(text: string, version: string, status: number, reason: string) {
    this.text = text;
    this.version = version;
    this.status = status;
    this.reason = reason;
    this.#index = indexOf(text);
  }

  /** Reads a complete head; undefined when its first line is not a status line. */
  static parse(text: string): ResponseHead | undefined {
    // Nearly every head: cut instead of matched.
    if (text.startsWith("HTTP/1.1 200 OK\r\n")) return new ResponseHead(text, "1.1", 200, "OK");
    const match = STATUS_LINE.exec(text);
    if (match === null) return undefined;
    const version = `${match[1]}.${match[2] ?? "0"}`;
    return new ResponseHead(text, version, Number(match[3]), match[4]!.trimEnd());
  }

  /** The head exactly as received, status line through blank line. */
  get bytes(): Buffer {
    return Buffer.from(this.text, "latin1");
  }

  /** True for HTTP/1.1 and later, where connections persist and chunked bodies exist. */
  get modern(): boolean {
    return this.version !== "1.0";
  }

  /** Position of the next line of that name at or after `from`, -1 if there is none; for `valueAt`. */
  find(nameLower: string, from = 0): number {
    const index = this.#index;
    for (let i = from; i < index.length; i += FIELDS) {
      if (index[i + 1]! - index[i]! !== nameLower.length) continue;
      if (equalsIgnoringCase(this.text, index[i]!, nameLower)) return i;
    }
    return -1;
  }

  /** The next position after one that `find` gave. */
  after(position: number): number {
    return position + FIELDS;
  }

  /** Value of the line at a position that `find` gave. */
  valueAt(position: number): string {
    const raw = this.text.slice(this.#index[position + 2], this.#index[position + 3]);
    // A bare CR becomes a space (RFC 9112, 2.2), so that no value ever holds CR or LF.
    return raw.includes("\r") || raw.includes("\n")
      ? raw.replace(/[ \t\r]*\n[ \t\r]*|\r/g, " ")
      : raw;
  }

  /** First value of a header, undefined when it is absent. */
  get(nameLower: string): string | undefined {
    const at = this.find(nameLower);
    return at < 0 ? undefined : this.valueAt(at);
  }

  /** Where the response redirects to; "" when the value is folded or holds a bare CR, which must not be joined. */
  get location(): string | undefined {
    const at = this.find("location");
    if (at < 0) return undefined;
    const raw = this.text.slice(this.#index[at + 2], this.#index[at + 3]);
    return /[\r\n]/.test(raw) ? "" : raw;
  }

  /** All values of a header, in order. */
  all(nameLower: string): string[] {
    const values: string[] = [];
    for (let at = this.find(nameLower); at >= 0; at = this.find(nameLower, at + FIELDS)) {
      values.push(this.valueAt(at));
    }
    return values;
  }

  /** Every header line, names as written. */
  *lines(): Generator<[name: string, value: string]> {
    for (let i = 0; i < this.#index.length; i += FIELDS) {
      yield [this.text.slice(this.#index[i], this.#index[i + 1]), this.valueAt(i)];
    }
  }
}
