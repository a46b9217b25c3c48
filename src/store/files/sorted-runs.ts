import type { AppendFile } from "./append-file.ts";
import { replaceFile } from "./replace-file.ts";
import { removeIfThere } from "./system-calls.ts";

/** How items are kept in a file and compared. */
export interface RunFormat<T> {
  read(path: string): Iterable<T>;
  /** Writes items in their order; answers how many. */
  write(file: AppendFile, items: Iterable<T>): number;
  isBefore(a: T, b: T): boolean;
}

/** Sorts what does not fit memory: sorted runs on disk, beside the file they are for, merged a few at a time. */
export class SortedRuns<T> {
  readonly #out: string;
  readonly #format: RunFormat<T>;
  readonly #fanIn: number;
  #paths: string[] = [];
  #made = 0;

  constructor(out: string, fanIn: number, format: RunFormat<T>) {
    this.#out = out;
    this.#fanIn = fanIn;
    this.#format = format;
  }

  get isEmpty(): boolean {
    return this.#paths.length === 0;
  }

  /** Writes sorted items as a run. */
  add(items: Iterable<T>): void {
    const path = `${this.#out}.run-${this.#made++}`;
    this.#paths.push(path);
    replaceFile(path, (file) => this.#format.write(file, items));
  }

  /** Writes all runs, and sorted items that are in memory, into one file; answers how many items there are. */
  merge(rest: Iterable<T>): number {
    while (this.#paths.length >= this.#fanIn) {
      const some = this.#paths.slice(0, this.#fanIn);
      this.add(this.#merged(some));
      for (const path of some) removeIfThere(path);
      this.#paths = this.#paths.slice(this.#fanIn);
    }
    const items = this.isEmpty ? rest : this.#merged(this.#paths, rest);
    return replaceFile(this.#out, (file) => this.#format.write(file, items));
  }

  /** Removes the runs. */
  remove(): void {
    for (const path of this.#paths) removeIfThere(path);
  }

  /** The items of sorted runs in order. Invariant: `heads` is sorted in descending order. */
  *#merged(paths: readonly string[], ...more: Iterable<T>[]): Generator<T, void> {
    const { read, isBefore } = this.#format;
    const heads: { item: T; run: Iterator<T> }[] = [];
    const insert = (run: Iterator<T>): void => {
      const next = run.next();
      if (next.done === true) return;
      let low = 0;
      for (let high = heads.length; low < high; ) {
        const middle = (low + high) >> 1;
        if (isBefore(next.value, heads[middle]!.item)) low = middle + 1;
        else high = middle;
      }
      heads.splice(low, 0, { item: next.value, run });
    };
    for (const run of [...paths.map((path) => read(path)), ...more]) insert(run[Symbol.iterator]());
    for (let first = heads.pop(); first !== undefined; first = heads.pop()) {
      yield first.item;
      insert(first.run);
    }
  }
}
