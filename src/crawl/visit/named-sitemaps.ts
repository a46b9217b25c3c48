import type { RobotsRules } from "../../fetch/robots/robots-rules.ts";
import type { Discovery } from "../../frontier/frontier.ts";
import { SeenSet } from "../../frontier/seen/seen-set.ts";
import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import { type CrawlUrl, canonicalize } from "../../url/crawl-url.ts";
import { originOf } from "../../url/url-parts.ts";

const NOTHING: readonly Discovery[] = [];
/** No site we know names more than a few dozen; further ones are not fetched. */
const MAX_NAMED = 1000;
/** Origins whose robots.txt was read and whose first URL has not ended yet. */
const MAX_WAITING = 10_000;

/** Settings of sitemaps. */
export interface SitemapRules {
  readonly sitemaps: "on" | "off" | "only";
  /** False with --no-robots: then no file names sitemaps. */
  readonly robots: boolean;
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

  constructor(rules: SitemapRules) {
    this.#rules = rules;
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
  }

  /** The sitemaps to visit now that a URL of this origin ends; empty all but once. */
  take(url: CrawlUrl): readonly Discovery[] {
    const { sitemaps, robots } = this.#rules;
    if (sitemaps === "off" || (robots && this.#named.size === 0)) return NOTHING;
    const origin = originOf(url);
    const named = this.#named.get(origin);
    if (named === undefined && robots) return NOTHING;
    this.#named.delete(origin);
    fingerprint(origin, this.#rules.seedLow, this.#rules.seedHigh);
    if (!this.#done.addFingerprint(lastFingerprint.low, lastFingerprint.high)) return NOTHING;
    // A sitemap that robots.txt does not name is tried only where sitemaps are all there is.
    const usual = sitemaps === "only" ? [`${origin}/sitemap.xml` as CrawlUrl] : [];
    const files = named === undefined || named.length === 0 ? usual : named;
    const parent = `${origin}/robots.txt` as CrawlUrl;
    return files.map((file) => ({
      url: file,
      parent,
      depth: 0,
      via: "robots",
      seed: false,
      chain: [],
    }));
  }
}
