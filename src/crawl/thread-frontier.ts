import type { CrawlConfig } from "../config/schema.ts";
import { Exchange } from "../frontier/exchange.ts";
import type { ThreadFrontier } from "../frontier/frontier.ts";
import { openVisitedSet, visitedSetBytes } from "../frontier/sets/open-set.ts";
import type { SetShape } from "../frontier/sets/visited-set.ts";
import { ShardedFrontier } from "../frontier/sharded.ts";
import { SharedFrontier } from "../frontier/shared.ts";
import type { FrontierShape } from "../frontier/strategies/fixed-frontier.ts";
import { createFrontier, openFrontier } from "../frontier/strategies/open-frontier.ts";
import type { CounterRow } from "../stats/counters.ts";
import type { Doorbell } from "../sync/doorbell.ts";
import { MAX_URL_LENGTH } from "../url/crawl-url.ts";
import type { CrawlerRules } from "./crawler-rules.ts";
import { type Control, inboxesOf, MODES, type SharedMemory } from "./shared-memory.ts";

/** A URL, its parent, a full redirect chain and the numbers around them. */
const SLOT_BYTES = 2 * MAX_URL_LENGTH + 256;
/** Most URLs of a crawl on a shared frontier; the striped set keeps them as text. */
const MAX_URLS = { cas: 1 << 22, striped: 1 << 17 } as const;

/** True for the technique that is kept to show what goes wrong. */
export function losesUrls(config: CrawlConfig): boolean {
  return config.frontier === "shared" && config.sync === "unsynchronised";
}

function frontierShape(config: CrawlConfig): FrontierShape {
  return { size: config.frontierSize, slotBytes: SLOT_BYTES };
}

function setShape(kind: "cas" | "striped", seedLow = 0, seedHigh = 0): SetShape {
  const maxUrls = MAX_URLS[kind];
  return { maxUrls, maxUrlBytes: MAX_URL_LENGTH, seedLow, seedHigh, mayBlock: false };
}

/** Makes the memory of a shared frontier. */
export function createSharedMemory(config: CrawlConfig): SharedMemory {
  const { sync, visited } = config;
  const setMemory = (kind: "cas" | "striped") =>
    new SharedArrayBuffer(visitedSetBytes(kind, setShape(kind)));
  return {
    frontier: createFrontier(sync, frontierShape(config)),
    visited: setMemory(visited),
    taken: losesUrls(config) ? setMemory("cas") : undefined,
  };
}

/** Opens the frontier that the configuration asks for, as one thread sees it. */
export function openThreadFrontier(
  rules: CrawlerRules,
  control: Control,
  bells: readonly Doorbell[],
  counters: CounterRow,
): ThreadFrontier {
  const { thread, config, memory, seedLow, seedHigh } = rules;
  const supervisor = bells.at(-2)!;
  const crawlers = bells.slice(0, memory.threads);
  const onLast = () => {
    control.end("finished", MODES.drain);
    supervisor.ring();
  };
  if (memory.shared === undefined) {
    const exchange = new Exchange(thread, {
      inboxes: inboxesOf(memory, thread),
      bells: crawlers,
      wantsSpace: new Int32Array(memory.wantsSpace),
    });
    return new ShardedFrontier({
      thread,
      threads: memory.threads,
      shards: config.shards,
      rules: { ...config, seedLow, seedHigh },
      pending: control.pending,
      exchange,
      onLast,
    });
  }
  const { frontier, visited, taken } = memory.shared;
  const owner = thread + 1;
  const openSet = (kind: "cas" | "striped", buffer: SharedArrayBuffer) =>
    openVisitedSet(kind, buffer, setShape(kind, seedLow, seedHigh), owner);
  return new SharedFrontier({
    frontier: openFrontier(config.sync, frontier, frontierShape(config), owner),
    visited: openSet(config.visited, visited),
    taken: taken === undefined ? undefined : openSet("cas", taken),
    pending: control.pending,
    delayMs: config.delayMs,
    dedup: config,
    maxHeld: config.linksPerThread,
    seedLow,
    seedHigh,
    onLast: losesUrls(config) ? () => {} : onLast,
    wakeOthers: () => {
      for (let other = 0; other < crawlers.length; other++)
        if (other !== thread) crawlers[other]!.ring();
    },
    onTaken: (again) => {
      counters.add("taken");
      if (again) counters.add("takenTwice");
    },
    countsFrontier: thread === 0,
  });
}
