import type { CrawlUrl } from "../../url/crawl-url.ts";
import { KnownFingerprints } from "../discovery.ts";
import { ShardNumbers } from "../shard-numbers.ts";
import { type AdmissionRules, linkFingerprints, MAX_FINGERPRINTS } from "./admission-key.ts";

/** Of URLs that are looked up together. */
const fingerprints = new Uint32Array(2 * MAX_FINGERPRINTS);
const news = new Uint8Array(MAX_FINGERPRINTS);

/** The URLs that a shard knows. */
interface MetUrls {
  searchFingerprints(fingerprints: Uint32Array, count: number, news: Uint8Array): number;
}

/** The same, where each has a number. */
interface MetPages {
  touch(fingerprints: Uint32Array, count: number): void;
  /** -1 when it is not known. */
  find(low: number, high: number): number;
}

/** A shard that this thread owns: what it has met, in a crawl ordered by cash with what each has. */
export interface OwnShard {
  readonly number: number;
  readonly state: {
    readonly seen: MetUrls;
    readonly cash?: { readonly pages: MetPages } | undefined;
  };
}

/** The links of a page: those that may be new, and those that are known, where they get a share. */
export interface SplitLinks {
  readonly left: readonly CrawlUrl[];
  readonly known: KnownFingerprints | undefined;
}

/**
 * Tells links that are known from those that may be new, before anything is done for them. Nearly all links of a page
 * were met on others before; what is known stays known, so nothing is lost by leaving it out.
 */
export class KnownLinks {
  readonly #numbers: ShardNumbers;
  /** Of the shards of this thread, by number. */
  readonly #met: (MetUrls | undefined)[];
  /** The same; undefined unless the crawl is ordered by cash. */
  readonly #pages: (MetPages | undefined)[] | undefined;
  readonly #rules: AdmissionRules;

  constructor(shards: number, owned: readonly OwnShard[], rules: AdmissionRules) {
    this.#numbers = new ShardNumbers(shards);
    this.#met = new Array(shards).fill(undefined);
    for (const { number, state } of owned) {
      this.#met[number] = state.seen;
      if (state.cash === undefined) continue;
      this.#pages ??= new Array(shards).fill(undefined);
      this.#pages[number] = state.cash.pages;
    }
    this.#rules = rules;
  }

  /** Splits the links of a page of this shard, in their order; what other threads know is theirs to say. */
  split(shard: number, links: readonly CrawlUrl[]): SplitLinks {
    if (this.#pages !== undefined) return this.#splitByCash(this.#pages, shard, links);
    const left: CrawlUrl[] = [];
    for (let from = 0; from < links.length; ) {
      const target = this.#numbers.of(links[from]!).shard;
      const to = this.#runEnd(links, from, target);
      const met = this.#met[target];
      if (met === undefined) news.fill(1, 0, to - from);
      else {
        linkFingerprints(links, from, to - from, this.#rules, fingerprints);
        met.searchFingerprints(fingerprints, to - from, news);
      }
      for (let i = from; i < to; i++) if (news[i - from] === 1) left.push(links[i]!);
      from = to;
    }
    return { left, known: undefined };
  }

  #splitByCash(
    pages: readonly (MetPages | undefined)[],
    shard: number,
    links: readonly CrawlUrl[],
  ): SplitLinks {
    // The links of a borrowed page get their shares from its owner.
    if (pages[shard] === undefined) return { left: links, known: undefined };
    const known = new KnownFingerprints();
    const left: CrawlUrl[] = [];
    for (let from = 0; from < links.length; ) {
      const target = this.#numbers.of(links[from]!).shard;
      const to = this.#runEnd(links, from, target);
      const met = pages[target];
      if (met !== undefined) {
        linkFingerprints(links, from, to - from, this.#rules, fingerprints);
        met.touch(fingerprints, to - from);
      }
      for (let i = from; i < to; i++) {
        const at = 2 * (i - from);
        const page = met?.find(fingerprints[at]!, fingerprints[at + 1]!) ?? -1;
        if (page < 0) left.push(links[i]!);
        else if (target === shard) known.own.push(page);
        else known.others.push(target, fingerprints[at]! | 0, fingerprints[at + 1]! | 0);
      }
      from = to;
    }
    return { left, known };
  }

  /** Where a run of links to one shard ends, or has enough to be looked up together. */
  #runEnd(links: readonly CrawlUrl[], from: number, target: number): number {
    const most = Math.min(links.length, from + MAX_FINGERPRINTS);
    let to = from + 1;
    while (to < most && this.#numbers.of(links[to]!).shard === target) to++;
    return to;
  }
}
