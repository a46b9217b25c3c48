import { type AdmissionRules, admissionPrints, MOST_PRINTS } from "./admission-key.ts";
import type { Discovery } from "./frontier.ts";
import type { ShardState } from "./journal/fold.ts";

/** Of URLs that are met together. */
const prints = new Uint32Array(2 * MOST_PRINTS);
const news = new Uint8Array(MOST_PRINTS);

/** Hears of a URL with the fingerprint under which it counts as known; must not come back here. */
export type MeetLink = (found: Discovery, low: number, high: number, index: number) => void;

/**
 * Lets a shard know these URLs of it, and calls `meet` for each that is new; answers how many are. What is known lies
 * anywhere in memory: many places are asked for at once, so that the answers come together.
 */
export function meetNew(
  state: ShardState,
  rules: AdmissionRules,
  found: readonly Discovery[],
  meet: MeetLink,
): number {
  let fresh = 0;
  for (let from = 0; from < found.length; from += MOST_PRINTS) {
    const count = Math.min(MOST_PRINTS, found.length - from);
    admissionPrints(found, from, count, rules, prints);
    const some = state.admitAll(prints, count, news);
    if (some === 0) continue;
    fresh += some;
    for (let i = 0; i < count; i++) {
      if (news[i] === 1) meet(found[from + i]!, prints[2 * i]!, prints[2 * i + 1]!, from + i);
    }
  }
  return fresh;
}

/** Calls `meet` for each of these URLs; with cash, their places in memory are asked for before. */
export function meetEach(
  state: ShardState,
  rules: AdmissionRules,
  found: readonly Discovery[],
  meet: MeetLink,
): void {
  for (let from = 0; from < found.length; from += MOST_PRINTS) {
    const count = Math.min(MOST_PRINTS, found.length - from);
    admissionPrints(found, from, count, rules, prints);
    state.cash?.pages.touch(prints, count);
    for (let i = 0; i < count; i++) {
      meet(found[from + i]!, prints[2 * i]!, prints[2 * i + 1]!, from + i);
    }
  }
}
