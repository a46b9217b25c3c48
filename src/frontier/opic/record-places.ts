const BITS = 14;
const MASK = (1 << BITS) - 1;
/** Three for the place, two for the host. */
const SHORTS = 5;
const SHORT = 2 ** 16;
const WORD = 2 ** 32;

/**
 * Where the record of a page lies in the queue log, a reference of 48 bits, and the number of its host: 10 bytes side by
 * side, in pieces of 16,384 pages.
 */
export class RecordPlaces {
  readonly #pieces: Uint16Array[] = [];

  set(page: number, place: number, host: number): void {
    const number = page >>> BITS;
    while (this.#pieces.length <= number) this.#pieces.push(new Uint16Array(SHORTS << BITS));
    const piece = this.#pieces[number]!;
    const at = SHORTS * (page & MASK);
    piece[at] = place;
    piece[at + 1] = place / SHORT;
    piece[at + 2] = place / WORD;
    piece[at + 3] = host;
    piece[at + 4] = host >>> 16;
  }

  /** The page's record. */
  place(page: number): number {
    const piece = this.#pieces[page >>> BITS]!;
    const at = SHORTS * (page & MASK);
    return piece[at]! + piece[at + 1]! * SHORT + piece[at + 2]! * WORD;
  }

  /** The number of the page's host. */
  host(page: number): number {
    const piece = this.#pieces[page >>> BITS]!;
    const at = SHORTS * (page & MASK);
    return piece[at + 3]! + piece[at + 4]! * SHORT;
  }
}
