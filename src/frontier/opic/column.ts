const BITS = 14;
const LENGTH = 1 << BITS;

type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** One number per page, by page number, in pieces of 16,384: it grows without copying and without slack. */
export interface Column {
  /** 0 where nothing was set. */
  get(page: number): number;
  set(page: number, value: number): void;
  /** The numbers of several pages; page p goes by any of the `step` names from p * `step` on. */
  getAll(names: readonly number[], step: number, into: Float64Array): void;
}

export const DoubleColumn: new () => Column = columnOf(Float64Array);
export const WordColumn: new () => Column = columnOf(Uint32Array);
export const ShortColumn: new () => Column = columnOf(Uint16Array);
export const ByteColumn: new () => Column = columnOf(Uint8Array);

/** A class for each kind of numbers: code that has met several kinds is slow, and slow to compile, for all of them. */
function columnOf<T extends Numbers>(kind: new (length: number) => T): new () => Column {
  return class {
    readonly #pieces: T[] = [];

    get(page: number): number {
      return this.#pieces[page >>> BITS]?.[page & (LENGTH - 1)] ?? 0;
    }

    getAll(names: readonly number[], step: number, into: Float64Array): void {
      const pieces = this.#pieces;
      for (let i = 0; i < names.length; i++) {
        const page = Math.floor(names[i]! / step);
        into[i] = pieces[page >>> BITS]?.[page & (LENGTH - 1)] ?? 0;
      }
    }

    set(page: number, value: number): void {
      const at = page >>> BITS;
      while (this.#pieces.length <= at) this.#pieces.push(new kind(LENGTH));
      this.#pieces[at]![page & (LENGTH - 1)] = value;
    }
  };
}
