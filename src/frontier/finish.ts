import type { KnownFingerprints } from "./discovery.ts";

/** How visits end, as journals keep it: these numbers never change. */
export const OUTCOME = {
  page: 1,
  redirect: 2,
  failed: 3,
  refused: 4,
  sitemap: 5,
  unchanged: 6,
} as const;

/** Where a page record is in the archive. */
export interface PageLocation {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** How one visit ended. */
export interface Finish {
  readonly outcome: number;
  /** Distinct links of the page, also those that are not followed; a redirect is one link. */
  readonly links: number;
  /** Those of them that this thread knows, if they get a share: they are not among the links found. */
  readonly known?: KnownFingerprints | undefined;
  /** Number of the archive record among those this thread handed over, or where it is; undefined when there is none. */
  readonly record: number | PageLocation | undefined;
  /** Called when the end of the visit is durable, together with the links found. */
  readonly onCommitted: () => void;
}
