import { fingerprint, lastFingerprint } from "../../../hash/fingerprint.ts";
import { keepLatest } from "../../../runtime/keep-latest.ts";
import type { CrawlUrl } from "../../../url/crawl-url.ts";
import { siteOf } from "../../../url/site.ts";
import { hostnameOf } from "../../../url/url-parts.ts";
import { FingerprintCache } from "./fingerprint-cache.ts";
import type { SharedEvidence } from "./shared-evidence.ts";
import type { PageText } from "./text-shingles.ts";

const MAX_SITES = 5_000;
/** Pages of a site before any text is looked at: most sites are smaller and cost a counter. */
const FIRST_PAGES = 1_500;
/** Of a site that nothing speaks against, one page in so many is looked at: a text costs more than the rest of a page. */
const SAMPLE_EVERY = 96;
/** The same of one that has had its chance to be condemned. */
const SAMPLE_LATER = 256;
/** So many pages in a row, nearly all without a text of their own: from now on every page is looked at. */
const WINDOW = 64;
const MIN_WATCHED = 16;
const WATCHED_SHARE = 0.9;
/** A site is condemned when it has so many pages and nearly all of the last ones said nothing new. */
const MAX_PAGES = 4_000;
const CONDEMNED_SHARE = 0.95;
/** A text that is shorter proves nothing: lists of files and of pictures have no other words than their links. */
const MIN_SHINGLES = 20;
/** New runs of words that a text may have and still be that of other pages: some three changed words, more in a long text. */
const MAX_NEW = 12;
const MAX_NEW_OF_LONG = 24;
const NEW_SHARE = 1 / 8;
/** Pages of one text are equally long, but for these changed words; pages that quote from a stock of texts are not. */
const SAME_LENGTH = 3;
const TEXTS = 1 << 18;
const OWN_TEXT = 0x7e87;
const CONDEMNED = 0xc0de;

interface WatchedSite {
  readonly name: string;
  readonly salt: number;
  /** Pages of all threads when this one had its last. */
  pages: number;
  /** 1 for each of the last pages looked at that had no text of its own; allocated for the first of them. */
  window: Uint8Array | undefined;
  /** How many words those pages had. */
  lengths: Int32Array | undefined;
  looked: number;
  copies: number;
}

/**
 * Evidence about whole sites, whatever their hosts and the spelling of their URLs: the share of pages whose text other
 * pages of the site have as well. Numbers, dates, titles and names in links make no text. A site is condemned when it
 * has thousands of pages and nearly all of the last ones had nothing of their own; then only pages are visited that were
 * found on one that had.
 */
export class SiteTexts {
  readonly #shared: SharedEvidence;
  readonly #sites = new Map<string, WatchedSite>();
  /** The site of the page before, and so the last of the map already. */
  #latest: WatchedSite | undefined;
  /** Allocated for the first site that is large enough. */
  #texts: FingerprintCache | undefined;
  /** The shared table may forget. */
  readonly #condemned = new Set<string>();
  readonly #onCondemned: (site: string) => void;

  /** `onCondemned` is called for a site that this thread condemns by evidence. */
  constructor(shared: SharedEvidence, onCondemned: (site: string) => void = () => {}) {
    this.#shared = shared;
    this.#onCondemned = onCondemned;
  }

  /** Counts a page of a host that is about to be read; true when its text is wanted. */
  wants(host: string): boolean {
    const name = siteOf(host);
    const site = this.#sites.get(name) ?? this.#newSite(name);
    // Before the map is half full its order does not matter.
    if (site !== this.#latest && 2 * this.#sites.size >= MAX_SITES) this.#keep(site);
    site.pages = this.#shared.count(site.salt);
    if (site.pages < FIRST_PAGES) return false;
    const every = site.pages < MAX_PAGES ? SAMPLE_EVERY : SAMPLE_LATER;
    return site.pages % every === 0 || isWatched(site) || this.isCondemned(name);
  }

  /** Adds the text of a page. */
  add(url: CrawlUrl, { shingles, words }: PageText): void {
    const name = siteOf(hostnameOf(url));
    const site = this.#sites.get(name) ?? this.#newSite(name);
    this.#keep(site);
    this.#texts ??= new FingerprintCache(TEXTS);
    let fresh = 0;
    for (const shingle of shingles) if (!this.#texts.sawBefore(site.salt ^ shingle)) fresh++;
    const allowed = Math.max(MAX_NEW, Math.min(MAX_NEW_OF_LONG, shingles.length * NEW_SHARE));
    site.window ??= new Uint8Array(WINDOW);
    site.lengths ??= new Int32Array(WINDOW).fill(-2 * SAME_LENGTH);
    const isLong = shingles.length >= MIN_SHINGLES;
    const isCopy = isLong && fresh <= allowed && hasLike(site.lengths, words);
    const slot = site.looked++ % WINDOW;
    site.copies += (isCopy ? 1 : 0) - site.window[slot]!;
    site.window[slot] = isCopy ? 1 : 0;
    site.lengths[slot] = words;
    if (!isCopy) this.#shared.addCopy(fingerprintOf(url, OWN_TEXT));
    const share = site.copies / Math.min(site.looked, WINDOW);
    const isEnough = site.looked >= WINDOW && site.pages >= MAX_PAGES;
    if (isEnough && share >= CONDEMNED_SHARE && !this.isCondemned(name)) {
      this.condemn(name);
      this.#onCondemned(name);
    }
  }

  /** Whether a URL is refused: its site is condemned, and no page with a text of its own leads to it. */
  refuses(url: CrawlUrl, parent: CrawlUrl | undefined): boolean {
    // Nearly always: nobody is condemned.
    if (Atomics.load(this.#shared.verdicts, 0) === 0) return false;
    if (parent === undefined || !this.isCondemned(siteOf(hostnameOf(url)))) return false;
    return !this.#shared.isCopy(fingerprintOf(parent, OWN_TEXT));
  }

  /** Whether all threads refuse the site. */
  isCondemned(site: string): boolean {
    if (Atomics.load(this.#shared.verdicts, 0) === 0) return false;
    return this.#condemned.has(site) || this.#shared.isCopy(fingerprintOf(site, CONDEMNED));
  }

  /** Condemns a site, for all threads: by evidence, or because an earlier run did. */
  condemn(site: string): void {
    this.#condemned.add(site);
    this.#shared.addCopy(fingerprintOf(site, CONDEMNED));
    this.#shared.addVerdict();
  }

  #newSite(name: string): WatchedSite {
    const site = {
      name,
      salt: (fingerprintOf(name, CONDEMNED) & ~3) >>> 0,
      pages: 0,
      window: undefined,
      lengths: undefined,
      looked: 0,
      copies: 0,
    };
    this.#keep(site);
    return site;
  }

  #keep(site: WatchedSite): void {
    this.#latest = site;
    keepLatest(this.#sites, site.name, site, MAX_SITES);
  }
}

function hasLike(lengths: Int32Array, words: number): boolean {
  return lengths.some((length) => Math.abs(length - words) <= SAME_LENGTH);
}

function isWatched({ looked, copies }: WatchedSite): boolean {
  return looked >= MIN_WATCHED && copies / Math.min(looked, WINDOW) >= WATCHED_SHARE;
}

function fingerprintOf(text: string, seed: number): number {
  fingerprint(text, seed, seed);
  return lastFingerprint.high;
}
