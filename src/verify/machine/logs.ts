import { Numbering } from "../fibers/numbering.ts";

interface Entry {
  /** The list before this entry. */
  readonly before: number;
  readonly numbers: readonly number[];
}

/** What a thread reported or the threads invoked, as one number that stands for the whole list; 0 is the empty one. */
export class Logs {
  readonly #lists = new Numbering<string, Entry>();
  /** The continuation found last, per list: almost always the one that is wanted next. */
  readonly #lastValue: number[] = [];
  readonly #lastList: number[] = [];

  /** The list with one number more. */
  append(list: number, value: number): number {
    if (this.#lastValue[list] !== value) {
      this.#lastValue[list] = value;
      this.#lastList[list] = this.#extend(list, [value]);
    }
    return this.#lastList[list]!;
  }

  /** The same for one invocation or response. */
  record(list: number, thread: number, kind: number, a: number, b: number): number {
    return this.#extend(list, [thread, kind, a, b]);
  }

  /** All entries, oldest first. */
  entries(list: number): (readonly number[])[] {
    const found: (readonly number[])[] = [];
    for (let at = list; at !== 0; at = this.#lists.at(at - 1).before) {
      found.push(this.#lists.at(at - 1).numbers);
    }
    return found.reverse();
  }

  #extend(before: number, numbers: readonly number[]): number {
    return 1 + this.#lists.numberOf(`${before}|${numbers.join()}`, { before, numbers });
  }
}
