import type { Latency, WebProfile } from "../profile.ts";
import { unit } from "../seeded-random.ts";

/** A standard normal number that depends on the two words alone. */
function normal(a: number, b: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - unit(a, b)));
  return radius * Math.cos(2 * Math.PI * unit(a ^ 0x5a5a5a5a, b));
}

/** Size of a page: log-normal with its middle a third of the way (in powers) from the smallest to the largest. */
export function pageBytes(profile: WebProfile, page: number): number {
  const range = Math.log(profile.maxBytes / profile.minBytes);
  for (let attempt = 1; attempt <= 4; attempt++) {
    const bytes =
      profile.minBytes * Math.exp(range * (1 / 3 + normal(profile.seed + attempt, page) / 5));
    if (bytes >= profile.minBytes && bytes <= profile.maxBytes) return Math.round(bytes);
  }
  return profile.minBytes;
}

/** How long the answer to a URL, given by its hash, is delayed. */
export function latencyOf(latency: Latency | 0, seed: number, urlHash: number): number {
  if (latency === 0) return 0;
  return Math.round(latency.median * Math.exp(latency.spread * normal(seed ^ 0x7a7e, urlHash)));
}
