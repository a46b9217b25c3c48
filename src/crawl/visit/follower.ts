import type { Discovery, Lease } from "../../frontier/frontier.ts";
import { SeenSet } from "../../frontier/seen/seen-set.ts";
import { isList, type Via } from "../../frontier/via.ts";
import { fingerprint, fingerprintText, lastFingerprint } from "../../hash/fingerprint.ts";
import { type CrawlUrl, canonicalize, refusalOf } from "../../url/crawl-url.ts";
import type { Scope } from "../../url/scope.ts";

const NO_CHAIN: readonly string[] = [];
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A link that was found and not followed. */
export interface Skipped {
  readonly url: string;
  readonly reason: string;
  readonly parent: CrawlUrl;
}

/** Settings of the follower. */
export interface FollowRules {
  readonly scope: Scope;
  readonly maxDepth: number;
  /** The same for URLs with a query. */
  readonly maxDepthDynamic: number;
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

  /** The page's links that are in scope; the others go to `skipped`, each URL once. */
  links(
    lease: Lease,
    links: readonly CrawlUrl[],
    skipped: Skipped[],
    viaOf: (url: CrawlUrl) => Via = () => "link",
  ): Discovery[] {
    const found: Discovery[] = [];
    const parent = lease.url;
    const depth = lease.depth + 1;
    for (const url of links) {
      const reason = this.#rules.scope.refusal(url) ?? this.#depthRefusal(url, depth);
      if (reason === undefined) {
        found.push({ url, parent, depth, via: viaOf(url), seed: false, chain: NO_CHAIN });
      } else {
        this.report({ url, reason, parent }, skipped);
      }
    }
    return found;
  }

  /** The assets of a page that are in scope; they have the depth of their page. */
  assets(lease: Lease, assets: readonly CrawlUrl[], skipped: Skipped[]): Discovery[] {
    const found: Discovery[] = [];
    const { url: parent, depth } = lease;
    for (const url of assets) {
      const reason = this.#rules.scope.refusal(url);
      if (reason !== undefined) this.report({ url, reason, parent }, skipped);
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

  #depthRefusal(url: CrawlUrl, depth: number): string | undefined {
    if (depth > this.#rules.maxDepth) return "max_depth";
    return depth > this.#rules.maxDepthDynamic && url.includes("?")
      ? "max_depth_dynamic"
      : undefined;
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
    const { seedLow, seedHigh, maxRedirects, scope } = this.#rules;
    const chain = [...lease.chain, fingerprintText(lease.url, seedLow, seedHigh)];
    if (chain.includes(fingerprintText(url, seedLow, seedHigh))) {
      return { kind: "bad", error: "redirect_loop" };
    }
    if (chain.length > maxRedirects) return { kind: "bad", error: "too_many_redirects" };
    const { depth, seed } = lease;
    const reason = seed
      ? undefined
      : isList(lease.via)
        ? this.listRefusal(url, true)
        : scope.refusal(url);
    if (reason !== undefined) {
      return { kind: "skipped", skipped: { url, reason, parent: lease.url } };
    }
    const via = isList(lease.via) || lease.via === "asset" ? lease.via : "redirect";
    return { kind: "to", found: { url, parent: lease.url, depth, via, seed, chain } };
  }

  /** Adds a skipped link to the report unless this thread reported it before. */
  report(link: Skipped, skipped: Skipped[]): void {
    // Not every skipped link is a canonical URL, so it is hashed as a text.
    fingerprint(link.url, this.#rules.seedLow, this.#rules.seedHigh);
    if (this.#reported.addFingerprint(lastFingerprint.low, lastFingerprint.high))
      skipped.push(link);
  }
}
