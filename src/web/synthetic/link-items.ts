import type { ByteWriter } from "./byte-writer.ts";

/**
 * The plain link to every page as bytes, made when first needed: a page is linked many times, and copying
 * bytes is several times cheaper than putting strings together and encoding them.
 */
export class LinkItems {
  readonly #make: (page: number) => string;
  /** Where a page's item starts and ends in the store; an end of 0 means that it is not there yet. */
  readonly #from: Uint32Array;
  readonly #to: Uint32Array;
  #store = new Uint8Array(1 << 16);
  #used = 1; // so that no item ends at 0

  constructor(pages: number, make: (page: number) => string) {
    this.#make = make;
    this.#from = new Uint32Array(pages);
    this.#to = new Uint32Array(pages);
  }

  /** Appends the link to this page. */
  write(page: number, out: ByteWriter): void {
    let to = this.#to[page]!;
    if (to === 0) to = this.#add(page);
    const store = this.#store;
    const bytes = out.bytes;
    let at = out.at;
    for (let from = this.#from[page]!; from < to; from++) bytes[at++] = store[from]!;
    out.at = at;
  }

  #add(page: number): number {
    const item = this.#make(page);
    if (this.#used + item.length > this.#store.length) {
      const larger = new Uint8Array(this.#store.length * 2 + item.length);
      larger.set(this.#store);
      this.#store = larger;
    }
    this.#from[page] = this.#used;
    for (let i = 0; i < item.length; i++) this.#store[this.#used++] = item.charCodeAt(i);
    this.#to[page] = this.#used;
    return this.#used;
  }
}
