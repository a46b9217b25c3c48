import type { KnownFingerprints } from "../../frontier/discovery.ts";
import type { Discovery, Frontier, Lease } from "../../frontier/frontier.ts";
import type { Via } from "../../frontier/via.ts";
import type { Sitemap } from "../../parse/lists/sitemap-reader.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import type { Follower, Skipped } from "./follower.ts";
import type { ReadPage } from "./read-page.ts";

type ViaOf = (url: CrawlUrl) => Via;

const BY_LINK: ViaOf = () => "link";
const BY_FEED: ViaOf = () => "feed";

/** Settings of what is followed. */
export interface FoundRules {
  readonly sitemaps: "on" | "off" | "only";
}

/** Where a response leads: links that may be new, and known ones where they get a share. */
export interface Found {
  readonly found: Discovery[];
  readonly known?: KnownFingerprints | undefined;
  /** Distinct links, also those that are not followed. */
  readonly links: number;
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
  of(
    lease: Lease,
    page: ReadPage,
    skipped: Skipped[],
    frontier?: Pick<Frontier, "unknown">,
  ): Found {
    if (page.listed !== undefined) {
      const { urls, sitemaps } = page.listed;
      const links = urls.length + sitemaps.length;
      return { found: this.#listed(lease, page.listed, skipped), links };
    }
    const { parsed, headerLinks } = page;
    const count = parsed?.linkCount ?? 0;
    const ownLinks = count + (parsed?.refused.length ?? 0) + (parsed?.linksDropped ?? 0);
    if (page.robots.nofollow) return { found: [], links: ownLinks };
    for (const { link, reason } of parsed?.refused ?? []) {
      const refused = { url: link, reason, parent: lease.url, depth: lease.depth + 1 };
      this.#follower.report({ ...refused, via: "link" }, skipped);
    }
    const assets = this.#follower.assets(lease, parsed?.assets ?? [], skipped);
    if (this.#rules.sitemaps === "only")
      return { found: assets, links: ownLinks + (parsed?.assets.length ?? 0) };
    const refresh = parsed?.refresh;
    const viaOf: ViaOf = (url) => (url === refresh ? "refresh" : "link");
    const split = frontier?.unknown?.(lease.shard, parsed?.packed ?? parsed?.links ?? []);
    const left = split?.left ?? parsed?.links ?? [];
    const links = this.#follower.links(lease, left, skipped, viaOf, page.notes);
    const others = headerLinks.length + (parsed?.feeds.length ?? 0) + (parsed?.assets.length ?? 0);
    // Most pages have nothing but links.
    if (others === 0) return { found: links, known: split?.known, links: ownLinks };
    const distinct = new Set(parsed?.links);
    const isNew = (url: CrawlUrl) => distinct.size < distinct.add(url).size;
    const more = this.#follower.links(
      lease,
      headerLinks.filter(isNew),
      skipped,
      BY_LINK,
      page.notes,
    );
    const feeds = this.#follower.links(
      lease,
      (parsed?.feeds ?? []).filter(isNew),
      skipped,
      BY_FEED,
    );
    const found = [...links, ...more, ...feeds];
    // An asset that is too deep for a link is still fetched with its page.
    const refused = new Set(left);
    for (const { url } of found) refused.delete(url);
    for (const asset of assets) if (isNew(asset.url) || refused.has(asset.url)) found.push(asset);
    for (const url of parsed?.assets ?? []) distinct.add(url);
    return { found, known: split?.known, links: ownLinks + distinct.size - count };
  }

  #listed(lease: Lease, listed: Sitemap, skipped: Skipped[]): Discovery[] {
    const pages = this.#follower.links(lease, listed.urls, skipped, () => "sitemap");
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
