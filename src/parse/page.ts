import type { CrawlUrl } from "../url/crawl-url.ts";
import { assetLinks } from "./assets.ts";
import { parseByEngine } from "./engine/engine-page.ts";
import type { FoundLink } from "./harvest.ts";
import { LinkTargets, Resolver } from "./link-targets.ts";
import { scanLinks } from "./links.ts";
import { describe, MAX_LINKS, type ParsedPage, type ParseOptions, titleOf } from "./parsed-page.ts";

export type { ParsedPage, ParseOptions, RefusedLink } from "./parsed-page.ts";

/** Extracts links, title, words and directives from the bytes of an HTML page; never throws. */
export function parsePage(body: Uint8Array, url: CrawlUrl, options: ParseOptions = {}): ParsedPage {
  return parseByEngine(body, url, options) ?? parseByReference(body, url, options);
}

/** A page whose links are strings. */
type ReferencePage = ParsedPage & { readonly links: CrawlUrl[] };

/** The definition of `parsePage`: it reads every page, and tests compare the engine with it. */
export function parseByReference(
  body: Uint8Array,
  url: CrawlUrl,
  options: ParseOptions = {},
): ParsedPage {
  const { maxLinks = MAX_LINKS } = options;
  const scanned = scanLinks(body, {
    contentType: options.contentType,
    words: options.words !== false,
    assets: options.assets === true || options.forms === true,
    lazy: options.lazy,
    agent: options.agent,
    budgetMs: options.budgetMs,
  });
  const base = scanned.links.find((item) => item.element === "base");
  const resolver = new Resolver(url, base?.value);
  const page: ReferencePage = {
    links: [],
    linkCount: 0,
    linksAll: 0,
    linksDropped: scanned.dropped,
    refused: [],
    nofollowed: 0,
    assets: [],
    feeds: [],
    base: resolver.base,
    title: titleOf(scanned.title),
    words: scanned.words,
    firstWords: scanned.firstWords,
    charset: scanned.charset,
    robots: scanned.robots,
    cut: scanned.cut,
  };
  collect(page, scanned.links, resolver, maxLinks, options);
  if (options.assets) collectAssets(page, scanned.links, resolver, maxLinks);
  describe(page, scanned.language, scanned.metas);
  return page;
}

function collect(
  page: ReferencePage,
  found: readonly FoundLink[],
  resolver: Resolver,
  maxLinks: number,
  options: ParseOptions,
): void {
  const targets = new LinkTargets(page, resolver, options);
  const seen = new Set<string>();
  for (const item of found) {
    const target = targets.of(item, seen.size >= maxLinks);
    if (target === undefined || seen.has(target)) continue;
    seen.add(target);
    page.links.push(target);
  }
  page.linkCount = page.links.length;
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
