import type { CrawlUrl } from "./crawl-url.ts";
import { siteOf } from "./site.ts";
import { authorityOf, hostnameOf, originOf } from "./url-parts.ts";

/** How far from its seeds a crawl may go. */
export type ScopeKind = "page" | "prefix" | "host" | "domain" | "any";

/** The kind bounds where links may lead; the expressions are matched against the whole canonical URL. */
export interface ScopeRules {
  kind: ScopeKind;
  /** When given, only URLs that match one of these are followed (seeds excepted). */
  include?: readonly RegExp[];
  /** What matches one of these is never fetched, seeds and included URLs not excepted. */
  exclude?: readonly RegExp[];
}

/** Decides whether a URL belongs to the crawl. */
export class Scope {
  readonly #kind: ScopeKind;
  readonly #include: readonly RegExp[];
  readonly #exclude: readonly RegExp[];
  /** Seed URLs: the whole scope `page`, and what `include` must not refuse. */
  readonly #seeds = new Set<string>();
  /** Authorities (`host`), sites (`domain`). */
  readonly #places = new Set<string>();
  /** `prefix`: the folders of the seeds by authority. */
  readonly #folders = new Map<string, string[]>();
  /** Host names that nothing is fetched from any more. */
  readonly #blocked = new Set<string>();
  /** How URLs begin that are all in scope, an origin with its slash: most links lead where the one before led, and scopes only grow. */
  #reached: string;

  constructor(rules: ScopeRules) {
    this.#kind = rules.kind;
    this.#reached = rules.kind === "any" ? "" : "-";
    this.#include = (rules.include ?? []).map(stateless);
    this.#exclude = (rules.exclude ?? []).map(stateless);
  }

  /** Widens the scope by a seed, or by the page a seed redirects to. */
  addSeed(url: CrawlUrl): void {
    if (this.#kind === "page" || this.#include.length > 0) this.#seeds.add(url);
    if (this.#kind === "host") this.#places.add(authorityOf(url));
    if (this.#kind === "domain") this.#places.add(siteOfUrl(url));
    if (this.#kind === "prefix") this.#addFolder(authorityOf(url), folderOf(url));
  }

  /** Nothing of this host is followed any more. */
  block(hostname: string): void {
    this.#blocked.add(hostname);
  }

  /**
   * Why a URL is not followed, or undefined when it is. The cheap test comes first. `from` is the page in scope that
   * links there: what lies at the same place is in scope with it, whether or not this thread knows why.
   */
  refusal(
    url: CrawlUrl,
    from?: CrawlUrl,
  ): "out_of_scope" | "excluded" | "host_blocked" | undefined {
    if (this.#blocked.size > 0 && this.#blocked.has(hostnameOf(url))) return "host_blocked";
    const isReached = url.startsWith(this.#reached) || this.#reaches(url);
    if (!isReached && (from === undefined || !this.#isBeside(url, from))) return "out_of_scope";
    if (this.#exclude.length > 0 && this.excludes(url)) return "excluded";
    if (this.#include.length === 0) return undefined;
    for (const pattern of this.#include) if (pattern.test(url)) return undefined;
    return this.#seeds.has(url) ? undefined : "out_of_scope";
  }

  /** True for URLs that are never fetched, wherever they are. */
  excludes(url: CrawlUrl): boolean {
    return this.#exclude.some((pattern) => pattern.test(url));
  }

  #reaches(url: CrawlUrl): boolean {
    switch (this.#kind) {
      case "any":
        return true;
      case "host":
        return this.#inPlaces(url, authorityOf);
      case "domain":
        return this.#inPlaces(url, siteOfUrl);
      case "page":
        return this.#seeds.has(url);
      case "prefix": {
        const folders = this.#folders.get(authorityOf(url));
        if (folders === undefined) return false;
        const path = url.indexOf("/", 8);
        return folders.some((folder) => url.startsWith(folder, path));
      }
    }
  }

  /** True when a scope of this kind cannot hold the one without the other. */
  #isBeside(url: CrawlUrl, from: CrawlUrl): boolean {
    if (this.#kind === "domain") return siteOfUrl(url) === siteOfUrl(from);
    if (this.#kind === "page" || authorityOf(url) !== authorityOf(from)) return false;
    return this.#kind !== "prefix" || url.startsWith(folderOf(from), url.indexOf("/", 8));
  }

  #inPlaces(url: CrawlUrl, placeOf: (url: CrawlUrl) => string): boolean {
    if (!this.#places.has(placeOf(url))) return false;
    this.#reached = `${originOf(url)}/`;
    return true;
  }

  #addFolder(authority: string, folder: string): void {
    const folders = this.#folders.get(authority) ?? [];
    if (folders.some((known) => folder.startsWith(known))) return; // already inside
    // A wider folder replaces those inside it, so the list stays short.
    this.#folders.set(authority, [...folders.filter((known) => !known.startsWith(folder)), folder]);
  }
}

function siteOfUrl(url: CrawlUrl): string {
  return siteOf(hostnameOf(url));
}

/** The path up to its last slash; a slash in the query does not count. */
function folderOf(url: CrawlUrl): string {
  const path = url.indexOf("/", 8);
  const query = url.indexOf("?", path);
  return url.slice(path, url.lastIndexOf("/", query < 0 ? url.length : query) + 1);
}

/** Without the flags `g` and `y`, which make `test` depend on the call before. */
function stateless(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""));
}
