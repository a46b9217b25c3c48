/** A queue with two ends in one growing circular array; shifting costs the same at every length. */
export class Deque<T> {
  #items: (T | undefined)[] = new Array(4);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds at the far end. */
  pushBack(item: T): void {
    if (this.#size === this.#items.length) this.#grow();
    this.#items[(this.#head + this.#size) & (this.#items.length - 1)] = item;
    this.#size++;
  }

  /** Adds at the near end, to be shifted next. */
  pushFront(item: T): void {
    if (this.#size === this.#items.length) this.#grow();
    this.#head = (this.#head - 1) & (this.#items.length - 1);
    this.#items[this.#head] = item;
    this.#size++;
  }

  /** Removes and returns the item at the near end. */
  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#items.length - 1);
    this.#size--;
    return item;
  }

  #grow(): void {
    const old = this.#items;
    this.#items = new Array(2 * old.length);
    for (let i = 0; i < this.#size; i++) {
      this.#items[i] = old[(this.#head + i) & (old.length - 1)];
    }
    this.#head = 0;
  }
}
