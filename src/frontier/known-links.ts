import type { CrawlUrl } from "../url/crawl-url.ts";
import { type AdmissionRules, linkPrints, MOST_PRINTS } from "./admission-key.ts";
import { ShardNumbers } from "./shard-numbers.ts";

/** Of URLs whose places in memory are asked for together. */
const prints = new Uint32Array(2 * MOST_PRINTS);

/** The URLs that a shard knows. */
interface MetUrls {
  touch(prints: Uint32Array, count: number): void;
  hasPrint(low: number, high: number): boolean;
}

/** A shard that this thread owns: what it has met, in a crawl ordered by cash with what each has. */
export interface OwnShard {
  readonly number: number;
  readonly state: {
    readonly seen: MetUrls;
    readonly cash?: { readonly pages: MetUrls } | undefined;
  };
}

/** Links of a page that are known: their shards and fingerprints, for an order that gives every link its share. */
export class KnownPrints {
  length = 0;
  readonly #words: Uint32Array;

  /** Room for so many. */
  constructor(most: number) {
    this.#words = new Uint32Array(3 * most);
  }

  add(shard: number, low: number, high: number): void {
    const at = 3 * this.length++;
    this.#words[at] = shard;
    this.#words[at + 1] = low;
    this.#words[at + 2] = high;
  }

  each(meet: (shard: number, low: number, high: number) => void): void {
    const words = this.#words;
    for (let at = 0; at < 3 * this.length; at += 3)
      meet(words[at]!, words[at + 1]!, words[at + 2]!);
  }
}

/** The links of a page: those that may be new, and those that are known, where they get a share. */
export interface SplitLinks {
  readonly left: readonly CrawlUrl[];
  readonly known: KnownPrints | undefined;
}

/**
 * Tells links that are known from those that may be new, before anything is done for them. Nearly all links of a page
 * were met on others before; what is known stays known, so nothing is lost by leaving it out.
 */
export class KnownLinks {
  readonly #numbers: ShardNumbers;
  readonly #met: ReadonlyMap<number, MetUrls>;
  readonly #byCash: boolean;
  readonly #rules: AdmissionRules;

  constructor(shards: number, owned: readonly OwnShard[], rules: AdmissionRules) {
    this.#numbers = new ShardNumbers(shards);
    this.#met = new Map(
      owned.map(({ number, state: { cash, seen } }) => [number, cash?.pages ?? seen]),
    );
    this.#byCash = owned.some(({ state }) => state.cash !== undefined);
    this.#rules = rules;
  }

  /** Splits the links of a page of this shard, in their order; what other threads know is theirs to say. */
  split(shard: number, links: readonly CrawlUrl[]): SplitLinks {
    // The links of a borrowed page get their shares from its owner.
    if (this.#byCash && !this.#met.has(shard)) return { left: links, known: undefined };
    const known = this.#byCash ? new KnownPrints(links.length) : undefined;
    const left: CrawlUrl[] = [];
    for (let from = 0; from < links.length; ) {
      const target = this.#numbers.of(links[from]!).shard;
      let to = from + 1;
      const most = Math.min(links.length, from + MOST_PRINTS);
      while (to < most && this.#numbers.of(links[to]!).shard === target) to++;
      const met = this.#met.get(target);
      if (met !== undefined) this.#print(links, from, to, met);
      for (let i = from; i < to; i++) {
        const at = 2 * (i - from);
        if (met?.hasPrint(prints[at]!, prints[at + 1]!) !== true) left.push(links[i]!);
        else known?.add(target, prints[at]!, prints[at + 1]!);
      }
      from = to;
    }
    return { left, known };
  }

  /** Computes the fingerprints of some links of one shard, and asks memory for their places. */
  #print(links: readonly CrawlUrl[], from: number, to: number, met: MetUrls): void {
    linkPrints(links, from, to - from, this.#rules, prints);
    met.touch(prints, to - from);
  }
}
