import type { Permits } from "../sync/permits.ts";

/** What the threads of a crawl share of `--max-pages`. */
export interface PageLimitParts {
  /** Undefined: no limit, and no permits. */
  readonly maxPages: number | undefined;
  readonly permits: Permits;
  /** Counts committed pages; answers how many the whole crawl has now. */
  readonly countPages: (pages: number) => number;
  /** The last page is committed. */
  readonly onReached: () => void;
  /** A permit is free, and a thread waits for one. */
  readonly onReturned: () => void;
}

/**
 * `--max-pages` as one thread sees it. Every lease holds a permit that becomes a page when the page is committed and
 * goes back on any other outcome, so that the crawl ends at exactly N. It is taken last: held by a thread that has
 * nothing to fetch it would be missing elsewhere.
 */
export class PageLimit {
  readonly #parts: PageLimitParts;
  readonly #exists: boolean;
  /** Permits taken and neither given back nor turned into a page. */
  held = 0;
  /** Pages of this thread that are committed, in this run and before. */
  pages = 0;
  /** The last look found a URL to fetch and no permit. */
  isWanted = false;

  constructor(parts: PageLimitParts) {
    this.#parts = parts;
    this.#exists = parts.maxPages !== undefined;
  }

  /** True when a permit was wanted and there is one now; otherwise it is said once more that one is wanted. */
  get isBack(): boolean {
    return this.isWanted && this.#parts.permits.want();
  }

  /** True when every permit is with a visit, or with a page that is not committed. */
  get isExhausted(): boolean {
    return this.#exists && this.#parts.permits.left === 0;
  }

  /** A permit for one visit. */
  tryTake(): boolean {
    if (!this.#exists) return true;
    const { permits } = this.#parts;
    do {
      if (!permits.tryTake()) continue;
      this.held++;
      return true;
    } while (permits.want());
    this.isWanted = true;
    return false;
  }

  /** The visit brought no page. */
  giveBack(): void {
    if (!this.#exists) return;
    this.held--;
    if (this.#parts.permits.giveBack()) this.#parts.onReturned();
  }

  /** A page is committed whose permit is counted elsewhere. */
  count(): void {
    this.pages++;
    this.#parts.countPages(1);
  }

  /** The whole crawl has all the pages it may have, wherever they were counted. */
  reached(): void {
    this.#parts.onReached();
  }

  /** Undefined: no limit. */
  get maxPages(): number | undefined {
    return this.#parts.maxPages;
  }

  /** So many pages are committed; the last one ends the crawl. */
  committed(pages: number): void {
    if (pages === 0) return;
    this.pages += pages;
    const all = this.#parts.countPages(pages);
    if (!this.#exists) return;
    this.held -= pages;
    const maxPages = this.#parts.maxPages!;
    if (all >= maxPages && all - pages < maxPages) this.#parts.onReached();
  }
}
