import type { Family } from "./family.ts";
import type { UrlShape } from "./url-shape.ts";

/** Why a family of URLs is a trap; stable codes of logs, reports and journals. */
export const TRAP_REASONS = [
  "trap_repeated_path",
  "trap_deep_path",
  "trap_growing_path",
  "trap_same_content",
  "trap_same_text",
  "trap_calendar",
  "trap_endless",
  "trap_query",
] as const;

/** One of them. */
export type TrapReason = (typeof TRAP_REASONS)[number];

/** Whether URLs of this state are not fetched. */
export function isStopped(state: TrapState): state is TrapReason {
  return state !== "free" && state !== "demoted";
}

/** Fetched as usual, after all other URLs of its host, or not at all. */
export type TrapState = "free" | "demoted" | TrapReason;

/** A group of segments that is repeated this often has no meaning. */
export const MIN_REPEATS = 4;
/** Deeper paths are made by machines. */
export const MAX_SEGMENTS = 40;

/** Pages of suspicious spelling that are still fetched. */
const SPELLING_PAGES = 100;
const MIN_SHARE = 0.9;
const COPIES = 1000;
const CALENDAR_PAGES = 2500;
const STRAY_DATES = 200;
const CHAIN_PAGES = 3000;
/** Steps from a seed: pages of honest sites are closer, or differ from each other. */
const CHAIN_DEPTH = 40;
const QUERY_PAGES = 3000;
const GROWING_PAGES = 2000;
/** Fewer parameters make lists, not combinations. */
export const QUERY_PARAMETERS = 3;
/** A family is demoted at this fraction of the evidence that stops it. */
const EARLY = 0.25;

/** URLs whose spelling alone is suspicious form one family per host. */
export function spellingReason(
  shape: Pick<UrlShape, "repeats" | "segments">,
): TrapReason | undefined {
  if (shape.repeats >= MIN_REPEATS) return "trap_repeated_path";
  return shape.segments > MAX_SEGMENTS ? "trap_deep_path" : undefined;
}

/** The state of a family of suspicious spelling: demoted from the start, stopped after some pages. */
export function spellingState(family: Family, reason: TrapReason): TrapState {
  return family.pages >= SPELLING_PAGES ? reason : "demoted";
}

/** The state of pages in folders below the page they were found on that look like it. */
export function growthState(growth: Family): TrapState {
  if (growth.looseShare < MIN_SHARE) return "free";
  if (growth.looseCopies >= GROWING_PAGES) return "trap_growing_path";
  return growth.looseCopies >= EARLY * GROWING_PAGES ? "demoted" : "free";
}

/** False for nearly every family: whatever its pages are like, their share is too small for a verdict. */
export function mayBeTrap(family: Family): boolean {
  if (!family.hasSuspects) return false;
  return Math.max(family.copyShare, family.looseShare, family.inbredShare) >= MIN_SHARE;
}

/** The state of a family after reading a page of it at this depth. */
export function familyState(family: Family, shape: UrlShape, depth: number): TrapState {
  if (!mayBeTrap(family)) return "free";
  const reasons: [share: number, weight: number, reason: TrapReason][] = [
    // Copies that lead to copies: session ids, the same page under ever new names.
    [family.copyShare, family.copies / COPIES, "trap_same_content"],
    [family.looseShare, family.strayDates / STRAY_DATES, "trap_calendar"],
    [
      family.inbredShare,
      shape.parameters < QUERY_PARAMETERS ? 0 : family.pages / QUERY_PAGES,
      "trap_query",
    ],
  ];
  if (shape.year !== undefined) {
    reasons.push([family.looseShare, family.looseCopies / CALENDAR_PAGES, "trap_calendar"]);
  }
  if (depth >= CHAIN_DEPTH) {
    reasons.push([family.looseShare, family.looseCopies / CHAIN_PAGES, "trap_endless"]);
  }
  let state: TrapState = "free";
  for (const [share, weight, reason] of reasons) {
    if (share < MIN_SHARE) continue;
    if (weight >= 1) return reason;
    if (weight >= EARLY) state = "demoted";
  }
  return state;
}
