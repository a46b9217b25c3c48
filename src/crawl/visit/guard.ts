import type { FetchOutcome } from "../../fetch/outcome.ts";
import type { Discovery, Lease } from "../../frontier/frontier.ts";
import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { siteOf } from "../../url/site.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import type { Follower, Skipped } from "./follower.ts";
import type { ReadPage } from "./read-page.ts";
import { SiteBudget } from "./site-budget.ts";
import { FingerprintCache } from "./traps/fingerprint-cache.ts";
import { SharedEvidence } from "./traps/shared-evidence.ts";
import { TrapWatch } from "./traps/trap-watch.ts";

/** Settings of the guard. */
export interface GuardRules {
  readonly traps: boolean;
  readonly maxPagesPerSite?: number | undefined;
  readonly clock: () => number;
  /** Memory that all threads share. */
  readonly evidence: SharedArrayBuffer;
}

const BUDGET_RETRY_MS = 20;
/** A demoted URL waits for ten turns of its host, so that the other URLs go first. */
const ASIDE_TURNS = 10;
const MIN_ASIDE_MS = 5;
const MAX_ASIDE_MS = 10_000;
const ASIDE_FINGERPRINTS = 1 << 14;

/** Keeps single sites from taking more than their share: budgets and traps. */
export class Guard {
  readonly #rules: GuardRules;
  readonly #watch: TrapWatch | undefined;
  readonly #budget: SiteBudget | undefined;
  /** By fingerprint, because a lease that was lent comes back as another object. */
  readonly #stoodAside = new FingerprintCache(ASIDE_FINGERPRINTS);
  readonly #holdsPlace = new WeakSet<Lease>();

  constructor(rules: GuardRules) {
    this.#rules = rules;
    this.#watch = rules.traps
      ? new TrapWatch(Date.now(), new SharedEvidence(rules.evidence))
      : undefined;
    const limit = rules.maxPagesPerSite;
    this.#budget = limit === undefined ? undefined : new SiteBudget(limit);
  }

  /** Why a leased URL is not fetched, or not now; undefined when it may be. */
  before(lease: Lease): FetchOutcome | undefined {
    const state = lease.seed ? "free" : (this.#watch?.state(lease.url, lease.parent) ?? "free");
    if (state === "demoted") {
      fingerprint(lease.url, 0, 0);
      if (!this.#stoodAside.sawBefore(lastFingerprint.low)) {
        const turnsMs = ASIDE_TURNS * lease.host.delayMs;
        const asideMs = Math.min(MAX_ASIDE_MS, Math.max(MIN_ASIDE_MS, turnsMs));
        return { kind: "postponed", untilMs: this.#rules.clock() + asideMs, aside: true };
      }
    } else if (state !== "free") return { kind: "refused", error: state };
    return this.#budget === undefined ? undefined : this.#reserve(lease, this.#budget);
  }

  #reserve(lease: Lease, budget: SiteBudget): FetchOutcome | undefined {
    if (this.#holdsPlace.has(lease)) return undefined;
    const answer = budget.reserve(siteOf(hostnameOf(lease.url)));
    if (answer === "spent") return { kind: "refused", error: "max_pages_per_site" };
    if (answer === "wait") {
      return { kind: "postponed", untilMs: this.#rules.clock() + BUDGET_RETRY_MS };
    }
    this.#holdsPlace.add(lease);
    return undefined;
  }

  /** The visit, or this attempt of it, is over. */
  after(lease: Lease, isPage: boolean): void {
    if (this.#budget === undefined || !this.#holdsPlace.delete(lease)) return;
    this.#budget.settle(siteOf(hostnameOf(lease.url)), isPage);
  }

  /** Adds a fetched page to the evidence about traps. */
  read(lease: Lease, page: ReadPage, body: Uint8Array): void {
    this.#watch?.page(lease, page.parsed, body, page.headerLinks);
  }

  /** The links that belong to no trap; the others are reported. */
  sift(found: Discovery[], follower: Follower, skipped: Skipped[]): Discovery[] {
    const watch = this.#watch;
    if (watch === undefined) return found;
    // Nearly always all of them.
    let kept: Discovery[] | undefined;
    for (let i = 0; i < found.length; i++) {
      const { url, parent } = found[i]!;
      const state = watch.state(url, parent);
      if (state === "free" || state === "demoted") kept?.push(found[i]!);
      else {
        kept ??= found.slice(0, i);
        follower.report({ url, reason: state, parent: parent as CrawlUrl }, skipped);
      }
    }
    return kept ?? found;
  }
}
