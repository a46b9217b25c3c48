/** By what hosts can be sorted. */
export const HOST_SORTS = ["queued", "done", "failed", "delay", "next", "name"] as const;

/** One of them. */
export type HostSort = (typeof HOST_SORTS)[number];

/** Which hosts somebody wants to see. */
export interface HostQuestion {
  /** A part of the name; "" for all. */
  readonly search: string;
  readonly sort: HostSort;
  /** Largest first; names, and hosts that are alike, go from a to z. */
  readonly offset: number;
  readonly limit: number;
}

/** The first hosts of a thread. */
export interface HostRanks {
  /** How many match. */
  readonly total: number;
  /** The first `offset + limit`, in order: what `rankText` makes of each. */
  readonly ranked: readonly string[];
}

/** Larger than any count, delay or wait in milliseconds. */
const MAX_KEY = 2 ** 44;
const KEY_CHARS = 9;

/**
 * Ranks hosts: key and name become one text, so that sorting is comparing texts, which costs a third of calling a function
 * for each comparison. There may be a hundred thousand hosts, and a page from anywhere among them.
 */
export class HostRanking {
  readonly #most: number;
  readonly #isByName: boolean;
  /** Texts of keys: most hosts share few of them. */
  readonly #keys = new Map<number, string>();
  #texts: string[] = [];
  #total = 0;
  /** The last of those that are certainly kept. */
  #last: { readonly key: number; readonly name: string } | undefined;

  constructor({ sort, offset, limit }: HostQuestion) {
    this.#most = offset + limit;
    this.#isByName = sort === "name";
  }

  /** Takes a host; with the sort "name" the key is not looked at. */
  add(name: string, key: number): void {
    this.#total++;
    const rank = this.#isByName ? 0 : key;
    if (this.#last !== undefined && isBehind(this.#last, name, rank)) return;
    if (this.#texts.push(this.#textOf(rank) + name) >= 4 * this.#most + 64) this.#cut();
  }

  /** The result, after all hosts. */
  ranks(): HostRanks {
    this.#cut();
    return { total: this.#total, ranked: this.#texts };
  }

  #textOf(key: number): string {
    let text = this.#keys.get(key);
    if (text === undefined) {
      text = Math.floor(MAX_KEY - key)
        .toString(36)
        .padStart(KEY_CHARS, "0");
      this.#keys.set(key, text);
    }
    return text;
  }

  #cut(): void {
    this.#texts.sort();
    if (this.#texts.length < this.#most) return;
    this.#texts.length = this.#most;
    const last = this.#texts.at(-1)!;
    const key = MAX_KEY - Number.parseInt(last.slice(0, KEY_CHARS), 36);
    this.#last = { key, name: nameOf(last) };
  }
}

function isBehind(
  last: { readonly key: number; readonly name: string },
  name: string,
  key: number,
): boolean {
  return key === last.key ? name > last.name : key < last.key;
}

function nameOf(text: string): string {
  return text.slice(KEY_CHARS);
}

/**
 * The names of one page of all threads' hosts together. Where hosts have no owner several threads may know one; it stands
 * where it is first.
 */
export function mergeRanks(
  threads: readonly HostRanks[],
  { offset, limit }: Pick<HostQuestion, "offset" | "limit">,
  hasOwners: boolean,
): string[] {
  const next = threads.map(() => 0);
  const seen = new Set<string>();
  const page: string[] = [];
  for (let place = 0; place < offset + limit; ) {
    let best = -1;
    for (let thread = 0; thread < threads.length; thread++) {
      const text = threads[thread]!.ranked[next[thread]!];
      if (text === undefined) continue;
      if (best < 0 || text < threads[best]!.ranked[next[best]!]!) best = thread;
    }
    if (best < 0) break;
    const text = threads[best]!.ranked[next[best]!++]!;
    if (!hasOwners) {
      const name = nameOf(text);
      if (seen.has(name)) continue;
      seen.add(name);
    }
    if (place++ >= offset) page.push(nameOf(text));
  }
  return page;
}
