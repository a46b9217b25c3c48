import { type CrawlUrl, canonicalize, refusalOf } from "../url/crawl-url.ts";
import { assetLinks, leadsToHiddenPage } from "./assets.ts";
import type { FoundLink } from "./harvest.ts";
import { type ScannedPage, scanLinks } from "./links.ts";
import { parseRefresh } from "./meta-refresh.ts";
import { leadsToFeed, leadsToPage, relWords } from "./navigation.ts";
import { wellFormed } from "./page-text.ts";
import type { RobotsDirectives } from "./robots-meta.ts";

/** What a crawler needs of a page. */
export interface ParsedPage {
  /** Distinct and canonical, in order of first appearance, at most maxLinks. */
  links: CrawlUrl[];
  /** The same before repeats were left out, and with those beyond maxLinks. */
  linksAll: number;
  /** Links beyond maxLinks, repeats included. */
  linksDropped: number;
  /** The first links that cannot be followed, with the reason. */
  refused: RefusedLink[];
  /** Links left out because they are marked rel=nofollow, repeats included. */
  nofollowed: number;
  /** Images, media, scripts and style sheets, when asked for: distinct, in order, at most maxLinks. */
  assets: CrawlUrl[];
  /** Feeds that the page announces, when asked for. */
  feeds: CrawlUrl[];
  /** The base URL of links, where a base element gives one. */
  base: CrawlUrl | undefined;
  title: string;
  /** Words of the visible text; noscript counts, script, style and template do not. */
  words: number;
  firstWords: string[];
  /** The WHATWG name of the encoding, in lower case. */
  charset: string;
  language?: string;
  description?: string;
  keywords?: string;
  canonical?: CrawlUrl;
  refresh?: CrawlUrl;
  robots: RobotsDirectives;
  /** Only the beginning was read, because the page exceeded its budget. */
  cut: boolean;
}

/** A link that is not followed. */
export interface RefusedLink {
  link: string;
  reason: string;
}

/** How to parse. */
export interface ParseOptions {
  contentType?: string | undefined;
  /** 10,000 when not given. */
  maxLinks?: number | undefined;
  /** Words are counted unless this is false. */
  words?: boolean | undefined;
  /** The crawler's name, which robots meta elements may address. */
  agent?: string | undefined;
  /** Also collect images, media, scripts and style sheets. */
  assets?: boolean | undefined;
  /** Also what scripts would load later: `data-src` and its like. */
  lazy?: boolean | undefined;
  /** Also follow the actions of forms that send by GET. */
  forms?: boolean | undefined;
  /** Also collect announced feeds. */
  feeds?: boolean | undefined;
  /** Leave out links marked rel=nofollow. */
  skipNofollow?: boolean | undefined;
  /** CPU time a page may cost; unlimited when not given. */
  budgetMs?: number | undefined;
}

const MAX_LINKS = 10_000;
const MAX_REFUSED = 100;
const MAX_FEEDS = 20;
const MAX_REFUSED_CHARACTERS = 200;
const MAX_TITLE_CHARACTERS = 500;
const MAX_META_CHARACTERS = 1000;

/** Extracts links, title, words and directives from the bytes of an HTML page; never throws. */
export function parsePage(body: Uint8Array, url: CrawlUrl, options: ParseOptions = {}): ParsedPage {
  const { maxLinks = MAX_LINKS } = options;
  const scanned = scanLinks(body, {
    contentType: options.contentType,
    words: options.words !== false,
    assets: options.assets === true || options.forms === true,
    lazy: options.lazy,
    agent: options.agent,
    budgetMs: options.budgetMs,
  });
  const resolver = new Resolver(url, scanned.links);
  const page: ParsedPage = {
    links: [],
    linksAll: 0,
    linksDropped: scanned.dropped,
    refused: [],
    nofollowed: 0,
    assets: [],
    feeds: [],
    base: resolver.base,
    title: clean(scanned.title, MAX_TITLE_CHARACTERS) ?? "",
    words: scanned.words,
    firstWords: scanned.firstWords,
    charset: scanned.charset,
    robots: scanned.robots,
    cut: scanned.cut,
  };
  collect(page, scanned.links, resolver, maxLinks, options);
  if (options.assets) collectAssets(page, scanned.links, resolver, maxLinks);
  describe(page, scanned);
  return page;
}

