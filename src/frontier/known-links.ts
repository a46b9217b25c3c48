import type { CrawlUrl } from "../url/crawl-url.ts";
import { type AdmissionRules, linkPrint } from "./admission-key.ts";
import { print } from "./fingerprint.ts";
import type { SeenSet } from "./seen.ts";
import { ShardNumbers } from "./shard-numbers.ts";

/** URLs whose places in memory are asked for together. */
const BATCH = 64;
const prints = new Uint32Array(2 * BATCH);

/** A shard that this thread owns: what it has seen. */
export interface OwnShard {
  readonly number: number;
  readonly state: { readonly seen: SeenSet };
}

/**
 * Tells links that are known from those that may be new, before anything is done for them. Nearly all links of a page
 * were met on others before; what is known stays known, so nothing is lost by leaving it out. Not for an order that
 * gives every link its share.
 */
export class KnownLinks {
  readonly #numbers: ShardNumbers;
  readonly #seen: ReadonlyMap<number, SeenSet>;
  readonly #rules: AdmissionRules;

  constructor(shards: number, owned: readonly OwnShard[], rules: AdmissionRules) {
    this.#numbers = new ShardNumbers(shards);
    this.#seen = new Map(owned.map(({ number, state }) => [number, state.seen]));
    this.#rules = rules;
  }

  /** The links without those that are known here, in their order; what other threads know is theirs to say. */
  without(links: readonly CrawlUrl[]): CrawlUrl[] {
    const left: CrawlUrl[] = [];
    for (let from = 0; from < links.length; ) {
      const { shard } = this.#numbers.of(links[from]!);
      let to = from + 1;
      const most = Math.min(links.length, from + BATCH);
      while (to < most && this.#numbers.of(links[to]!).shard === shard) to++;
      this.#sift(links, from, to, this.#seen.get(shard), left);
      from = to;
    }
    return left;
  }

  #sift(
    links: readonly CrawlUrl[],
    from: number,
    to: number,
    seen: SeenSet | undefined,
    left: CrawlUrl[],
  ): void {
    if (seen !== undefined) {
      for (let i = from; i < to; i++) {
        linkPrint(links[i]!, this.#rules);
        prints[2 * (i - from)] = print.low;
        prints[2 * (i - from) + 1] = print.high;
      }
      seen.touch(prints, to - from);
    }
    for (let i = from; i < to; i++) {
      const at = 2 * (i - from);
      if (seen?.hasPrint(prints[at]!, prints[at + 1]!) !== true) left.push(links[i]!);
    }
  }
}
