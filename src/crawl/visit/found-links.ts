import type { Discovery, Frontier, Lease } from "../../frontier/frontier.ts";
import type { Sitemap } from "../../parse/lists/sitemap-reader.ts";
import type { ParsedPage, RefusedLink } from "../../parse/page.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import type { Follower, Skipped } from "./follower.ts";
import type { ReadPage } from "./read-page.ts";
import type { Next } from "./visit.ts";

const NONE: readonly Discovery[] = [];

type Content = Pick<
  ParsedPage,
  "links" | "linkCount" | "packed" | "linksDropped" | "refused" | "assets" | "feeds" | "refresh"
>;

/** That of a response which is no HTML page: its headers may lead somewhere. */
const NO_CONTENT: Content = {
  links: [],
  linkCount: 0,
  linksDropped: 0,
  refused: [],
  assets: [],
  feeds: [],
};

/** Settings of what is followed. */
export interface FoundRules {
  readonly sitemaps: "on" | "off" | "only";
}

/** Gathers the targets of a response from all its parts: links, headers, assets, lists. */
export class FoundLinks {
  readonly #follower: Follower;
  readonly #rules: FoundRules;

  constructor(follower: Follower, rules: FoundRules) {
    this.#follower = follower;
    this.#rules = rules;
  }

  /** What to visit next; the rest goes to `skipped` with its reason. The frontier leaves out the links it knows. */
  of(lease: Lease, page: ReadPage, skipped: Skipped[], frontier: Pick<Frontier, "unknown">): Next {
    const { listed, headerLinks, notes } = page;
    if (listed !== undefined) {
      const links = listed.urls.length + listed.sitemaps.length;
      return { found: this.#listed(lease, listed, skipped), redirect: undefined, links };
    }
    const content = page.parsed ?? NO_CONTENT;
    const { refused, assets, feeds } = content;
    const links = content.linkCount + refused.length + content.linksDropped;
    if (page.robots.nofollow) return { found: [], redirect: undefined, links };
    if (refused.length > 0) this.#reportRefused(lease, refused, skipped);
    const ownAssets = assets.length === 0 ? NONE : this.#follower.assets(lease, assets, skipped);
    if (this.#rules.sitemaps === "only")
      return { found: ownAssets, redirect: undefined, links: links + assets.length };
    const split = frontier.unknown?.(lease.shard, content.packed ?? content.links);
    const known = split?.known;
    const left = split === undefined ? content.links : split.left;
    const found = this.#follower.links(lease, left, skipped, "link", notes, content.refresh);
    // Most pages have nothing but links.
    if (headerLinks.length + feeds.length + assets.length === 0)
      return { found, known, redirect: undefined, links };
    const distinct = new Set(content.links);
    const isNew = (url: CrawlUrl) => distinct.size < distinct.add(url).size;
    const others = headerLinks.filter(isNew);
    found.push(...this.#follower.links(lease, others, skipped, "link", notes));
    found.push(...this.#follower.links(lease, feeds.filter(isNew), skipped, "feed"));
    // An asset that is too deep for a link is still fetched with its page.
    const missed = new Set(left);
    for (const { url } of found) missed.delete(url);
    for (const asset of ownAssets) if (isNew(asset.url) || missed.has(asset.url)) found.push(asset);
    for (const url of assets) distinct.add(url);
    return { found, known, redirect: undefined, links: links + distinct.size - content.linkCount };
  }

  #reportRefused(lease: Lease, refused: readonly RefusedLink[], skipped: Skipped[]): void {
    const { url: parent } = lease;
    const depth = lease.depth + 1;
    for (const { link, reason } of refused)
      this.#follower.report({ url: link, reason, parent, depth, via: "link" }, skipped);
  }

  #listed(lease: Lease, listed: Sitemap, skipped: Skipped[]): Discovery[] {
    const pages = this.#follower.links(lease, listed.urls, skipped, "sitemap");
    if (lease.via !== "robots") {
      // An index may name sitemaps but no further indexes; a feed names pages only.
      for (const url of listed.sitemaps) {
        const refused = { url, reason: "sitemap_depth", parent: lease.url, depth: lease.depth };
        this.#follower.report({ ...refused, via: "index" }, skipped);
      }
      return pages;
    }
    return [...pages, ...this.#children(lease, listed.sitemaps, skipped)];
  }

  /** The sitemaps of an index: those of its own host, and those that are in scope anyway. */
  #children(lease: Lease, files: readonly CrawlUrl[], skipped: Skipped[]): Discovery[] {
    const found: Discovery[] = [];
    const host = hostnameOf(lease.url);
    const { url: parent, depth } = lease;
    for (const url of files) {
      const reason = this.#follower.listRefusal(url, hostnameOf(url) === host);
      if (reason !== undefined)
        this.#follower.report({ url, reason, parent, depth, via: "index" }, skipped);
      else found.push({ url, parent, depth, via: "index", seed: false, chain: [] });
    }
    return found;
  }
}
