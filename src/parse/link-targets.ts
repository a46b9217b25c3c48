import { type CrawlUrl, canonicalize, refusalOf } from "../url/crawl-url.ts";
import { leadsToHiddenPage } from "./assets.ts";
import type { FoundLink } from "./harvest.ts";
import { parseRefresh } from "./meta-refresh.ts";
import { leadsToFeed, leadsToPage, relWords } from "./navigation.ts";
import { wellFormed } from "./page-text.ts";
import type { ParsedPage, ParseOptions, RefusedLink } from "./parsed-page.ts";

const MAX_REFUSED = 100;
const MAX_FEEDS = 20;
const MAX_LICENSES = 10;
const LICENSE = "license";
const MAX_REFUSED_CHARACTERS = 200;

/** The fields of a page that its links fill in, one after the other. */
export type PageOfLinks = Pick<
  ParsedPage,
  | "linksDropped"
  | "linksAll"
  | "refused"
  | "nofollowed"
  | "feeds"
  | "canonical"
  | "refresh"
  | "licenses"
>;

/** Where one link after the other leads, with what is to be noted about each; repeats are the caller's business. */
export class LinkTargets {
  readonly #page: PageOfLinks;
  readonly #resolver: Resolver;
  readonly #options: Pick<ParseOptions, "feeds" | "forms" | "skipNofollow">;
  #refused: Set<string> | undefined;

  constructor(page: PageOfLinks, resolver: Resolver, options: ParseOptions) {
    this.#page = page;
    this.#resolver = resolver;
    this.#options = options;
  }

  /** The page a link leads to; undefined when it is not followed. With `isFull` it is only counted. */
  of(item: FoundLink, isFull: boolean): CrawlUrl | undefined {
    const page = this.#page;
    const resolver = this.#resolver;
    const { feeds, forms, skipNofollow } = this.#options;
    let link: string | undefined = item.value;
    if (item.rel.length >= LICENSE.length) this.#noteLicense(item);
    const isRefresh = item.element === "meta";
    if (isRefresh) {
      if (page.refresh !== undefined) return undefined; // the first refresh of a page wins
      const refresh = parseRefresh(item.value);
      if (refresh === undefined) return undefined;
      link = refresh.link ?? resolver.page;
    } else if (!leadsToPage(item) && !leadsToHiddenPage(item, forms === true)) {
      if (feeds && leadsToFeed(item)) addOnce(page.feeds, resolver.resolve(link));
      return undefined;
    } else if (skipNofollow && relWords(item.rel).includes("nofollow")) {
      page.nofollowed++;
      return undefined;
    }
    if (isFull) {
      page.linksDropped++;
      page.linksAll++;
      return undefined;
    }
    const target = resolver.resolve(link);
    if (target === undefined) {
      this.#refuse(link);
      return undefined;
    }
    page.linksAll++;
    if (isRefresh) page.refresh = target;
    if (item.element === "link" && page.canonical === undefined) {
      if (relWords(item.rel).includes("canonical")) page.canonical = target;
    }
    return target;
  }

  #noteLicense({ element, rel, value }: FoundLink): void {
    const isLink = element === "a" || element === "area" || element === "link";
    if (!isLink || !relWords(rel).includes(LICENSE)) return;
    const target = this.#resolver.resolve(value);
    this.#page.licenses ??= [];
    if (this.#page.licenses.length < MAX_LICENSES) addOnce(this.#page.licenses, target);
  }

  /** Once each, like those that are followed: a page's cash is spread over its distinct links. */
  #refuse(link: string): void {
    const { refused } = this.#page;
    this.#refused ??= new Set();
    if (refused.length >= MAX_REFUSED || this.#refused.has(link)) return;
    this.#refused.add(link);
    refused.push(refusal(link, this.#resolver.page));
  }
}

/** Pages announce a handful of feeds, so looking through the list is enough. */
function addOnce(feeds: CrawlUrl[], feed: CrawlUrl | undefined): void {
  if (feed !== undefined && feeds.length < MAX_FEEDS && !feeds.includes(feed)) feeds.push(feed);
}

function refusal(link: string, page: CrawlUrl): RefusedLink {
  return {
    link: wellFormed(withoutSecrets(link.slice(0, MAX_REFUSED_CHARACTERS))),
    // The link is fine by itself, so the base leads to another scheme.
    reason: refusalOf(link, page) ?? "blocked_scheme",
  };
}

// The schemes of the web need no slashes before a user name, the others two.
const CREDENTIALS =
  /^([\0-\x20]*(?:(?:https?|wss?|ftp):[/\\]*|[a-z][a-z0-9+.-]*:\/\/|[/\\]{2,}))[^/\\?#]*@/i;

/** A link as it may be reported: without user names and passwords (HOSTILE P9). */
function withoutSecrets(link: string): string {
  return link.replace(CREDENTIALS, "$1");
}

/** Resolves links against the page or its base element. */
export class Resolver {
  /** The page's own URL. */
  readonly page: CrawlUrl;
  /** The URL of the first base element with an href; undefined without one. */
  readonly base: CrawlUrl | undefined;
  /** A base of another scheme: relative links then lead to that scheme, as in a browser. */
  readonly #foreignBase: string | undefined;

  /** `href` is that of the first base element that has one. */
  constructor(page: CrawlUrl, href: string | undefined) {
    this.page = page;
    if (href === undefined) return;
    this.base = canonicalize(href, page);
    if (this.base !== undefined || !URL.canParse(href, page)) return;
    const url = new URL(href, page);
    // HTML, 4.2.3: data: and javascript: bases are ignored.
    if (url.protocol !== "data:" && url.protocol !== "javascript:") this.#foreignBase = url.href;
  }

  /** Whether links lead to another scheme. */
  get isForeign(): boolean {
    return this.#foreignBase !== undefined;
  }

  resolve(link: string): CrawlUrl | undefined {
    if (this.#foreignBase === undefined) return canonicalize(link, this.base ?? this.page);
    if (!URL.canParse(link, this.#foreignBase)) return undefined;
    return canonicalize(new URL(link, this.#foreignBase).href);
  }
}
