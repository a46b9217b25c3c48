/** Pivots of one stack: what `deepestUseful` leaves of 2^30 keys, and one quickselect on top of it. */
export const MAX_PIVOTS = 192;

/** Pivots beyond which a stack is pruned. Quickselect on random keys stays far below. */
export function deepestUseful(size: number): number {
  return 2 * Math.ceil(Math.log2(size + 2)) + 8;
}

/**
 * Which boundaries of a stack to keep, lowest index first, so that each has at least twice as many keys before it as the
 * next: `prefixOf` answers how many, and rises from the top of the stack down to index 1.
 *
 * Without pruning, input that keeps improving piles up pivots and every insert walks past all of them. Merging
 * two chunks is free, and a key is split again only after its chunk has at least doubled, so the amortised cost stays
 * logarithmic.
 */
export function boundariesToKeep(depth: number, prefixOf: (index: number) => number): number[] {
  const kept: number[] = [];
  let keysBefore = 0;
  for (let index = depth - 1; index > 0; index--) {
    const prefix = prefixOf(index);
    if (prefix < 2 * keysBefore) continue;
    keysBefore = prefix;
    kept.unshift(index);
  }
  return kept;
}

/**
 * Where chunks end and by which value they were split. Index 0 is the end of all keys and has no pivot; the top of the
 * stack ends the first chunk.
 */
export class PivotStack {
  readonly ends = new Int32Array(MAX_PIVOTS);
  readonly pivots = new Float64Array(MAX_PIVOTS);
  depth = 1;

  /** Adds a boundary; `head` is where the keys begin. */
  push(end: number, pivot: number, head: number): void {
    if (this.depth === MAX_PIVOTS) this.prune(head);
    this.ends[this.depth] = end;
    this.pivots[this.depth++] = pivot;
  }

  /** Forgets the boundaries at or before a position that is now the head. */
  dropUpTo(position: number): void {
    while (this.depth > 1 && this.ends[this.depth - 1]! <= position) this.depth--;
  }

  slide(by: number): void {
    for (let i = 0; i < this.depth; i++) this.ends[i]! += by;
  }

  /** Merges chunks until each is at least as large as all before it together. */
  prune(head: number): void {
    const kept = boundariesToKeep(this.depth, (index) => this.ends[index]! - head);
    this.depth = 1;
    for (const index of kept) this.push(this.ends[index]!, this.pivots[index]!, head);
  }
}
