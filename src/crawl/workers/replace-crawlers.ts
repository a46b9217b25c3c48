import { OrbweaverError } from "../../errors.ts";
import type { Fact } from "../../frontier/frontier.ts";
import type { FromCrawler } from "../crawler/crawler-message.ts";
import { type Control, MODES } from "../shared-memory.ts";

/** What a crawler finds on disk when it begins. */
export interface Start {
  /** Its part of the pending counter. */
  readonly share: number;
  /** Committed pages of its shards. */
  readonly pages: number;
  /** Bytes received, as their journals count them. */
  readonly bytes?: number;
  /** What earlier runs found out. */
  readonly facts?: readonly Fact[];
}

/** One crawler's part of the counters. */
export interface Tally extends Start {
  /** Page permits it holds; a crawler that begins holds none. */
  readonly heldPermits?: number;
}

/**
 * Work in steps, between which other threads continue. Each step yields what it waits for and receives the result: the
 * supervisor awaits promises, the simulation lets others run first.
 */
export type Steps<Result> = Generator<unknown, Result, unknown>;

/** What a replacement needs from the crawl; the supervisor and the simulation each implement it. */
export interface Replacing {
  readonly control: Control;
  /** Crawler threads in all. */
  readonly threads: number;
  readonly maxPages: number | undefined;
  /** Stores every complete record that the dead handed over; yields false when their builder died as well. */
  storeLeft(dead: readonly number[]): unknown;
  /** Frees what a dead crawler held in shared memory. */
  reclaim(thread: number): void;
  /** The next run number, higher than all before. */
  nextEpoch(): number;
  /** Starts new crawlers, which fold the journals of the dead; yields a `Start` for each. */
  begin(dead: readonly number[], epoch: number): unknown;
  /** The next recount number, higher than all before. */
  nextRecount(): number;
  /** What the living crawlers have published for this recount; undefined for each that has not yet. */
  published(dead: readonly number[], recount: number): (Tally | undefined)[];
  /** Lets the other threads run for a moment. */
  pause(): unknown;
  ringAll(): void;
  /** The supervisor's own part of the pending counter. */
  guards(): number;
  /** Announces the new run of a thread to all others and lets that thread go. */
  go(thread: number, epoch: number): void;
}

/**
 * Replaces dead crawlers. Their successors read the journals, what the dead held in shared memory is freed, and the
 * counters are recomputed, because the dead may have been changing them. False when it was broken off because the builder
 * died as well: replacing the builder also replaces its crawlers.
 */
export function* replaceCrawlers(dead: readonly number[], crawl: Replacing): Steps<boolean> {
  const stored = crawl.storeLeft(dead);
  for (const thread of dead) crawl.reclaim(thread);
  if ((yield stored) === false) return false;
  const epoch = crawl.nextEpoch();
  const fresh = (yield crawl.begin(dead, epoch)) as readonly Start[];
  yield* recount(dead, fresh, crawl);
  for (const thread of dead) crawl.go(thread, epoch);
  return true;
}

/** All living crawlers pause and publish their part of the counters; the sum is what the counters must be. */
function* recount(dead: readonly number[], fresh: readonly Start[], crawl: Replacing): Steps<void> {
  const { control, threads, maxPages } = crawl;
  const number = crawl.nextRecount();
  control.setRecount(number);
  crawl.ringAll();
  do yield crawl.pause();
  while (crawl.published(dead, number).includes(undefined) && control.mode === MODES.run);
  // Accounts can only be missing in a crawl that is being stopped, and that does not end by the counter.
  const tallies = crawl.published(dead, number).filter((tally) => tally !== undefined);
  setCounters(control, threads, [...fresh, ...tallies], crawl.guards(), maxPages);
  control.setRecount(0);
  crawl.ringAll();
}

/**
 * Sets the shared counters to the sum of all parts, while nobody touches them. A thread may have died right after
 * committing the last page that `--max-pages` allows: then the crawl ends here. As long as a thread is dead nobody knows
 * how many pages its journals hold, so without all tallies no permit is granted.
 */
export function setCounters(
  control: Control,
  threads: number,
  tallies: readonly Tally[],
  guards: number,
  maxPages = Number.POSITIVE_INFINITY,
): void {
  const sum = (part: "share" | "pages" | "heldPermits") =>
    tallies.reduce((all, tally) => all + (tally[part] ?? 0), 0);
  const pages = sum("pages");
  const isComplete = tallies.length === threads || maxPages === Number.POSITIVE_INFINITY;
  const permits = isComplete ? maxPages - pages - sum("heldPermits") : 0;
  control.setCounts(guards + sum("share"), pages, permits);
  if (pages >= maxPages) control.end("limit", MODES.drain);
}

/** Runs steps on an event loop. */
export async function runSteps<Result>(steps: Steps<Result>): Promise<Result> {
  let step = steps.next();
  while (!step.done) step = steps.next(await step.value);
  return step.value;
}

/** What a crawler's first message says; throws when it refuses to start. */
export function startOrRefusal(message: FromCrawler): Extract<FromCrawler, { kind: "ready" }> {
  if (message.kind === "ready") return message;
  if (message.kind !== "refused") throw new Error(`unexpected first message: ${message.kind}`);
  throw new OrbweaverError(message.code, message.message, message.exitCode);
}
