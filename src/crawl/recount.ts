import { OrbweaverError } from "../errors.ts";
import { monotonicMs } from "../sync/clock.ts";
import type { FromCrawler } from "./crawl-worker.ts";
import type { CrewPlan } from "./crew-workers.ts";
import { Account, bellsOf, gatesOf, inboxesOf, MODES } from "./shared-memory.ts";

const LOOK_MS = 1;

/** What a crawler has to do when it begins. */
export interface Start {
  /** Its part of the pending counter. */
  readonly share: number;
  /** Pages of its shards that are committed. */
  readonly pages: number;
}

/** A crawler's first word: what it has to do, or why it cannot. */
export function orRefused(message: FromCrawler): Start {
  if (message.kind === "ready") return message;
  if (message.kind !== "refused") throw new Error(`unexpected first word: ${message.kind}`);
  throw new OrbweaverError(message.code, message.message, message.exitCode);
}

/** Gives free what a dead crawler held in shared memory; hosts it was asking wait one delay. */
export function reclaim({ memory, config }: CrewPlan, thread: number): void {
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
  plan: CrewPlan,
  { number, fresh, others, guards }: Recount,
): Promise<void> {
  const { memory, control, config } = plan;
  control.setRecount(number);
  for (const bell of bellsOf(memory).slice(0, memory.threads)) bell.ring();
  const published = () => others().map((thread) => new Account(memory, thread).read(number));
  while (published().includes(undefined) && control.mode === MODES.run) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  let share = guards();
  let pages = 0;
  let held = 0;
  for (const start of fresh) {
    share += start.share;
    pages += start.pages;
  }
  for (const account of published()) {
    // Only a crawl that is being stopped gets here without one, and that does not end by the counter.
    if (account === undefined) continue;
    share += account.share;
    pages += account.pages;
    held += account.heldPermits;
  }
  const { maxPages = Number.POSITIVE_INFINITY } = config;
  control.setCounts(share, pages, maxPages - pages - held);
  control.setRecount(0);
  for (const bell of bellsOf(memory).slice(0, memory.threads)) bell.ring();
}
