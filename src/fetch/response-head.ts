import { latin1Text } from "../runtime/latin-buffer.ts";

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

/** Headers of which is known at once whether a head has them: those that the way of a page asks for. */
export const HEAD_FACTS = [
  "content-length",
  "content-type",
  "content-encoding",
  "connection",
  "transfer-encoding",
  "location",
  "link",
  "refresh",
  "retry-after",
  "set-cookie",
  "x-robots-tag",
  "tdm-policy",
  "tdm-reservation",
] as const;

const FACTS = new Map<string, number>(HEAD_FACTS.map((name, i) => [name, 1 << i]));

/** The bit of a header in the facts of a head. */
export function factOf(name: (typeof HEAD_FACTS)[number]): number {
  return FACTS.get(name)!;
}

const LOCATION = factOf("location");
/** What a page's head may say about its links and its use. */
const SAYS_MORE =
  factOf("link") |
  factOf("refresh") |
  factOf("x-robots-tag") |
  factOf("tdm-policy") |
  factOf("tdm-reservation");

/** What `PlainHead` has found out about a head. */
export interface PlainFacts {
  readonly status: number;
  readonly facts: number;
  readonly type: string | undefined;
  readonly coding: string | undefined;
}

/** Nothing is known of a head before all its lines are read. */
const UNREAD: PlainFacts = { status: 0, facts: -1, type: undefined, coding: undefined };

/** The head of a response: its bytes exactly as received and a reading of them as lenient as browsers'. */
export class ResponseHead {
  readonly status: number;
  /** How many bytes it has. */
  readonly length: number;
  /** The first value of Content-Type. */
  readonly contentType: string | undefined;
  /** The value of Content-Encoding, several lines as one. */
  readonly contentCoding: string | undefined;
  /** False when it certainly says nothing about links, robots or rights, as hardly any head does. */
  readonly maySayMore: boolean;
  readonly #facts: number;
  #text: string | undefined;
  /** The memory that it lies at the start of. */
  #memory: Buffer | undefined;
  #index: readonly number[] | undefined;

  /**
   * A head that was read from its bytes, at the start of a memory that must stay as it is until `keep`; or one of which
   * there is a text, that says everything but its status.
   */
  constructor(plain: PlainFacts, memory: Buffer | undefined, length: number, text?: string) {
    this.status = plain.status;
    this.length = length;
    this.#facts = plain.facts;
    this.#text = text;
    this.#memory = memory;
    this.#index = undefined;
    this.maySayMore = (plain.facts & SAYS_MORE) !== 0;
    this.contentType = text === undefined ? plain.type : this.get("content-type");
    this.contentCoding = text === undefined ? plain.coding : this.joined("content-encoding");
  }

  /** Reads a complete head; undefined when its first line is not a status line. */
  static parse(text: string): ResponseHead | undefined {
    const match = STATUS_LINE.exec(text);
    if (match === null) return undefined;
    const unread = { ...UNREAD, status: Number(match[3]) };
    return new ResponseHead(unread, undefined, text.length, text);
  }

  /** Makes the head independent of the memory that its bytes came in. */
  keep(): void {
    this.#text = this.text;
    this.#memory = undefined;
  }

  /** Status line through blank line, one character per byte (latin1), so that nothing is lost. */
  get text(): string {
    this.#text ??= latin1Text(this.#memory!, 0, this.length);
    return this.#text;
  }

  /** Copies the head exactly as received; only as long as the body is valid. */
  copyTo(into: Buffer, at: number): void {
    const memory = this.#memory;
    if (memory === undefined) into.write(this.text, at, "latin1");
    // A view of the plainest kind: `copy` and `subarray` make buffers and check what is known.
    else into.set(new Uint8Array(memory.buffer, memory.byteOffset, this.length), at);
  }

  /** The head exactly as received, status line through blank line; valid as long as the body is. */
  get bytes(): Buffer {
    return this.#memory?.subarray(0, this.length) ?? Buffer.from(this.text, "latin1");
  }

  /** "1" without a minor number counts as "1.0". */
  get version(): string {
    const [, major, minor = "0"] = STATUS_LINE.exec(this.text)!;
    return `${major}.${minor}`;
  }

  get reason(): string {
    return STATUS_LINE.exec(this.text)![4]!.trimEnd();
  }

  /** True for HTTP/1.1 and later, where connections persist and chunked bodies exist. */
  get modern(): boolean {
    return this.version !== "1.0";
  }

  get #lines(): readonly number[] {
    this.#index ??= indexOf(this.text);
    return this.#index;
  }

  /** Position of the next line of that name at or after `from`, -1 if there is none; for `valueAt`. */
  find(nameLower: string, from = 0): number {
    const fact = FACTS.get(nameLower);
    if (fact !== undefined && (this.#facts & fact) === 0) return -1;
    const index = this.#lines;
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
    const raw = this.text.slice(this.#lines[position + 2], this.#lines[position + 3]);
    // A bare CR becomes a space (RFC 9112, 2.2), so that no value ever holds CR or LF.
    return raw.includes("\r") || raw.includes("\n")
      ? raw.replace(/[ \t\r]*\n[ \t\r]*|\r/g, " ")
      : raw;
  }

  /** First value of a header, undefined when it is absent. */
  get(nameLower: string): string | undefined {
    // Without making a text of it.
    if (this.#text === undefined && nameLower === "content-type") return this.contentType;
    const at = this.find(nameLower);
    return at < 0 ? undefined : this.valueAt(at);
  }

  /** Where the response redirects to; "" when the value is folded or holds a bare CR, which must not be joined. */
  get location(): string | undefined {
    if ((this.#facts & LOCATION) === 0) return undefined;
    const at = this.find("location");
    if (at < 0) return undefined;
    const raw = this.text.slice(this.#lines[at + 2], this.#lines[at + 3]);
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

  /** All values of a header as one; undefined when it is absent. */
  joined(nameLower: string): string | undefined {
    if (this.#text === undefined && nameLower === "content-encoding") return this.contentCoding;
    const at = this.find(nameLower);
    if (at < 0) return undefined;
    const isOnly = this.find(nameLower, at + FIELDS) < 0;
    return isOnly ? this.valueAt(at) : this.all(nameLower).join(", ");
  }

  /** Every header line, names as written. */
  *lines(): Generator<[name: string, value: string]> {
    const index = this.#lines;
    for (let i = 0; i < index.length; i += FIELDS) {
      yield [this.text.slice(index[i], index[i + 1]), this.valueAt(i)];
    }
  }
}
