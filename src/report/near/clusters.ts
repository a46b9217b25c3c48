/** Two texts are near duplicates when at most so many of their 64 bits differ. */
export const MAX_DISTANCE = 3;
/** Four bands of 16 bits: of three changed bits, at least one band has none. */
const BANDS = 4;
const BAND_VALUES = 1 << 16;
/** In a crowded band only this many are compared, so that no corpus takes quadratic time. */
const MAX_NEIGHBOURS = 4096;

/** Pages that belong together, by number, in ascending order. */
export type Cluster = readonly number[];

/** 64-bit fingerprints of pages; 16 bytes for each while they are compared. */
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
    return this.#clusters(this.#groups());
  }

  /**
   * Groups of two or more pages whose fingerprints are at most `MAX_DISTANCE` bits from that of the group's first page.
   * Not from any of the group: chains of small steps would join texts that have nothing in common.
   */
  near(): Cluster[] {
    const groups = this.#groups();
    const members = this.#distinct(groups);
    const bands = Array.from({ length: BANDS }, (_, band) => this.#sortBand(members, band));
    for (const first of members) {
      if (groups.find(first) !== first) continue;
      for (const { bandOf, starts, sorted } of bands) {
        const value = bandOf(first);
        const end = Math.min(starts[value + 1]!, starts[value]! + MAX_NEIGHBOURS);
        for (let i = starts[value]!; i < end; i++) {
          const other = sorted[i]!;
          const isFree = other > first && groups.isFirst(other);
          if (isFree && this.#distance(first, other) <= MAX_DISTANCE) groups.join(first, other);
        }
      }
    }
    return this.#clusters(groups);
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

  #distinct(groups: Groups): Uint32Array {
    return Uint32Array.from({ length: this.length }, (_, i) => i).filter(
      (i) => groups.find(i) === i,
    );
  }

  /** Members by the value of a band: those with value v from `starts[v]` to `starts[v + 1]`. */
  #sortBand(members: Uint32Array, band: number) {
    const half = band < 2 ? this.#low : this.#high;
    const shift = (band % 2) * 16;
    const bandOf = (member: number) => (half[member]! >>> shift) & (BAND_VALUES - 1);
    const starts = new Uint32Array(BAND_VALUES + 1);
    for (const member of members) starts[bandOf(member) + 1]!++;
    for (let v = 0; v < BAND_VALUES; v++) starts[v + 1]! += starts[v]!;
    const sorted = new Uint32Array(members.length);
    const next = starts.slice();
    for (const member of members) sorted[next[bandOf(member)]!++] = member;
    return { bandOf, starts, sorted };
  }

  #distance(a: number, b: number): number {
    return bitCount(this.#low[a]! ^ this.#low[b]!) + bitCount(this.#high[a]! ^ this.#high[b]!);
  }

  #clusters(groups: Groups): Cluster[] {
    const members = new Map<number, number[]>();
    const sizes = new Uint32Array(this.length);
    for (let i = 0; i < this.length; i++) sizes[groups.find(i)]!++;
    for (let i = 0; i < this.length; i++) {
      const root = groups.find(i);
      if (sizes[root]! < 2) continue;
      const pages = members.get(root);
      if (pages === undefined) members.set(root, [this.#page[i]!]);
      else pages.push(this.#page[i]!);
    }
    return [...members.values()].sort((a, b) => b.length - a.length || a[0]! - b[0]!);
  }
}

/** Which group each member belongs to: a forest whose roots are the groups, the smallest member of each. */
class Groups {
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
}

function twice(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(values.length * 2);
  longer.set(values);
  return longer;
}

function bitCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
