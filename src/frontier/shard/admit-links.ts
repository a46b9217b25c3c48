import type { Discovery } from "../discovery.ts";
import type { ShardState } from "../fold/shard-state.ts";
import {
  type AdmissionRules,
  admissionFingerprints,
  MAX_FINGERPRINTS,
} from "../seen/admission-key.ts";

/** Of URLs that are met together. */
const fingerprints = new Uint32Array(2 * MAX_FINGERPRINTS);
const news = new Uint8Array(MAX_FINGERPRINTS);

/** Hears of a URL with the fingerprint under which it counts as known; must not come back here. */
export type AdmittedLink = (found: Discovery, low: number, high: number, index: number) => void;

/**
 * Lets a shard know these URLs of it, and calls `meet` for each that is new; answers how many are. What is known lies
 * anywhere in memory: many places are asked for at once, so that the answers come together.
 */
export function admitNew(
  state: ShardState,
  rules: AdmissionRules,
  found: readonly Discovery[],
  meet: AdmittedLink,
): number {
  let fresh = 0;
  for (let from = 0; from < found.length; from += MAX_FINGERPRINTS) {
    const count = Math.min(MAX_FINGERPRINTS, found.length - from);
    admissionFingerprints(found, from, count, rules, fingerprints);
    const some = state.admitAll(fingerprints, count, news);
    if (some === 0) continue;
    fresh += some;
    for (let i = 0; i < count; i++) {
      if (news[i] === 1)
        meet(found[from + i]!, fingerprints[2 * i]!, fingerprints[2 * i + 1]!, from + i);
    }
  }
  return fresh;
}

/** Calls `meet` for each of these URLs; with cash, their places in memory are asked for before. */
export function admitEach(
  state: ShardState,
  rules: AdmissionRules,
  found: readonly Discovery[],
  meet: AdmittedLink,
): void {
  for (let from = 0; from < found.length; from += MAX_FINGERPRINTS) {
    const count = Math.min(MAX_FINGERPRINTS, found.length - from);
    admissionFingerprints(found, from, count, rules, fingerprints);
    state.cash?.pages.touch(fingerprints, count);
    for (let i = 0; i < count; i++) {
      meet(found[from + i]!, fingerprints[2 * i]!, fingerprints[2 * i + 1]!, from + i);
    }
  }
}
