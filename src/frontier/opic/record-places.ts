import { ShortColumn, WordColumn } from "./column.ts";

const LOW = 2 ** 32;

/** Where the record of a page lies in the queue log: a reference of 48 bits, 6 bytes per page. */
export class RecordPlaces {
  readonly #low = new WordColumn();
  readonly #high = new ShortColumn();

  get(page: number): number {
    return this.#high.get(page) * LOW + this.#low.get(page);
  }

  set(page: number, place: number): void {
    this.#low.set(page, place % LOW);
    this.#high.set(page, Math.floor(place / LOW));
  }
}
