import type { FoundLink } from "../harvest.ts";

/** The node after the last one. */
export const END = 1;
const START = 0;

/**
 * Links in the order of the tree, which differs from the source where content is moved in front of a table: a doubly
 * linked list in which every open element knows its place.
 */
export class LinkOrder {
  readonly #next = [END, -1];
  readonly #previous = [-1, START];
  readonly #items: (FoundLink | undefined)[] = [undefined, undefined];

  /** Adds a link, or a place without one, in front of a node and returns the new node. */
  insertBefore(node: number, item: FoundLink | undefined): number {
    const added = this.#items.length;
    const previous = this.#previous[node]!;
    this.#items.push(item);
    this.#next.push(node);
    this.#previous.push(previous);
    this.#next[previous] = added;
    this.#previous[node] = added;
    return added;
  }

  previous(node: number): number {
    return this.#previous[node]!;
  }

  next(node: number): number {
    return this.#next[node]!;
  }

  /** Drops `node` and everything after it. */
  cutFrom(node: number): void {
    const last = this.#previous[node]!;
    this.#next[last] = END;
    this.#previous[END] = last;
  }

  links(): FoundLink[] {
    const found: FoundLink[] = [];
    for (let node = this.#next[START]!; node !== END; node = this.#next[node]!) {
      const item = this.#items[node];
      if (item !== undefined) found.push(item);
    }
    return found;
  }
}
