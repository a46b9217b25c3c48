import { CapacityError } from "../../../errors.ts";
import { fingerprint, lastFingerprint } from "../../../hash/fingerprint.ts";
import { NOBODY } from "../techniques/node-arena.ts";
import { BucketTable } from "./bucket-table.ts";
import { type Page, PageNodes } from "./page-nodes.ts";
import type { SetShape, VisitedSet } from "./visited-set.ts";

const DEFAULT_BUCKETS = 16;
const DEFAULT_URL_BYTES = 2083;

/** Nodes per URL of the capacity: the URL, its parent, and for one that was fetched its links, many of them in a node. */
const NODES_PER_URL = 4;

interface Layout {
  readonly initial: number;
  readonly maxBuckets: number;
  readonly nodes: number;
  readonly words: number;
  readonly maxBytes: number;
}

function layoutOf(shape: SetShape): Layout {
  const initial = shape.initial ?? DEFAULT_BUCKETS;
  // A bucket may be as long as the table is wide, so the table need not be much wider than the square root of its pages.
  let maxBuckets = initial;
  while (maxBuckets < 4 * Math.sqrt(shape.maxUrls)) maxBuckets *= 2;
  const nodes = shape.maxUrls * NODES_PER_URL;
  const words = BucketTable.words(maxBuckets) + PageNodes.words(nodes);
  return { initial, maxBuckets, nodes, words, maxBytes: shape.maxUrlBytes ?? DEFAULT_URL_BYTES };
}

/** The seed's striped hash set of pages in shared memory: a lock per bucket, and more of both as it grows. */
export class StripedSet implements VisitedSet {
  readonly #pages: PageNodes;
  readonly #table: BucketTable;
  readonly #seedLow: number;
  readonly #seedHigh: number;

  constructor(memory: SharedArrayBuffer, shape: SetShape, owner: number) {
    const { initial, maxBuckets, nodes, words, maxBytes } = layoutOf(shape);
    const mayBlock = shape.mayBlock ?? false;
    const control = new Int32Array(memory, 0, words);
    const at = BucketTable.words(maxBuckets);
    const pages = new PageNodes(memory, control, at, nodes, maxBytes, owner, mayBlock);
    this.#pages = pages;
    this.#table = new BucketTable({ words: control, initial, maxBuckets, owner, mayBlock, pages });
    this.#seedLow = shape.seedLow ?? 0;
    this.#seedHigh = shape.seedHigh ?? 0;
  }

  /** Bytes of shared memory, zero at first; unused nodes cost nothing. */
  static bytes(shape: SetShape): number {
    const { nodes, words, maxBytes } = layoutOf(shape);
    return words * 4 + PageNodes.payloadBytes(nodes, maxBytes);
  }

  mark(url: string, parent = "", level = 0): boolean {
    return this.add({ url, parent, links: [], level });
  }

  /** Adds a page at the end of its bucket; false when its URL is in the set. */
  add(page: Page): boolean {
    const hash = this.#hashOf(page.url);
    const length = this.#pages.prepare(page.url);
    this.#pages.check([page.parent, ...page.links]);
    const bucket = this.#table.lockBucketOf(hash);
    const buckets = this.#table.buckets();
    let last: number = NOBODY;
    let pages = 1;
    for (
      let node = this.#table.head(bucket);
      node !== NOBODY;
      node = this.#pages.arena.next(node)
    ) {
      if (this.#pages.isPage(node, hash, length)) {
        this.#table.unlockBucket(bucket);
        return false;
      }
      last = node;
      pages++;
    }
    const added = this.#pages.store(page, hash, length);
    if (added !== NOBODY) {
      if (last === NOBODY) this.#table.setHead(bucket, added);
      else this.#pages.arena.setNext(last, added);
      this.#pages.settle(added);
      this.#table.addCount(bucket, 1);
    }
    this.#table.unlockBucket(bucket);
    if (added === NOBODY) throw this.#full();
    if (pages > buckets) this.#table.double(buckets);
    return true;
  }

  contains(url: string): boolean {
    const { bucket, node } = this.#lockPage(url);
    this.#table.unlockBucket(bucket);
    return node !== NOBODY;
  }

