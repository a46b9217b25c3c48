/** Pivots beyond which a stack is pruned. Quickselect on random keys stays far below. */
export function deepestUseful(size: number): number {
  return 2 * Math.ceil(Math.log2(size + 2)) + 8;
}

/** Keeps the boundaries of which each has at least twice the keys before it as the one kept before; best first. */
export function geometric(prefixes: readonly number[]): boolean[] {
  let kept = 0;
  return prefixes.map((prefix) => {
    const keep = prefix >= 2 * kept;
    if (keep) kept = prefix;
    return keep;
  });
}

/**
 * Where chunks end and by which value they were split. Index 0 is the end of all keys and has no pivot; the top of the
 * stack ends the first chunk.
 */
export class PivotStack {
  ends = new Int32Array(64);
  pivots = new Float64Array(64);
  depth = 1;

  push(end: number, pivot: number): void {
    if (this.depth === this.ends.length) this.#grow();
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

  /**
   * Merges chunks until each is at least as large as all before it together. Without this, input that keeps improving
   * piles pivots up for ever and every insert walks past all of them. Merging is free, and a key is split again only
   * after its chunk has at least doubled, so the amortised cost stays logarithmic.
   */
  prune(head: number): void {
    const prefixes: number[] = [];
    for (let i = this.depth - 1; i > 0; i--) prefixes.push(this.ends[i]! - head);
    const keep = geometric(prefixes).reverse();
    let to = 1;
    for (let i = 1; i < this.depth; i++) {
      if (!keep[i - 1]) continue;
      this.ends[to] = this.ends[i]!;
      this.pivots[to++] = this.pivots[i]!;
    }
    this.depth = to;
  }

  #grow(): void {
    const ends = new Int32Array(this.ends.length * 2);
    const pivots = new Float64Array(this.pivots.length * 2);
    ends.set(this.ends);
    pivots.set(this.pivots);
    this.ends = ends;
    this.pivots = pivots;
  }
}
