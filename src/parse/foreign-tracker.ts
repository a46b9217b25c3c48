import type { Harvest } from "./harvest.ts";
import type { TagReader } from "./tag-reader.ts";
import { LOWER, T } from "./tags.ts";

const MAX_DEPTH = 64;

/**
 * Follows a tidy piece of inline SVG: every end tag closes the innermost open element, and no HTML
 * element is inside. Anything else is left to full tree construction.
 */
export class ForeignTracker {
  open = false;
  readonly #reader: TagReader;
  readonly #harvest: Harvest;
  /** Start and end offsets of the names of the open elements. */
  readonly #names: number[] = [];

  constructor(reader: TagReader, harvest: Harvest) {
    this.#reader = reader;
    this.#harvest = harvest;
  }

  /** The reader's current tag opens an svg element. */
  enter(): void {
    this.open = true;
    this.#names.push(this.#reader.nameStart, this.#reader.nameEnd);
  }

  /** Takes a tag inside SVG that ends at `after`; returns where to go on, or -1 to give up. */
  tag(after: number): number {
    const reader = this.#reader;
    if (reader.closing) return this.#close() ? after : -1;
    if (reader.id === T.title || reader.id === T.desc) return this.#afterPlainText(after);
    if (reader.id === T.a) this.#harvest.svgLink();
    else if (reader.id !== 0) return -1;
    if (reader.selfClosing) return after;
    this.#names.push(reader.nameStart, reader.nameEnd);
    return this.#names.length > 2 * MAX_DEPTH ? -1 : after;
  }

  #close(): boolean {
    const { buf, nameStart, nameEnd } = this.#reader;
    const end = this.#names.pop()!;
    const start = this.#names.pop()!;
    if (end - start !== nameEnd - nameStart) return false;
    for (let i = 0; i < end - start; i++) {
      if (LOWER[buf[start + i]!] !== LOWER[buf[nameStart + i]!]) return false;
    }
    this.open = this.#names.length > 0;
    return true;
  }

  /** A title or desc may hold HTML; one that holds only text is skipped. */
  #afterPlainText(after: number): number {
    const { buf, selfClosing, id } = this.#reader;
    if (selfClosing) return after;
    const close = buf.indexOf(0x3c, after);
    if (close < 0 || buf[close + 1] !== 0x2f) return -1;
    const next = this.#reader.read(close, close + 2, true);
    return this.#reader.id === id ? next : -1;
  }
}
