import { OrbweaverError } from "../../errors.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import type { FromCrawler } from "../crawler/crawl-worker.ts";
import { Account, bellsOf, type Control, gatesOf, inboxesOf, MODES } from "../shared-memory.ts";
import type { WorkersPlan } from "./start-workers.ts";

const LOOK_MS = 1;

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

/** A crawler's first word: what it has to do, or why it cannot. */
export function orRefused(message: FromCrawler): Start {
  if (message.kind === "ready") return message;
  if (message.kind !== "refused") throw new Error(`unexpected first word: ${message.kind}`);
  throw new OrbweaverError(message.code, message.message, message.exitCode);
}

/** Gives free what a dead crawler held in shared memory; hosts it was asking wait one delay. */
export function reclaim({ memory, config }: WorkersPlan, thread: number): void {
  for (const inbox of inboxesOf(memory, thread)) inbox.reclaim(thread + 1);
  const { hosts } = gatesOf(memory, thread);
  hosts.reclaim(thread + 1, monotonicMs() + config.delayMs);
}

/** What a recount is about. */
export interface Recount {
  /** Above all before. */
  readonly number: number;
  /** What the crawlers that begin anew have to do. */
  readonly fresh: readonly Start[];
  /** Numbers of the crawlers that go on. */
  readonly others: () => readonly number[];
  /** What the supervisor itself holds in the pending counter. */
  readonly guards: () => number;
}

/**
 * Sets the counters that all threads share to what they must be: the dead one may have died in the middle of changing
 * them. Everybody else stands still for a moment and says what is theirs.
 */
export async function recount(
  plan: WorkersPlan,
  { number, fresh, others, guards }: Recount,
): Promise<void> {
  const { memory, control, config } = plan;
  control.setRecount(number);
  for (const bell of bellsOf(memory).slice(0, memory.threads)) bell.ring();
  const published = () => others().map((thread) => new Account(memory, thread).read(number));
  while (published().includes(undefined) && control.mode === MODES.run) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  // Only a crawl that is being stopped gets here without all accounts, and that does not end by the counter.
  const accounts = published().filter((account) => account !== undefined);
  countAnew(control, memory.threads, [...fresh, ...accounts], guards(), config.maxPages);
  control.setRecount(0);
  for (const bell of bellsOf(memory).slice(0, memory.threads)) bell.ring();
}
