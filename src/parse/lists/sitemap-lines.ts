import type { SitemapList } from "./sitemap-list.ts";

const MAX_LINE_BYTES = 16 * 1024;
const LF = 0x0a;
const CR = 0x0d;

/** Reads a text sitemap: one complete URL per line; other lines are skipped. */
export class SitemapLines {
  readonly #list: SitemapList;
  #carry: Uint8Array[] = [];
  #carried = 0;

  constructor(list: SitemapList) {
    this.#list = list;
  }

  push(piece: Uint8Array): void {
    let start = 0;
    for (let at = 0; at < piece.length; at++) {
      if (piece[at] !== LF && piece[at] !== CR) continue;
      this.#line(piece.subarray(start, at));
      start = at + 1;
    }
    if (start === piece.length) return;
    this.#carried += piece.length - start;
    // The rest of a line that is too long is not kept.
    if (this.#carried <= MAX_LINE_BYTES) this.#carry.push(piece.slice(start));
  }

  /** The last line needs no line end. */
  end(): void {
    this.#line(new Uint8Array(0));
  }

  #line(rest: Uint8Array): void {
    const length = this.#carried + rest.length;
    const line = this.#carried === 0 ? rest : Buffer.concat([...this.#carry, rest]);
    if (this.#carried > 0) this.#carry = [];
    this.#carried = 0;
    if (length > MAX_LINE_BYTES) {
      this.#list.refused++;
      return;
    }
    // trim also removes the byte order mark
    const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString("utf8").trim();
    if (text === "") return;
    if (/^https?:\/\//i.test(text)) this.#list.addUrl(text);
    else this.#list.refused++;
  }
}
