import { shardOf, siteHash, siteOf } from "../url/site.ts";

const MAX_HOSTS = 1 << 16;

/** Which shard a host belongs to, remembered for the hosts met lately. */
export class ShardNumbers {
  readonly #shards: number;
  readonly #known = new Map<string, number>();

  constructor(shards: number) {
    this.#shards = shards;
  }

  readonly of = (hostname: string): number => {
    let number = this.#known.get(hostname);
    if (number === undefined) {
      number = shardOf(siteHash(siteOf(hostname)), this.#shards);
      if (this.#known.size >= MAX_HOSTS) this.#known.clear();
      this.#known.set(hostname, number);
    }
    return number;
  };
}
