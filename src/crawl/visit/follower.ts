import type { ShouldVisit } from "../../config/page-handler.ts";
import type { CrawlConfig } from "../../config/schema.ts";
import type { Discovery, Lease } from "../../frontier/frontier.ts";
import { SeenSet } from "../../frontier/seen/seen-set.ts";
import { isList, type Via } from "../../frontier/via.ts";
import { fingerprint, fingerprintText, lastFingerprint } from "../../hash/fingerprint.ts";
import { type CrawlUrl, canonicalize, refusalOf } from "../../url/crawl-url.ts";
import type { Scope } from "../../url/scope.ts";
import { siteOf } from "../../url/site.ts";
import { hostnameOf } from "../../url/url-parts.ts";

const NO_CHAIN: readonly string[] = [];
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A link that was found and not followed. */
export interface Skipped {
  readonly url: string;
  readonly reason: string;
  readonly parent: CrawlUrl;
  /** As it would have been visited. */
  readonly depth: number;
  readonly via: Via;
}

/** How deep a crawl may go. */
export interface DepthRules {
  readonly maxDepth: number;
  /** The same for URLs with a query. */
  readonly maxDepthDynamic: number;
}

/** The depths that a configuration allows. */
export function depthRulesOf(
  config: Pick<CrawlConfig, "maxDepth" | "maxDepthDynamic">,
): DepthRules {
  const { maxDepth = Number.POSITIVE_INFINITY, maxDepthDynamic = Number.POSITIVE_INFINITY } =
    config;
  return { maxDepth, maxDepthDynamic };
}

/** Why a URL is too deep; undefined when it is not. An asset has the depth of its page. */
export function depthRefusal(
  { maxDepth, maxDepthDynamic }: DepthRules,
  { url, depth, via }: Pick<Skipped, "url" | "depth" | "via">,
): "max_depth" | "max_depth_dynamic" | undefined {
  if (via === "asset") return undefined;
  if (depth > maxDepth) return "max_depth";
  return depth > maxDepthDynamic && url.includes("?") ? "max_depth_dynamic" : undefined;
}

/** Settings of the follower. */
export interface FollowRules extends DepthRules {
  /** What the user's hook says of a URL that nothing else refuses. */
  readonly shouldVisit?: ShouldVisit | undefined;
  readonly scope: Scope;
  readonly maxRedirects: number;
  readonly seedLow: number;
  readonly seedHigh: number;
}

/** Where a redirect leads, or why nowhere. */
export type Redirect =
  | { readonly kind: "none" }
  | { readonly kind: "to"; readonly found: Discovery }
  | { readonly kind: "skipped"; readonly skipped: Skipped }
  | { readonly kind: "bad"; readonly error: string };

/** Decides which targets of a page are visited next. */
export class Follower {
  readonly #rules: FollowRules;
  readonly #reported = new SeenSet();

  constructor(rules: FollowRules) {
    this.#rules = rules;
  }

