import { lastFingerprint } from "../../hash/fingerprint.ts";
import { type KnownTable, PackedLinks } from "../../page-engine/packed-links.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { KnownFingerprints } from "../discovery.ts";
import { ShardNumbers } from "../shard-numbers.ts";
import {
  type AdmissionRules,
  isSafe,
  linkFingerprint,
  linkFingerprints,
  MAX_FINGERPRINTS,
} from "./admission-key.ts";

/** Of URLs that are looked up together. */
const fingerprints = new Uint32Array(2 * MAX_FINGERPRINTS);
const isNew = new Uint8Array(MAX_FINGERPRINTS);
const MAX_ORIGINS = 1 << 14;
/** Shards by the number of an origin on its page; -1 when it is not known yet. */
const shards = new Int32Array(256);
/** The numbers of all links of a page. */
let allNumbers = Int32Array.from({ length: 256 }, (_, i) => i);
/** The shards of links that are looked up. */
let targets = new Int32Array(256);

/** A shard that this thread owns: the URLs it knows, and in a crawl ordered by cash their numbers. */
export interface OwnShard {
  readonly number: number;
  readonly state: {
    readonly seen: {
      searchFingerprints(fingerprints: Uint32Array, count: number, isNew: Uint8Array): number;
      hasFingerprint(low: number, high: number): boolean;
    };
    readonly cash?:
      | {
          readonly pages: {
            touch(fingerprints: Uint32Array, count: number): void;
            /** -1 when it is not known. */
            find(low: number, high: number): number;
          };
        }
      | undefined;
  };
}

/** The links of a page: those that may be new, and those that are known, where they get a share. */
export interface SplitLinks {
  readonly left: readonly CrawlUrl[];
  readonly known: KnownFingerprints | undefined;
}

/**
 * Tells links that are known from those that may be new, before anything is done for them. Nearly all links of a page
 * were found on others before; what is known stays known, so nothing is lost by leaving it out.
 */
export class KnownLinks {
  readonly #numbers: ShardNumbers;
  /** What the shards of this thread know, by number. */
  readonly #states: (OwnShard["state"] | undefined)[];
  /** Origins that pages linked to lately. */
  readonly #shardsByOrigin = new Map<string, number>();
  readonly #byCash: boolean;
  readonly #rules: AdmissionRules;
  /** The fingerprints that an engine made of a page's links are as they should be, but for those that are marked. */
  readonly #isSafe: boolean;
  /** Where the engine keeps what was found known; undefined where that is not asked. */
  #table: KnownTable | undefined;

  constructor(shards: number, owned: readonly OwnShard[], rules: AdmissionRules) {
    this.#numbers = new ShardNumbers(shards);
    this.#states = new Array(shards).fill(undefined);
    for (const { number, state } of owned) this.#states[number] = state;
    this.#byCash = owned.some(({ state }) => state.cash !== undefined);
    this.#rules = rules;
    this.#isSafe = isSafe(rules);
  }

