import type { WebProfile } from "../profile.ts";
import { unit } from "../seeded-random.ts";

/** What happens to requests for a page. */
export const FATE = {
  ok: 0,
  /** 404, always. */
  missing: 1,
  /** 500, always. */
  broken: 2,
  /** 503 the first time. */
  busyOnce: 3,
  /** A reset connection the first time. */
  resetOnce: 4,
} as const;

/** The fate of every page; front pages never fail, or their hosts could not be entered. */
export function drawFates(profile: WebProfile, firstOfHost: Uint32Array): Uint8Array {
  const fates = new Uint8Array(firstOfHost[firstOfHost.length - 1]!);
  if (profile.errorRate === 0) return fates;
  for (let page = 0; page < fates.length; page++) {
    const draw = unit(profile.seed ^ 0xfa7e, page);
    if (draw < profile.errorRate) fates[page] = 1 + Math.floor((4 * draw) / profile.errorRate);
  }
  for (let host = 0; host + 1 < firstOfHost.length; host++) fates[firstOfHost[host]!] = FATE.ok;
  return fates;
}
