import { BREAK, LOWER, NAME_BYTE, setOf, tagId } from "./tags.ts";

/** The attributes whose values are kept while a tag is read; all others are only skipped. */
export const ATTRIBUTES = [
  "href",
  "src",
  "rel",
  "content",
  "http-equiv",
  "name",
  "lang",
  "type",
  "xlink:href",
  "srcset",
  "action",
  "data",
  "poster",
  "encoding",
  "color",
  "face",
  "size",
  "hreflang",
  "charset",
  "method",
  "data-src",
  "data-srcset",
  "data-original",
  "data-lazy-src",
  "data-href",
  "data-poster",
] as const;
/** The name of an attribute that is kept. */
export type AttributeName = (typeof ATTRIBUTES)[number];

const SPELLED = ATTRIBUTES.map((name) => Buffer.from(name));
const LONGEST_NAME = Math.max(...ATTRIBUTES.map((name) => name.length));
/** The ids of the kept attributes. */
export const ATTR = Object.freeze(
  Object.fromEntries(ATTRIBUTES.map((name, id) => [name, id])),
) as Readonly<Record<AttributeName, number>>;

/** The elements whose attributes are needed. */
const WITH_ATTRIBUTES = setOf(
  "a annotation-xml area audio base embed font form frame html iframe image img input link meta " +
    "object script source track video",
);

// Length and first letter single out at most two candidates.
const candidates: number[][] = Array.from({ length: 32 * 16 }, () => []);
SPELLED.forEach((name, id) => {
  candidates[(name[0]! & 31) * 16 + name.length]!.push(id);
});

/** Tags are counted from 0 again between pages, long before their number exceeds 32 bits. */
const MAX_TAGS = 1 << 30;

/**
 * Reads one tag at a time from the bytes of a page. After `read` the fields describe the tag; the values of the kept
 * attributes stay available until the next call. Nothing is allocated per tag.
 */
export class TagReader {
  buf: Buffer;
  end: number;
  id = 0;
  closing = false;
  selfClosing = false;
  /** Where the tag begins, at its "<". */
  start = 0;
  nameStart = 0;
  nameEnd = 0;
  readonly #from = new Int32Array(ATTRIBUTES.length);
  readonly #to = new Int32Array(ATTRIBUTES.length);
  readonly #seenIn = new Int32Array(ATTRIBUTES.length);
  #tag = 0;

  constructor(buf: Buffer) {
    this.buf = buf;
    this.end = buf.length;
  }

  /** Starts another page with the same reader: allocating one costs more than reading a tag. */
  open(buf: Buffer): void {
    this.buf = buf;
    this.end = buf.length;
    this.id = 0;
    this.#tag++;
    if (this.#tag < MAX_TAGS) return;
    this.#tag = 1;
    this.#seenIn.fill(0);
  }

  /**
   * Reads the tag whose "<" is at `start` and whose name begins at `nameStart`. Returns the offset
   * after ">", or -1 when the page ends inside the tag, which then does not count.
   */
  read(start: number, nameStart: number, closing: boolean): number {
    const { buf, end } = this;
    let packed = 0;
    let p = nameStart;
    for (; p < end; p++) {
      const byte = NAME_BYTE[buf[p]!]!;
      if (byte === 0) break;
      packed = (packed << 8) | byte;
    }
    if (p >= end) return -1;
    this.start = start;
    this.nameStart = nameStart;
    this.nameEnd = p;
    this.id = tagId(buf, nameStart, p, packed);
    this.closing = closing;
    this.selfClosing = false;
    this.#tag++;
    if (buf[p] === 0x3e) return p + 1;
    return !closing && WITH_ATTRIBUTES[this.id] === 1 ? this.#attributes(p, true) : this.#skip(p);
  }

  /**
   * Skips attributes that are not needed. Only "=" and ">" matter, because a quote counts only right after "="; if
   * anything is unusual around "=", the tag is read again attribute by attribute.
   */
  #skip(from: number): number {
    const { buf, end } = this;
    for (let p = from; p < end; p++) {
      const byte = buf[p]!;
      if (byte === 0x3e) {
        this.selfClosing = buf[p - 1] === 0x2f;
        return p + 1;
      }
      if (byte !== 0x3d) continue;
      const quote = ++p < end ? buf[p]! : 0;
      const before = buf[p - 2]!;
      const unusual = BREAK[before] !== 0 || before === 0x22 || before === 0x27;
      if (unusual || BREAK[quote] === 1) return this.#attributes(from, false);
      if (quote === 0x22 || quote === 0x27) {
        p++;
        while (p < end && buf[p] !== quote) p++;
        continue;
      }
      for (; p < end; p++) {
        const kind = BREAK[buf[p]!]!;
        if (kind === 1) break;
        if (kind === 3) return p + 1;
      }
    }
    return -1;
  }

  #attributes(from: number, keep: boolean): number {
    const { buf, end } = this;
    let p = from;
    for (;;) {
      // Before a name: white space and slashes; a slash right before ">" closes the element.
      let slash = false;
      while (p < end) {
        const kind = BREAK[buf[p]!]!;
        if (kind !== 1 && kind !== 2) break;
        slash = kind === 2;
        p++;
      }
      if (p >= end) return -1;
      if (buf[p] === 0x3e) {
        this.selfClosing = slash;
        return p + 1;
      }
      const nameStart = p++; // whatever is here belongs to the name, even "="
      while (p < end && BREAK[buf[p]!]! === 0) p++;
      const nameEnd = p;
      while (p < end && BREAK[buf[p]!]! === 1) p++;
      if (p >= end) return -1;
      if (buf[p] !== 0x3d) {
        if (keep) this.#keep(nameStart, nameEnd, nameEnd, nameEnd);
        continue;
      }
      p++;
      while (p < end && BREAK[buf[p]!]! === 1) p++;
      if (p >= end) return -1;
      const quote = buf[p]!;
      let valueStart = p;
      if (quote === 0x22 || quote === 0x27) {
        valueStart = ++p;
        while (p < end && buf[p] !== quote) p++;
        if (p >= end) return -1;
        if (keep) this.#keep(nameStart, nameEnd, valueStart, p);
        p++;
      } else {
        for (; p < end; p++) {
          const kind = BREAK[buf[p]!]!;
          if (kind === 1 || kind === 3) break;
        }
        if (p >= end) return -1;
        if (keep) this.#keep(nameStart, nameEnd, valueStart, p);
      }
    }
  }

  /** Remembers a value if its name is one of ours and did not occur before in this tag. */
  #keep(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    const length = nameEnd - nameStart;
    if (length > LONGEST_NAME) return;
    const { buf } = this;
    const ids = candidates[(LOWER[buf[nameStart]!]! & 31) * 16 + length]!;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]!;
      const name = SPELLED[id]!;
      let k = 0;
      while (k < length && LOWER[buf[nameStart + k]!] === name[k]) k++;
      if (k < length) continue;
      if (this.#seenIn[id] !== this.#tag) {
        this.#seenIn[id] = this.#tag;
        this.#from[id] = valueStart;
        this.#to[id] = valueEnd;
      }
      return;
    }
  }

  has(attribute: number): boolean {
    return this.#seenIn[attribute] === this.#tag;
  }

  valueStart(attribute: number): number {
    return this.#from[attribute]!;
  }

  valueEnd(attribute: number): number {
    return this.#to[attribute]!;
  }
}