function describe(page: ParsedPage, { language: root, metas }: ScannedPage): void {
  if (root === undefined && metas.size === 0) return;
  const meta = (name: string) => clean(metas.get(name), MAX_META_CHARACTERS);
  const language = clean(root, 100) ?? meta("content-language");
  const description = meta("description");
  const keywords = meta("keywords");
  if (language !== undefined) page.language = language;
  if (description !== undefined) page.description = description;
  if (keywords !== undefined) page.keywords = keywords;
}

function collect(
  page: ParsedPage,
  found: readonly FoundLink[],
  resolver: Resolver,
  maxLinks: number,
  options: ParseOptions,
): void {
  const seen = new Set<string>();
  for (const item of found) {
    let link: string | undefined = item.value;
    const isRefresh = item.element === "meta";
    if (isRefresh) {
      if (page.refresh !== undefined) continue; // the first refresh of a page wins
      const refresh = parseRefresh(item.value);
      if (refresh === undefined) continue;
      link = refresh.link ?? resolver.page;
    } else if (!leadsToPage(item) && !leadsToHiddenPage(item, options.forms === true)) {
      if (options.feeds && leadsToFeed(item)) addOnce(page.feeds, resolver.resolve(link));
      continue;
    } else if (options.skipNofollow && relWords(item.rel).includes("nofollow")) {
      page.nofollowed++;
      continue;
    }
    if (page.links.length >= maxLinks) {
      page.linksDropped++;
      page.linksAll++;
      continue;
    }
    const target = resolver.resolve(link);
    if (target === undefined) {
      // Once each, like those that are followed: a page's cash is spread over its distinct links.
      if (page.refused.length < MAX_REFUSED && !seen.has(link)) {
        seen.add(link);
        page.refused.push(refusal(link, resolver.page));
      }
      continue;
    }
    page.linksAll++;
    if (isRefresh) page.refresh = target;
    if (item.element === "link" && page.canonical === undefined) {
      if (relWords(item.rel).includes("canonical")) page.canonical = target;
    }
    if (seen.has(target)) continue;
    seen.add(target);
    page.links.push(target);
  }
}

function collectAssets(
  page: ParsedPage,
  found: readonly FoundLink[],
  resolver: Resolver,
  maxLinks: number,
): void {
  const seen = new Set<CrawlUrl>();
  for (const item of found) {
    for (const link of assetLinks(item)) {
      if (seen.size >= maxLinks) page.linksDropped++;
      else {
        const target = resolver.resolve(link);
        if (target !== undefined) seen.add(target);
      }
    }
  }
  page.assets.push(...seen);
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
class Resolver {
  /** The page's own URL. */
  readonly page: CrawlUrl;
  /** The URL of the first base element with an href; undefined without one. */
  readonly base: CrawlUrl | undefined;
  /** A base of another scheme: relative links then lead to that scheme, as in a browser. */
  readonly #foreignBase: string | undefined;

  constructor(page: CrawlUrl, found: readonly FoundLink[]) {
    this.page = page;
    const href = found.find((item) => item.element === "base")?.value;
    if (href === undefined) return;
    this.base = canonicalize(href, page);
    if (this.base !== undefined || !URL.canParse(href, page)) return;
    const url = new URL(href, page);
    // HTML, 4.2.3: data: and javascript: bases are ignored.
    if (url.protocol !== "data:" && url.protocol !== "javascript:") this.#foreignBase = url.href;
  }

  resolve(link: string): CrawlUrl | undefined {
    if (this.#foreignBase === undefined) return canonicalize(link, this.base ?? this.page);
    if (!URL.canParse(link, this.#foreignBase)) return undefined;
    return canonicalize(new URL(link, this.#foreignBase).href);
  }
}

/** Folds white space, repairs lone surrogates and limits the length without splitting a character. */
function clean(text: string | undefined, maxCharacters: number): string | undefined {
  if (text === undefined) return undefined;
  const folded = wellFormed(text.replace(/[\t\n\f\r ]+/g, " ").trim());
  if (folded.length <= maxCharacters) return folded;
  const last = folded.charCodeAt(maxCharacters - 1);
  const splits = last >= 0xd800 && last <= 0xdbff;
  return folded.slice(0, splits ? maxCharacters - 1 : maxCharacters);
}
