import type { Discovery, KnownFingerprints } from "./discovery.ts";
import type { Fact } from "./fact.ts";

/** How visits end, as journals keep it: these numbers never change. */
export const OUTCOME = {
  page: 1,
  redirect: 2,
  failed: 3,
  refused: 4,
  sitemap: 5,
  unchanged: 6,
} as const;

/** Above the number of every outcome. */
export const OUTCOMES: number = Math.max(...Object.values(OUTCOME)) + 1;

/** Where a page record is in the archive. */
export interface PageLocation {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** The visit is over: its end and what it found are committed together. */
export interface Finish {
  readonly kind: "finish";
  /** One of `OUTCOME`. */
  readonly outcome: number;
  /** To be visited next, as far as it is new. */
  readonly found: readonly Discovery[];
  /** Distinct links of the page, also those that are not followed; a redirect is one link. */
  readonly links: number;
  /** Links that this thread knows, if they get a share: they are not among the links found. */
  readonly known?: KnownFingerprints | undefined;
  /** What it found out that decides what is admitted from now on. */
  readonly facts?: readonly Fact[] | undefined;
  /** Number of the archive record among those this thread handed over, or where it is; undefined when there is none. */
  readonly record: number | PageLocation | undefined;
  /** Called when the end of the visit is durable, together with the links found. */
  readonly onCommitted: () => void;
}

/** The URL is to be tried again. */
export interface Retry {
  readonly kind: "retry";
  /** Not before this moment. */
  readonly untilMs: number;
  /** True: the URL rests, its request has ended and its host goes on. False: the host waits, and this URL comes first. */
  readonly rests: boolean;
}

/** This run waits no longer for the URL, but it is not done: a later run may fetch it. */
export interface Abandon {
  readonly kind: "abandon";
}

/** How a lease ends. */
export type Settlement = Finish | Retry | Abandon;
