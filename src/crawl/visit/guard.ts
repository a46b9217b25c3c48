import type { FetchOutcome } from "../../fetch/outcome.ts";
import { type Discovery, FACT, type Fact, type Lease } from "../../frontier/frontier.ts";
import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Follower, Skipped } from "./follower.ts";
import { FingerprintCache } from "./traps/fingerprint-cache.ts";
import { decodeVerdict, encodeVerdict } from "./traps/kept-verdict.ts";
import { SharedEvidence } from "./traps/shared-evidence.ts";
import { TrapWatch } from "./traps/trap-watch.ts";

/** Settings of the guard. */
export interface GuardRules {
  readonly traps: boolean;
  readonly clock: () => number;
  /** Memory that all threads share. */
  readonly evidence: SharedArrayBuffer;
}

/** A demoted URL waits for ten turns of its host, so that the other URLs go first. */
const ASIDE_TURNS = 10;
const MIN_ASIDE_MS = 5;
const MAX_ASIDE_MS = 10_000;
const ASIDE_FINGERPRINTS = 1 << 14;

/** Keeps single sites from taking more than their share: traps, and budgets, which the frontier counts. */
export class Guard {
  readonly #rules: GuardRules;
  /** The evidence about traps, to which the pages that were read are added; undefined where nobody asked for it. */
  readonly watch: TrapWatch | undefined;
  /** By fingerprint, because a lease that was lent comes back as another object. */
  readonly #stoodAside = new FingerprintCache(ASIDE_FINGERPRINTS);

  constructor(rules: GuardRules) {
    this.#rules = rules;
    this.watch = rules.traps
      ? new TrapWatch(Date.now(), new SharedEvidence(rules.evidence))
      : undefined;
  }

  /** Why a leased URL is not fetched, or not now; undefined when it may be. */
  before(lease: Lease): FetchOutcome | undefined {
    const { watch } = this;
    const state = lease.seed || watch === undefined ? "free" : watch.state(lease.url, lease.parent);
    if (state === "demoted") {
      fingerprint(lease.url, 0, 0);
      if (!this.#stoodAside.sawBefore(lastFingerprint.low)) {
        const turnsMs = ASIDE_TURNS * lease.host.delayMs;
        const asideMs = Math.min(MAX_ASIDE_MS, Math.max(MIN_ASIDE_MS, turnsMs));
        return { kind: "postponed", untilMs: this.#rules.clock() + asideMs, aside: true };
      }
    } else if (state !== "free") return { kind: "refused", error: state };
    return lease.budget === "spent" ? { kind: "refused", error: "max_pages_per_site" } : undefined;
  }

  /** The verdicts since the last call, to be committed with the page that completed the evidence; nearly always none. */
  takeVerdicts(): readonly Fact[] | undefined {
    if (this.watch === undefined || !this.watch.hasVerdicts) return undefined;
    return this.watch
      .takeVerdicts()
      .map((verdict) => ({ kind: FACT.trap, bytes: encodeVerdict(verdict) }));
  }

  /** Applies a verdict of an earlier run, or of another thread; other facts are none of its business. */
  learn({ kind, bytes }: Fact): void {
    const verdict = kind === FACT.trap ? decodeVerdict(bytes) : undefined;
    if (verdict !== undefined) this.watch?.learn(verdict);
  }

  /** The links that belong to no trap; the others are reported. Nothing to do as long as the watch refuses nothing. */
  sift(found: readonly Discovery[], follower: Follower, skipped: Skipped[]): readonly Discovery[] {
    const { watch } = this;
    if (watch === undefined) return found;
    // Nearly always all of them.
    let kept: Discovery[] | undefined;
    for (let i = 0; i < found.length; i++) {
      const { url, parent, depth, via } = found[i]!;
      const state = watch.state(url, parent);
      if (state === "free" || state === "demoted") kept?.push(found[i]!);
      else {
        kept ??= found.slice(0, i);
        follower.report({ url, reason: state, parent: parent as CrawlUrl, depth, via }, skipped);
      }
    }
    return kept ?? found;
  }
}
