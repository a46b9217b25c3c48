import type { CrawlUrl } from "../../url/crawl-url.ts";
import { FeedEntries } from "./feed-entries.ts";
import { SitemapEntries } from "./sitemap-entries.ts";
import { SitemapLines } from "./sitemap-lines.ts";
import { SitemapList, type SitemapNote } from "./sitemap-list.ts";
import { utf8Stream, xmlCharsetOf } from "./xml-charset.ts";
import { XmlScanner, type XmlSink } from "./xml-scanner.ts";

/** What a document turned out to be; RDF and CDF count as RSS. */
export type SitemapKind = "urlset" | "index" | "text" | "rss" | "atom" | "unknown";

/** Why a sitemap was not read, or not in full. */
export type SitemapError =
  | "sitemap_dtd"
  | "sitemap_too_large"
  | "sitemap_too_many_urls"
  | "sitemap_bad_gzip"
  | "sitemap_unknown";

/** What a sitemap or feed holds. */
export interface Sitemap {
  kind: SitemapKind;
  /** Pages: distinct, canonical, in order of first appearance. */
  urls: CrawlUrl[];
  /** Further sitemaps, likewise. */
  sitemaps: CrawlUrl[];
  /** Metadata of pages that have some. */
  notes: ReadonlyMap<CrawlUrl, SitemapNote>;
  /** The page that a feed belongs to. */
  home?: CrawlUrl;
  error?: SitemapError;
  /** Entries beyond the limit. */
  dropped: number;
  /** Entries that are not URLs we could fetch. */
  refused: number;
}

/** How to read a sitemap. */
export interface SitemapOptions {
  /** The Content-Type header, for the charset. */
  contentType?: string;
  /** 50,000 when not given: the limit of the protocol. */
  maxUrls?: number;
  /** 50 MiB when not given: the limit of the protocol. */
  maxBytes?: number;
}

interface Entries {
  open(name: string, prefix: string): void;
  close(name: string): void;
  end(): void;
}

const MAX_URLS = 50_000;
/** Larger files break the protocol. */
export const SITEMAP_MAX_BYTES = 50 * 1024 * 1024;
const LOOK_BYTES = 4096;
const MARKUP = /<(?:\?xml|urlset|sitemapindex|rss|feed|rdf:rdf)\b/i;

function refusedForDtd(kind: SitemapKind): Sitemap {
  return {
    kind,
    urls: [],
    sitemaps: [],
    notes: new Map(),
    error: "sitemap_dtd",
    dropped: 0,
    refused: 0,
  };
}

/** Reads a sitemap or feed piece by piece; the result does not depend on the pieces. */
export class SitemapReader implements XmlSink {
  readonly #url: CrawlUrl;
  readonly #options: SitemapOptions;
  readonly #maxBytes: number;
  readonly #list: SitemapList;
  readonly #scanner = new XmlScanner(this);
  #kind: SitemapKind = "unknown";
  #entries: Entries | undefined;
  #lines: SitemapLines | undefined;
  #look: Uint8Array | undefined = new Uint8Array(0);
  #toUtf8: (piece: Uint8Array) => Uint8Array = (piece) => piece;
  #bytes = 0;
  #error: SitemapError | undefined;

  constructor(url: CrawlUrl, options: SitemapOptions = {}) {
    this.#url = url;
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? SITEMAP_MAX_BYTES;
    this.#list = new SitemapList(url, options.maxUrls ?? MAX_URLS);
  }

  /** Reads the next piece of the document, not compressed. */
  push(piece: Uint8Array): void {
    if (this.#error !== undefined) return;
    const room = this.#maxBytes - this.#bytes;
    this.#bytes += piece.length;
    this.#read(piece.length > room ? piece.subarray(0, room) : piece);
    if (piece.length > room) this.#error ??= "sitemap_too_large";
  }

  /** Further input can only change a count. */
  get isDone(): boolean {
    return this.#error !== undefined || this.#list.dropped > 0;
  }

  /** Ends the document and returns what it held. */
  finish(): Sitemap {
    if (this.#look !== undefined) this.#begin(this.#look);
    this.#entries?.end();
    if (this.#error === undefined || this.#error === "sitemap_too_large") this.#lines?.end();
    if (this.#error === "sitemap_dtd") return refusedForDtd(this.#kind);
    const { urls, sitemaps, notes, dropped, refused } = this.#list;
    if (this.#lines !== undefined && urls.length > 0) this.#kind = "text";
    if (this.#kind === "unknown") this.#error ??= "sitemap_unknown";
    if (dropped > 0) this.#error ??= "sitemap_too_many_urls";
    const home = this.#entries instanceof FeedEntries ? this.#entries.home : undefined;
    return {
      kind: this.#kind,
      urls,
      sitemaps,
      notes,
      dropped,
      refused,
      ...(home !== undefined && { home }),
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  open(name: string, prefix: string): void {
    this.#entries ??= this.#entriesFor(name);
    this.#entries?.open(name, prefix);
  }

  close(name: string): void {
    this.#entries?.close(name);
  }

  /** Entities are never expanded; a document that could define some is not read at all. */
  doctype(text: string): void {
    const isHtml = /^\s+html\b/i.test(text);
    if (!isHtml) this.#error = "sitemap_dtd";
    this.#scanner.stop();
  }

  #read(piece: Uint8Array): void {
    if (this.#look === undefined) {
      this.#feed(this.#toUtf8(piece));
      return;
    }
    const look = Buffer.concat([this.#look, piece]);
    this.#look = look;
    if (look.length >= LOOK_BYTES) this.#begin(look);
  }

  /** Decides by the first bytes what the document is, and reads them. */
  #begin(look: Uint8Array): void {
    this.#look = undefined;
    const charset = xmlCharsetOf(look, this.#options.contentType);
    // Always the same number of bytes decides, however the document is cut.
    const first = utf8Stream(charset)(look.subarray(0, LOOK_BYTES));
    const text = Buffer.from(first).toString("latin1");
    const start = text.replace(/^\xef\xbb\xbf/, "").trimStart();
    // Warnings of a broken site may precede the markup, but a list of URLs holds no markup.
    const isMarkup = start.startsWith("<") || (!/^https?:/i.test(start) && MARKUP.test(text));
    if (!isMarkup) this.#lines = new SitemapLines(this.#list);
    this.#toUtf8 = utf8Stream(charset);
    this.#feed(this.#toUtf8(look));
  }

  #feed(bytes: Uint8Array): void {
    if (this.#lines !== undefined) this.#lines.push(bytes);
    else this.#scanner.push(bytes);
  }

  #entriesFor(root: string): Entries | undefined {
    if (root === "urlset" || root === "url" || root === "sitemapindex" || root === "sitemap") {
      const isIndex = root.startsWith("sitemap");
      this.#kind = isIndex ? "index" : "urlset";
      return new SitemapEntries(this.#scanner, this.#list, isIndex);
    }
    if (root === "rss" || root === "rdf" || root === "channel" || root === "feed") {
      this.#kind = root === "feed" ? "atom" : "rss";
      return new FeedEntries(this.#scanner, this.#list, this.#url);
    }
    if (root === "html") this.#scanner.stop();
    return undefined;
  }
}
