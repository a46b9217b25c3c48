/** Pages that belong together, by number, in ascending order. */
export type Cluster = readonly number[];

/** 64-bit fingerprints of pages, 12 bytes for each. */
export class Fingerprints {
  #low = new Uint32Array(1024);
  #high = new Uint32Array(1024);
  #page = new Uint32Array(1024);
  length = 0;

  add(page: number, low: number, high: number): void {
    if (this.length === this.#low.length) {
      this.#low = twice(this.#low);
      this.#high = twice(this.#high);
      this.#page = twice(this.#page);
    }
    this.#low[this.length] = low;
    this.#high[this.length] = high;
    this.#page[this.length++] = page;
  }

  /** Groups of two or more pages with equal fingerprints, the largest first. */
  equal(): Cluster[] {
    return this.#groups().clusters(this.#page);
  }

  /** A group for every distinct fingerprint. */
  #groups(): Groups {
    const groups = new Groups(this.length);
    const order = this.#sorted();
    for (let i = 1; i < order.length; i++)
      if (this.#isSame(order[i]!, order[i - 1]!)) groups.join(order[i]!, order[i - 1]!);
    return groups;
  }

  #sorted(): Uint32Array {
    const order = Uint32Array.from({ length: this.length }, (_, i) => i);
    return order.sort((a, b) => this.#high[a]! - this.#high[b]! || this.#low[a]! - this.#low[b]!);
  }

  #isSame(a: number, b: number): boolean {
    return this.#low[a] === this.#low[b] && this.#high[a] === this.#high[b];
  }
}

/** Which group each member belongs to: a forest whose roots are the groups, the smallest member of each. */
export class Groups {
  readonly #parent: Uint32Array;

  constructor(size: number) {
    this.#parent = Uint32Array.from({ length: size }, (_, i) => i);
  }

  find(member: number): number {
    const parent = this.#parent;
    let at = member;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]!]!;
      at = parent[at]!;
    }
    return at;
  }

  /** Whether a member leads its group, so that it may join another one as a whole. */
  isFirst(member: number): boolean {
    return this.#parent[member] === member;
  }

  join(a: number, b: number): void {
    const [x, y] = [this.find(a), this.find(b)];
    if (x < y) this.#parent[y] = x;
    else this.#parent[x] = y;
  }

  /** Groups of two or more members, the largest first, as the pages that these numbers stand for. */
  clusters(pages: Uint32Array): Cluster[] {
    const size = this.#parent.length;
    const members = new Map<number, number[]>();
    const sizes = new Uint32Array(size);
    for (let i = 0; i < size; i++) sizes[this.find(i)]!++;
    for (let i = 0; i < size; i++) {
      const root = this.find(i);
      if (sizes[root]! < 2) continue;
      const cluster = members.get(root);
      if (cluster === undefined) members.set(root, [pages[i]!]);
      else cluster.push(pages[i]!);
    }
    return [...members.values()].sort((a, b) => b.length - a.length || a[0]! - b[0]!);
  }
}

/** The same values with room for as many again. */
export function twice(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(values.length * 2);
  longer.set(values);
  return longer;
}
