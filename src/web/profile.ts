import { UsageError } from "../errors.ts";

/** How long a server waits before it answers: log-normal, `spread` is the standard deviation of the logarithm. */
export interface Latency {
  median: number;
  spread: number;
}

/** Everything that decides what a synthetic web looks like; the same profile is the same web, byte for byte. */
export interface WebProfile {
  seed: number;
  hosts: number;
  /** Over all hosts together. */
  pages: number;
  meanLinks: number;
  /** Share of links that lead to another host, 0 to 1. */
  crossHostShare: number;
  minBytes: number;
  maxBytes: number;
  /** Whether pages are filled with the markup of real ones, which compresses like theirs, or with plain text. */
  markup: boolean;
  latencyMs: Latency | 0;
  /** Share of pages that are missing, broken, busy once or reset once: a quarter of it each. */
  errorRate: number;
  robots: "none" | "simple" | "strict";
  /** Whether gzip is sent to those who ask for it. */
  encodings: boolean;
  /** Share of pages sent in chunks instead of with a length. */
  chunkedShare: number;
  /** Share of links that lead to their page by a redirect. */
  redirectShare: number;
}

/** Names of the profiles that come with the program. */
export type ProfileName = "tiny" | "small" | "demo" | "real" | "polite";

// Pages of 5 KB with 26 links, nothing in the way: what a crawler costs per page, without the page.
const small: WebProfile = {
  seed: 1,
  hosts: 1,
  pages: 20_000,
  meanLinks: 26,
  crossHostShare: 0.1,
  minBytes: 2_048,
  maxBytes: 16_384,
  markup: false,
  latencyMs: 0,
  errorRate: 0,
  robots: "none",
  encodings: true,
  chunkedShare: 0,
  redirectShare: 0,
};

/** Ready-made webs: tiny (tests), demo (takes seconds), small and real (speed), polite (many slow hosts). */
export const PROFILES: Record<ProfileName, WebProfile> = {
  small,
  tiny: {
    ...small,
    hosts: 3,
    pages: 60,
    meanLinks: 6,
    crossHostShare: 0.2,
    minBytes: 1_024,
    errorRate: 0.15,
    robots: "simple",
    chunkedShare: 0.3,
    redirectShare: 0.1,
  },
  demo: {
    ...small,
    hosts: 12,
    pages: 300,
    meanLinks: 12,
    crossHostShare: 0.15,
    minBytes: 1_024,
    maxBytes: 262_144,
    latencyMs: { median: 40, spread: 0.5 },
    errorRate: 0.05,
    robots: "simple",
    chunkedShare: 0.2,
    redirectShare: 0.01,
  },
  real: {
    ...small,
    pages: 5_000,
    meanLinks: 150,
    minBytes: 32_768,
    maxBytes: 524_288,
    markup: true,
  },
  polite: {
    ...small,
    hosts: 200,
    minBytes: 1_024,
    maxBytes: 1_048_576,
    latencyMs: { median: 50, spread: 0.3 },
    errorRate: 0.05,
    robots: "simple",
    chunkedShare: 0.2,
    redirectShare: 0.003,
  },
};

const SHARES = ["crossHostShare", "errorRate", "chunkedShare", "redirectShare"] as const;

/** Refuses a profile that no web can be made from, and says which value is wrong and what is allowed. */
export function checkProfile(profile: WebProfile): WebProfile {
  const { hosts, pages, meanLinks, minBytes, maxBytes, latencyMs: latency } = profile;
  const whole = (n: number, low: number, high: number): boolean =>
    Number.isInteger(n) && n >= low && n <= high;
  const rules: readonly (readonly [holds: boolean, sentence: string])[] = [
    [whole(hosts, 1, 65_536), "hosts must be a whole number from 1 to 65536"],
    [whole(pages, hosts, 2 ** 26), "every host needs at least one page (at most 67108864 in all)"],
    [meanLinks >= 1 && meanLinks <= 10_000, "meanLinks must be from 1 to 10000"],
    [whole(minBytes, 1, maxBytes), "minBytes must be from 1 to maxBytes"],
    [whole(maxBytes, 1, 2 ** 26), "maxBytes must be at most 67108864"],
    ...SHARES.map(
      (name) => [profile[name] >= 0 && profile[name] <= 1, `${name} must be from 0 to 1`] as const,
    ),
    [latency === 0 || (latency.median >= 0 && latency.spread >= 0), "latency cannot be negative"],
  ];
  const broken = rules.find(([holds]) => !holds);
  if (broken !== undefined) throw new UsageError(`this web cannot be made: ${broken[1]}`);
  return profile;
}
