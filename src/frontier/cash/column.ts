const BITS = 14;
const LENGTH = 1 << BITS;
const MASK = LENGTH - 1;

/*
 * One number per page, by page number, in pieces of 16,384: a column grows without copying and without slack, and is 0
 * where nothing was set. The two classes are written out: if one function made both, they would share type feedback, and
 * code that has seen several kinds of arrays is slow for all of them.
 */

/** A double per page. */
export class DoubleColumn {
  readonly #pieces: Float64Array[] = [];

  get(page: number): number {
    const at = page >>> BITS;
    return at < this.#pieces.length ? this.#pieces[at]![page & MASK]! : 0;
  }

  /** The numbers of several pages; page p goes by any of the `step` names from p * `step` on. */
  getAll(names: readonly number[], step: number, into: Float64Array): void {
    const pieces = this.#pieces;
    for (let i = 0; i < names.length; i++) {
      const page = Math.floor(names[i]! / step);
      into[i] = pieces[page >>> BITS]?.[page & MASK] ?? 0;
    }
  }

  set(page: number, value: number): void {
    const at = page >>> BITS;
    while (this.#pieces.length <= at) this.#pieces.push(new Float64Array(LENGTH));
    this.#pieces[at]![page & MASK] = value;
  }
}

/** A byte per page. */
export class ByteColumn {
  readonly #pieces: Uint8Array[] = [];

  get(page: number): number {
    const at = page >>> BITS;
    return at < this.#pieces.length ? this.#pieces[at]![page & MASK]! : 0;
  }

  set(page: number, value: number): void {
    const at = page >>> BITS;
    while (this.#pieces.length <= at) this.#pieces.push(new Uint8Array(LENGTH));
    this.#pieces[at]![page & MASK] = value;
  }
}