  /**
   * Splits the links of a page of this shard, in their order. Only links to shards of this thread can be known here. With
   * fingerprints that are there already only what may be new becomes a string, and what was found in a set before is left
   * out by the engine.
   */
  split(shard: number, links: readonly CrawlUrl[] | PackedLinks): SplitLinks {
    // Ordered by cash, the links of a borrowed page get their shares from its owner.
    if (this.#byCash && this.#states[shard] === undefined)
      return { left: links instanceof PackedLinks ? urlsOf(links) : links, known: undefined };
    if (!(links instanceof PackedLinks)) return this.#splitList(shard, links);
    const known = this.#byCash ? new KnownFingerprints() : undefined;
    const left: CrawlUrl[] = [];
    const { seedLow, seedHigh } = this.#rules;
    const isMade =
      this.#isSafe &&
      links.seedLow >>> 0 === seedLow >>> 0 &&
      links.seedHigh >>> 0 === seedHigh >>> 0;
    const table = isMade && !this.#byCash ? links.table : undefined;
    this.#table = table;
    const numbers = table?.doubtful ?? numbersTo(links.length);
    const length = table?.leaveOutKnown(this, links.length) ?? links.length;
    if (length === 0) return { left, known };
    this.#findTargets(links, numbers, length);
    for (let from = 0; from < length; ) {
      const target = targets[from]!;
      const most = Math.min(length, from + MAX_FINGERPRINTS);
      let to = from + 1;
      while (to < most && targets[to] === target) to++;
      const count = to - from;
      const state = this.#states[target];
      // Nearly every URL is its own key.
      if (
        state !== undefined &&
        (links.copyFingerprints(numbers, from, count, fingerprints) > 0 || !isMade)
      )
        this.#fingerprintKeys(links, isMade, numbers, from, count);
      this.#lookUp(state, count, target, target === shard, known);
      for (let i = 0; i < count; i++) {
        const link = numbers[from + i]!;
        if (isNew[i] === 1) left.push(links.url(link) as CrawlUrl);
        else if (table !== undefined) links.remember(this, link);
      }
      from = to;
    }
    return { left, known };
  }

  #splitList(shard: number, links: readonly CrawlUrl[]): SplitLinks {
    const known = this.#byCash ? new KnownFingerprints() : undefined;
    const left: CrawlUrl[] = [];
    for (let from = 0; from < links.length; ) {
      const target = this.#numbers.of(links[from]!).shard;
      const to = this.#runEnd(links, from, target);
      const count = to - from;
      const state = this.#states[target];
      if (state !== undefined) linkFingerprints(links, from, count, this.#rules, fingerprints);
      this.#lookUp(state, count, target, target === shard, known);
      for (let i = 0; i < count; i++) if (isNew[i] === 1) left.push(links[from + i]!);
      from = to;
    }
    return { left, known };
  }

  /** A link with this fingerprint has left for another shard, in a block that is durable: now it is left out like one that is known here. */
  sent(low: number, high: number): void {
    this.#table?.remember(this, low, high);
  }

  /** Writes the shards of the links with the first `count` of these numbers to `targets`; those of one origin are in one. */
  #findTargets(links: PackedLinks, numbers: Int32Array, count: number): void {
    if (targets.length < count) targets = new Int32Array(2 * count);
    const { origins } = links;
    for (let origin = 0; origin < origins; origin++) shards[origin] = -1;
    links.copyOrigins(numbers, count, targets);
    for (let i = 0; i < count; i++) {
      const origin = targets[i]!;
      const isTold = origin < origins;
      let shard = isTold ? shards[origin]! : -1;
      if (shard < 0) {
        shard = this.#shardOfOrigin(links, numbers[i]!);
        if (isTold) shards[origin] = shard;
      }
      targets[i] = shard;
    }
  }

  /** Where a URL has several spellings its key counts, which the engine does not know. */
  #fingerprintKeys(
    links: PackedLinks,
    isMade: boolean,
    numbers: Int32Array,
    from: number,
    count: number,
  ): void {
    for (let i = 0; i < count; i++) {
      const link = numbers[from + i]!;
      if (isMade && !links.isMarked(link)) continue;
      linkFingerprint(links.url(link) as CrawlUrl, this.#rules);
      fingerprints[2 * i] = lastFingerprint.low;
      fingerprints[2 * i + 1] = lastFingerprint.high;
    }
  }

  #shardOfOrigin(links: PackedLinks, link: number): number {
    const origin = links.originText(link);
    const known = this.#shardsByOrigin.get(origin);
    if (known !== undefined) return known;
    const { shard } = this.#numbers.of(links.url(link) as CrawlUrl);
    if (this.#shardsByOrigin.size >= MAX_ORIGINS) this.#shardsByOrigin.clear();
    this.#shardsByOrigin.set(origin, shard);
    return shard;
  }

  #lookUp(
    state: OwnShard["state"] | undefined,
    count: number,
    target: number,
    isOwn: boolean,
    known: KnownFingerprints | undefined,
  ): void {
    if (state === undefined) isNew.fill(1, 0, count);
    else if (known === undefined) state.seen.searchFingerprints(fingerprints, count, isNew);
    else findPages(state.cash!.pages, count, target, isOwn, known);
  }

  /** Where a run of links to one shard ends, or has enough to be looked up together. */
  #runEnd(links: readonly CrawlUrl[], from: number, target: number): number {
    const most = Math.min(links.length, from + MAX_FINGERPRINTS);
    let to = from + 1;
    while (to < most && this.#numbers.of(links[to]!).shard === target) to++;
    return to;
  }
}

/** Looks up the first `count` fingerprints; those that are known go to `known`, for the others `isNew` gets a 1. */
function findPages(
  pages: NonNullable<OwnShard["state"]["cash"]>["pages"],
  count: number,
  shard: number,
  isOwn: boolean,
  known: KnownFingerprints,
): void {
  pages.touch(fingerprints, count);
  for (let i = 0; i < count; i++) {
    const low = fingerprints[2 * i]!;
    const high = fingerprints[2 * i + 1]!;
    const page = pages.find(low, high);
    isNew[i] = page < 0 ? 1 : 0;
    if (page >= 0 && isOwn) known.own.push(page);
    else if (page >= 0) known.others.push(shard, low | 0, high | 0);
  }
}

/** At least so many numbers, each at its own place. */
function numbersTo(count: number): Int32Array {
  if (allNumbers.length < count) allNumbers = Int32Array.from({ length: 2 * count }, (_, i) => i);
  return allNumbers;
}

function urlsOf(links: PackedLinks): CrawlUrl[] {
  return links.urls() as CrawlUrl[];
}