  /** The page with that URL. */
  get(url: string): Page | undefined {
    const { bucket, node } = this.#lockPage(url);
    const page = node === NOBODY ? undefined : this.#pages.read(node);
    this.#table.unlockBucket(bucket);
    return page;
  }

  /** Removes a page; false when it is not there. */
  remove(url: string): boolean {
    const { bucket, node } = this.#lockPage(url);
    if (node !== NOBODY) this.#unlink(bucket, node);
    this.#table.unlockBucket(bucket);
    if (node !== NOBODY) this.#pages.release(node);
    return node !== NOBODY;
  }

  /** Adds links that the page does not have yet; false when the page is not there. */
  addLinks(url: string, links: readonly string[]): boolean {
    this.#pages.check(links);
    const { bucket, node } = this.#lockPage(url);
    const fits = node === NOBODY || this.#pages.addLinks(node, links, true);
    this.#table.unlockBucket(bucket);
    if (!fits) throw this.#full();
    return node !== NOBODY;
  }

  /** The pages that share a bucket with that URL, whether it is there or not. */
  getBucket(url: string): Page[] {
    const bucket = this.#table.lockBucketOf(this.#hashOf(url));
    const pages = this.#pagesOf(bucket);
    this.#table.unlockBucket(bucket);
    return pages;
  }

  count(): number {
    return this.#table.count();
  }

  /** Buckets, and locks, at this moment. */
  buckets(): number {
    return this.#table.buckets();
  }

  /** Every page with the number of its bucket. A bucket is a snapshot; the whole is one only if nobody changes it. */
  dump(): { bucket: number; page: Page }[] {
    const found: { bucket: number; page: Page }[] = [];
    for (let bucket = 0; bucket < this.#table.buckets(); bucket++) {
      this.#table.lockBucket(bucket);
      for (const page of this.#pagesOf(bucket)) found.push({ bucket, page });
      this.#table.unlockBucket(bucket);
    }
    return found;
  }

  /**
   * Of the nodes that the dead thread held, those that can be reached from a bucket it locked are in the set; the rest is
   * freed. Its own locks guard these buckets, so no other lock is needed.
   */
  reclaim(deadOwner: number): number {
    const { arena } = this.#pages;
    let held = arena.reclaim(deadOwner) ? 1 : 0;
    this.#table.rebuildFor(deadOwner);
    this.#table.settleFor(deadOwner);
    held += arena.freeAllOf(deadOwner);
    held += this.#table.reclaim(deadOwner);
    return held;
  }

  #full(): CapacityError {
    return new CapacityError(
      `the striped visited set is full with ${this.count()} pages and their links; --visited cas holds more`,
    );
  }

  /** Locks the bucket of a URL and looks for its page there; NOBODY when there is none. */
  #lockPage(url: string): { bucket: number; node: number } {
    const hash = this.#hashOf(url);
    const length = this.#pages.prepare(url);
    const bucket = this.#table.lockBucketOf(hash);
    let node = this.#table.head(bucket);
    while (node !== NOBODY && !this.#pages.isPage(node, hash, length)) {
      node = this.#pages.arena.next(node);
    }
    return { bucket, node };
  }

  /** The page is marked as held first: from then on it is in the set only because a link leads to it. */
  #unlink(bucket: number, node: number): void {
    this.#pages.seize(node);
    const after = this.#pages.arena.next(node);
    let before: number = NOBODY;
    for (let n = this.#table.head(bucket); n !== node; n = this.#pages.arena.next(n)) before = n;
    if (before === NOBODY) this.#table.setHead(bucket, after);
    else this.#pages.arena.setNext(before, after);
    this.#table.addCount(bucket, -1);
  }

  #pagesOf(bucket: number): Page[] {
    const pages: Page[] = [];
    for (
      let node = this.#table.head(bucket);
      node !== NOBODY;
      node = this.#pages.arena.next(node)
    ) {
      pages.push(this.#pages.read(node));
    }
    return pages;
  }

  #hashOf(url: string): number {
    fingerprint(url, this.#seedLow, this.#seedHigh);
    return lastFingerprint.low | 0;
  }
}
