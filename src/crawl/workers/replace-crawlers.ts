import { OrbweaverError } from "../../errors.ts";
import type { FromCrawler } from "../crawler/crawler-message.ts";
import { type Control, MODES } from "../shared-memory.ts";

/** What a crawler has to do when it begins. */
export interface Start {
  /** Its part of the pending counter. */
  readonly share: number;
  /** Pages of its shards that are committed. */
  readonly pages: number;
}

/** What one crawler has of the counters. */
export interface Tally extends Start {
  /** Page permits it holds; a crawler that begins holds none. */
  readonly heldPermits?: number;
}

/**
 * Something done in steps, between which everybody else goes on. Each step yields what it waits for and is given the
 * result: the supervisor awaits promises, the simulation lets others run first.
 */
export type Steps<Result> = Generator<unknown, Result, unknown>;

/** What a replacement does to the crawl. */
export interface Replacing {
  readonly control: Control;
  /** Crawler threads in all. */
  readonly threads: number;
  readonly maxPages: number | undefined;
  /** Stores what the dead had handed over whole; answers false when that cannot be, because their builder died. */
  storeLeft(dead: readonly number[]): unknown;
  /** Frees what a dead crawler held in shared memory. */
  reclaim(thread: number): void;
  /** A number for the next run, above all before. */
  nextEpoch(): number;
  /** Begins new crawlers, which fold the journals of the dead; answers what each has to do. */
  begin(dead: readonly number[], epoch: number): unknown;
  /** A number for the next recount, above all before. */
  nextRecount(): number;
  /** What those who go on have published for this recount; undefined for each that has not yet. */
  published(dead: readonly number[], recount: number): (Tally | undefined)[];
  /** Lets the others go on for a moment. */
  pause(): unknown;
  ringAll(): void;
  /** What the supervisor itself holds in the pending counter. */
  guards(): number;
  /** Tells everybody of the new run of a thread, and that thread to go. */
  go(thread: number, epoch: number): void;
}

/**
 * Replaces crawlers that have died. The new ones read the journals of the dead, what those held in shared memory is
 * free again, and the counters are set to what they must be, because the dead may have died while changing them.
 * False when it was broken off: the builder died as well, and replacing it begins these crawlers anew, too.
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

/** Everybody but the dead stands still for a moment and publishes what is theirs; the sum is what the counters must be. */
function* recount(dead: readonly number[], fresh: readonly Start[], crawl: Replacing): Steps<void> {
  const { control, threads, maxPages } = crawl;
  const number = crawl.nextRecount();
  control.setRecount(number);
  crawl.ringAll();
  do yield crawl.pause();
  while (crawl.published(dead, number).includes(undefined) && control.mode === MODES.run);
  // Only a crawl that is being stopped gets here without all accounts, and that does not end by the counter.
  const tallies = crawl.published(dead, number).filter((tally) => tally !== undefined);
  countAnew(control, threads, [...fresh, ...tallies], crawl.guards(), maxPages);
  control.setRecount(0);
  crawl.ringAll();
}

/**
 * Sets the shared counters to the sum of what everybody has, while nobody touches them. The last page of a limit may
 * have been committed by a thread that died before it could say so: then the crawl ends here. While somebody is dead
 * nobody knows how many pages its journals hold, so no permit is given out before the recount that follows.
 */
export function countAnew(
  control: Control,
  threads: number,
  tallies: readonly Tally[],
  guards: number,
  maxPages = Number.POSITIVE_INFINITY,
): void {
  let share = guards;
  let pages = 0;
  let held = 0;
  for (const tally of tallies) {
    share += tally.share;
    pages += tally.pages;
    held += tally.heldPermits ?? 0;
  }
  const isComplete = tallies.length === threads || maxPages === Number.POSITIVE_INFINITY;
  control.setCounts(share, pages, isComplete ? maxPages - pages - held : 0);
  if (pages >= maxPages) control.end("limit", MODES.drain);
}

/** Runs steps in a thread with an event loop. */
export async function runSteps<Result>(steps: Steps<Result>): Promise<Result> {
  let step = steps.next();
  while (!step.done) step = steps.next(await step.value);
  return step.value;
}

/** A crawler's first message: what it has to do, or why it cannot. */
export function startOrRefusal(message: FromCrawler): Start {
  if (message.kind === "ready") return message;
  if (message.kind !== "refused") throw new Error(`unexpected first message: ${message.kind}`);
  throw new OrbweaverError(message.code, message.message, message.exitCode);
}
