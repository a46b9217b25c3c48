import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";

/** Metadata of one page in a sitemap or feed. */
export interface SitemapNote {
  /** When the page was last changed, in milliseconds since 1970. */
  lastmodMs?: number;
  /** From 0 to 1, as the site sees it. */
  priority?: number;
}

/** The protocol bounds the entries and the file; what is kept of 50,000 long URLs is bounded here. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** The distinct URLs of one sitemap, up to a limit; what does not fit is only counted. */
export class SitemapList {
  /** Pages, in order of first appearance. */
  readonly urls: CrawlUrl[] = [];
  /** Further sitemaps, in order of first appearance. */
  readonly sitemaps: CrawlUrl[] = [];
  readonly notes = new Map<CrawlUrl, SitemapNote>();
  /** Entries beyond the limit, repeats included. */
  dropped = 0;
  /** Entries that are not URLs we could fetch. */
  refused = 0;
  readonly #base: CrawlUrl;
  readonly #maxUrls: number;
  readonly #seenUrls = new Set<string>();
  readonly #seenSitemaps = new Set<string>();
  #characters = 0;

  constructor(base: CrawlUrl, maxUrls: number) {
    this.#base = base;
    this.#maxUrls = maxUrls;
  }

  /** Adds a page; returns its URL, or undefined when it was not kept. */
  addUrl(link: string): CrawlUrl | undefined {
    return this.#add(link, this.urls, this.#seenUrls);
  }

  /** Adds a sitemap that an index names. A sitemap that names itself adds nothing. */
  addSitemap(link: string): CrawlUrl | undefined {
    this.#seenSitemaps.add(this.#base);
    return this.#add(link, this.sitemaps, this.#seenSitemaps);
  }

  /** Keeps the metadata of a page; the first entry counts. */
  note(url: CrawlUrl, note: SitemapNote): void {
    if (note.lastmodMs === undefined && note.priority === undefined) return;
    if (!this.notes.has(url)) this.notes.set(url, note);
  }

  #add(link: string, list: CrawlUrl[], seen: Set<string>): CrawlUrl | undefined {
    // Checked first: a file of a million entries must not cost a million URLs.
    if (list.length >= this.#maxUrls || this.#characters >= MAX_CHARACTERS) {
      this.dropped++;
      return undefined;
    }
    const url = link === "" ? undefined : canonicalize(link, this.#base);
    if (url === undefined) {
      this.refused++;
      return undefined;
    }
    if (!seen.has(url)) {
      seen.add(url);
      list.push(url);
      this.#characters += url.length;
    }
    return url;
  }
}
