import type { RobotsRules } from "../../fetch/robots/robots-rules.ts";
import type { Discovery } from "../../frontier/frontier.ts";
import { SeenSet } from "../../frontier/seen/seen-set.ts";
import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import { keepLatest } from "../../runtime/keep-latest.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { siteOf } from "../../url/site.ts";
import { hostnameOf, serverOf } from "../../url/url-parts.ts";
import type { Skipped } from "./follower.ts";

/** No site we know names more than a few dozen; further ones are not fetched. */
const MAX_NAMED = 1000;
/** A site with many subdomains names no more than this in all. */
const MAX_NAMED_BY_SITE = 1000;
/** Sites whose sitemaps are counted; the oldest are forgotten. */
const MAX_SITES = 10_000;
/** Origins whose robots.txt was read and whose first URL has not ended yet. */
const MAX_WAITING = 10_000;

/** The sitemaps that a robots.txt names: those to visit, and those that are not. */
export interface NamedFiles {
  readonly found: readonly Discovery[];
  readonly skipped: readonly Skipped[];
}

/** Settings of sitemaps. */
export interface SitemapRules {
  readonly sitemaps: "on" | "off" | "only";
  /** False with --no-robots: then no file names sitemaps. */
  readonly robots: boolean;
  /** Why a sitemap is not read; it may be out of scope if it is `vouchedFor`. */
  readonly refusal: (url: CrawlUrl, vouchedFor: boolean) => string | undefined;
  readonly seedLow: number;
  readonly seedHigh: number;
}

/**
 * Hands out the sitemaps of each origin once, with the first of its URLs that ends after robots.txt was read: so they are
 * part of a commit like any link, and a crash in between only means that robots.txt is read again.
 */
export class NamedSitemaps {
  readonly #rules: SitemapRules;
  readonly #named = new Map<string, readonly CrawlUrl[]>();
  readonly #done = new SeenSet();
  /** How many each site has named. */
  readonly #bySite = new Map<string, number>();
  /** False as long as `take` has nothing for any URL: nearly always. */
  mayHave: boolean;

  constructor(rules: SitemapRules) {
    this.#rules = rules;
    this.mayHave = rules.sitemaps !== "off" && !rules.robots;
  }

  /** Notes the sitemaps in the robots.txt of an origin. */
  note(origin: string, rules: RobotsRules): void {
    if (this.#rules.sitemaps === "off" || this.#named.size >= MAX_WAITING) return;
    const robotsUrl = `${origin}/robots.txt` as CrawlUrl;
    const found = new Set<CrawlUrl>();
    for (const text of rules.sitemaps.slice(0, MAX_NAMED)) {
      const url = canonicalize(text, robotsUrl);
      if (url !== undefined) found.add(url);
    }
    this.#named.set(origin, [...found]);
    this.mayHave = true;
  }

  /** Whether sitemaps of this URL's origin are still to be handed out. */
  isWaiting(url: CrawlUrl): boolean {
    return this.#named.size > 0 && this.#named.has(serverOf(url));
  }

  /** The sitemaps to visit now that a URL of this origin ends; undefined all but once. Those of other sites must be in scope. */
  take(url: CrawlUrl): NamedFiles | undefined {
    const { sitemaps, robots } = this.#rules;
    if (!this.mayHave) return undefined;
    const origin = serverOf(url);
    const named = this.#named.get(origin);
    if (named === undefined && robots) return undefined;
    this.#named.delete(origin);
    this.mayHave = !robots || this.#named.size > 0;
    fingerprint(origin, this.#rules.seedLow, this.#rules.seedHigh);
    if (!this.#done.addFingerprint(lastFingerprint.low, lastFingerprint.high)) return undefined;
    // A sitemap that robots.txt does not name is tried only where sitemaps are all there is.
    const usual = sitemaps === "only" ? [`${origin}/sitemap.xml` as CrawlUrl] : [];
    const files = named === undefined || named.length === 0 ? usual : named;
    const parent = `${origin}/robots.txt` as CrawlUrl;
    const site = siteOf(hostnameOf(url));
    const found: Discovery[] = [];
    const skipped: Skipped[] = [];
    for (const file of files) {
      const reason = this.#refusal(file, site);
      const one = { url: file, parent, depth: 0, via: "robots" } as const;
      if (reason !== undefined) skipped.push({ ...one, reason });
      else found.push({ ...one, seed: false, chain: [] });
    }
    return { found, skipped };
  }

  /** A site vouches for its own sitemaps, not for anybody else's: the line would be a way to have others asked. */
  #refusal(file: CrawlUrl, site: string): string | undefined {
    const reason = this.#rules.refusal(file, siteOf(hostnameOf(file)) === site);
    if (reason !== undefined) return reason;
    const count = (this.#bySite.get(site) ?? 0) + 1;
    if (count > MAX_NAMED_BY_SITE) return "too_many_sitemaps";
    keepLatest(this.#bySite, site, count, MAX_SITES);
    return undefined;
  }
}
