/** What a thread reported or the threads invoked, as one number that stands for the whole list. */
export class Logs {
  readonly #parents: number[] = [0];
  readonly #entries: (readonly number[])[] = [[]];
  readonly #known = new Map<string, number>();
  /** The continuation found last, per list: almost always the one asked for next. */
  readonly #lastValue: number[] = [];
  readonly #lastList: number[] = [];

  /** The list with one number more; list 0 is empty. */
  append(list: number, value: number): number {
    if (this.#lastValue[list] === value) return this.#lastList[list]!;
    const longer = this.#extend(list, [value]);
    this.#lastValue[list] = value;
    this.#lastList[list] = longer;
    return longer;
  }

  #extend(list: number, entry: readonly number[]): number {
    const text = `${list}|${entry.join()}`;
    let id = this.#known.get(text);
    if (id === undefined) {
      id = this.#parents.push(list) - 1;
      this.#entries.push(entry);
      this.#known.set(text, id);
    }
    return id;
  }

  /** The same for one invocation or response. */
  record(list: number, thread: number, kind: number, a: number, b: number): number {
    return this.#extend(list, [thread, kind, a, b]);
  }

  /** All entries, oldest first. */
  entries(list: number): (readonly number[])[] {
    const found: (readonly number[])[] = [];
    for (let at = list; at !== 0; at = this.#parents[at]!) found.push(this.#entries[at]!);
    return found.reverse();
  }
}
