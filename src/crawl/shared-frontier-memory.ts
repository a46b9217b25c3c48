import type { CrawlConfig } from "../config/schema.ts";
import { visitedSetBytes } from "../frontier/shared/sets/open-set.ts";
import type { SetShape } from "../frontier/shared/sets/visited-set.ts";
import { createTechnique } from "../frontier/shared/techniques/open-technique.ts";
import type { QueueShape } from "../frontier/shared/techniques/record-queue.ts";
import { MAX_URL_LENGTH } from "../url/crawl-url.ts";
import type { SharedMemory } from "./shared-memory.ts";

/** A URL, its parent, a full redirect chain and the numbers around them. */
const SLOT_BYTES = 2 * MAX_URL_LENGTH + 256;
/**
 * URLs of a crawl on a shared frontier. The striped set keeps them as text, with three further strings each that a
 * crawl does not store: it holds four times as many, 524,288, in 1.1 GB of addresses, and then says that it is full.
 */
const MAX_URLS = { cas: 1 << 22, striped: 1 << 17 } as const;

/** True for the technique that is kept to show what goes wrong. */
export function losesUrls(config: CrawlConfig): boolean {
  return config.frontier === "shared" && config.sync === "unsynchronised";
}

/** The shape of the frontier that threads share; whoever makes and whoever opens it must agree. */
export function frontierShape(config: CrawlConfig): QueueShape {
  return { size: config.frontierSize, slotBytes: SLOT_BYTES };
}

/** The shape of a set of visited URLs that threads share. */
export function setShape(kind: "cas" | "striped", seedLow = 0, seedHigh = 0): SetShape {
  const maxUrls = MAX_URLS[kind];
  return { maxUrls, maxUrlBytes: MAX_URL_LENGTH, seedLow, seedHigh, mayBlock: false };
}

/** Makes the memory of a shared frontier. */
export function createSharedMemory(config: CrawlConfig): SharedMemory {
  const { sync, visited } = config;
  const setMemory = (kind: "cas" | "striped") =>
    new SharedArrayBuffer(visitedSetBytes(kind, setShape(kind)));
  return {
    frontier: createTechnique(sync, frontierShape(config)),
    visited: setMemory(visited),
    taken: losesUrls(config) ? setMemory("cas") : undefined,
  };
}
