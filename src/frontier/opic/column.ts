const BITS = 14;
const LENGTH = 1 << BITS;

type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** One number per page, by page number, in pieces of 16,384: it grows without copying and without slack. */
export class Column<T extends Numbers> {
  readonly #pieces: T[] = [];
  readonly #piece: () => T;

  constructor(kind: new (length: number) => T) {
    this.#piece = () => new kind(LENGTH);
  }

  /** 0 where nothing was set. */
  get(page: number): number {
    return this.#pieces[page >>> BITS]?.[page & (LENGTH - 1)] ?? 0;
  }

  set(page: number, value: number): void {
    const at = page >>> BITS;
    while (this.#pieces.length <= at) this.#pieces.push(this.#piece());
    this.#pieces[at]![page & (LENGTH - 1)] = value;
  }
}
