/** Gives every value a number, and equal values (by their key) the same one. */
export class Numbering<K, V> {
  readonly #numbers = new Map<K, number>();
  readonly #values: V[] = [];

  /** The number of the value with this key, counted from 0. */
  numberOf(key: K, value: V): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#values.push(value) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  /** The value with a number. */
  at(number: number): V {
    return this.#values[number]!;
  }
}