  /**
   * The page's links that are in scope; the others go to `skipped`, each URL once. All were found in the same way, but for
   * the page that a refresh leads to.
   */
  links(
    lease: Lease,
    links: readonly CrawlUrl[],
    skipped: Skipped[],
    how: Via = "link",
    notes?: ReadonlyMap<CrawlUrl, string>,
    refresh?: CrawlUrl,
  ): Discovery[] {
    const found: Discovery[] = [];
    const parent = lease.url;
    const depth = lease.depth + 1;
    // A list may be out of scope itself.
    const from = isList(lease.via) ? undefined : parent;
    const { scope, shouldVisit, maxDepth, maxDepthDynamic } = this.#rules;
    const mayBeTooDeep = depth > maxDepth || depth > maxDepthDynamic;
    for (const url of links) {
      const via = url === refresh ? "refresh" : how;
      const reason =
        scope.refusal(url, from) ??
        (mayBeTooDeep ? depthRefusal(this.#rules, { url, depth, via }) : undefined) ??
        (shouldVisit === undefined ? undefined : this.#hookRefusal(url, depth));
      if (reason === undefined) {
        const note = notes?.get(url);
        const link = { url, parent, depth, via, seed: false, chain: NO_CHAIN };
        found.push(note === undefined ? link : { ...link, note });
      } else {
        this.report({ url, reason, parent, depth, via }, skipped);
      }
    }
    return found;
  }

  /** The assets of a page that are in scope; they have the depth of their page. */
  assets(lease: Lease, assets: readonly CrawlUrl[], skipped: Skipped[]): Discovery[] {
    const found: Discovery[] = [];
    const { url: parent, depth } = lease;
    const from = isList(lease.via) ? undefined : parent;
    for (const url of assets) {
      const reason = this.#rules.scope.refusal(url, from) ?? this.#hookRefusal(url, depth);
      if (reason !== undefined) this.report({ url, reason, parent, depth, via: "asset" }, skipped);
      else found.push({ url, parent, depth, via: "asset", seed: false, chain: NO_CHAIN });
    }
    return found;
  }

  /** Why a sitemap is not read. With `vouchedFor` it may be out of scope, but `--exclude` still holds. */
  listRefusal(url: CrawlUrl, vouchedFor: boolean): string | undefined {
    const reason = this.#rules.scope.refusal(url);
    return reason === "out_of_scope" && vouchedFor && !this.#rules.scope.excludes(url)
      ? undefined
      : reason;
  }

  /** The target of a redirect: a URL of its own, with the same depth and the history of the chain. */
  redirect(lease: Lease, status: number, location: string | undefined): Redirect {
    if (!REDIRECTS.has(status)) return { kind: "none" };
    if (location === undefined || location === "") return { kind: "bad", error: "bad_redirect" };
    const url = canonicalize(location, lease.url);
    if (url === undefined) {
      const refusal = refusalOf(location, lease.url);
      return { kind: "bad", error: refusal === "blocked_scheme" ? refusal : "bad_redirect" };
    }
    const { seedLow, seedHigh, maxRedirects } = this.#rules;
    const chain = [...lease.chain, fingerprintText(lease.url, seedLow, seedHigh)];
    if (chain.includes(fingerprintText(url, seedLow, seedHigh))) {
      return { kind: "bad", error: "redirect_loop" };
    }
    if (chain.length > maxRedirects) return { kind: "bad", error: "too_many_redirects" };
    const { depth, seed } = lease;
    const reason =
      (seed ? this.#seedRefusal(url) : this.#targetRefusal(url, lease)) ??
      (isList(lease.via) ? undefined : this.#hookRefusal(url, depth));
    const via = isList(lease.via) || lease.via === "asset" ? lease.via : "redirect";
    if (reason !== undefined) {
      return { kind: "skipped", skipped: { url, reason, parent: lease.url, depth, via } };
    }
    const found = { url, parent: lease.url, depth, via, seed, chain };
    // What the redirect was asked for with is what its target is asked for with.
    return { kind: "to", found: lease.note === undefined ? found : { ...found, note: lease.note } };
  }

  #hookRefusal(url: CrawlUrl, depth: number): "should_visit" | undefined {
    const { shouldVisit } = this.#rules;
    return shouldVisit === undefined || shouldVisit(url, depth) ? undefined : "should_visit";
  }

  /** A seed's target widens the scope, but `--exclude` holds for seeds too. */
  #seedRefusal(url: CrawlUrl): string | undefined {
    return this.#rules.scope.excludes(url) ? "excluded" : undefined;
  }

  /** Why the target of a redirect is not visited: it must be what a page could have linked to in its place. */
  #targetRefusal(url: CrawlUrl, lease: Lease): string | undefined {
    const { via, depth } = lease;
    if (isList(via))
      return this.listRefusal(url, siteOf(hostnameOf(url)) === siteOf(hostnameOf(lease.url)));
    const reason = this.#rules.scope.refusal(url, lease.url);
    // The assets of a page come with it, whatever their depth.
    return reason ?? (via === "asset" ? undefined : depthRefusal(this.#rules, { url, depth, via }));
  }

  /** What a later look may judge differently is reported again: a link that was too deep, a redirect of another page. */
  #occasion(link: Skipped): string {
    if (link.reason !== "out_of_scope") return link.url;
    if (link.via === "redirect") return `${link.url} from ${link.parent}`;
    return depthRefusal(this.#rules, link) === undefined ? link.url : `${link.url} deep`;
  }

  /** Adds a skipped link to the report unless this thread reported it before. */
  report(link: Skipped, skipped: Skipped[]): void {
    // Not every skipped link is a canonical URL, so it is hashed as a text.
    fingerprint(this.#occasion(link), this.#rules.seedLow, this.#rules.seedHigh);
    if (this.#reported.addFingerprint(lastFingerprint.low, lastFingerprint.high))
      skipped.push(link);
  }
}
