/** A name, how many pages have it, and which part of all that is. */
export interface Share {
  readonly name: string;
  readonly pages: number;
  readonly share: number;
}

/** Counts pages by a name, such as a host or a language. */
export class Tally {
  readonly #counts = new Map<string, number>();
  #total = 0;

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#total++;
  }

  /** How many names there are. */
  get size(): number {
    return this.#counts.size;
  }

  get total(): number {
    return this.#total;
  }

  /** The count of every name. */
  get counts(): Iterable<number> & object {
    return this.#counts.values();
  }

  /** The most frequent names, equal ones in the order of the alphabet; shares are parts of `of`. */
  top(count: number, of: number = this.#total): Share[] {
    const best: [string, number][] = [];
    for (const entry of this.#counts) {
      const last = best[count - 1];
      if (last !== undefined && !isBefore(entry, last)) continue;
      let at = best.length;
      while (at > 0 && isBefore(entry, best[at - 1]!)) at--;
      best.splice(at, 0, entry);
      if (best.length > count) best.pop();
    }
    return best.map(([name, pages]) => ({ name, pages, share: pages / of }));
  }
}

function isBefore([aName, a]: [string, number], [bName, b]: [string, number]): boolean {
  return a === b ? aName < bName : a > b;
}
