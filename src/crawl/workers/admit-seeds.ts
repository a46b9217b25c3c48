import type { Discovery } from "../../frontier/frontier.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Steps } from "./replace-crawlers.ts";

/** How added seeds reach their threads. */
export interface AdmitParts {
  readonly threadOf: (url: CrawlUrl) => number;
  /** Lets a thread admit URLs; yields nothing when it ended before they were durable. */
  readonly admit: (thread: number, found: readonly Discovery[]) => unknown;
  /** Lets others run. */
  readonly rest: () => unknown;
  /** False when the crawl ends. */
  readonly isRunning: () => boolean;
}

/** Seeds as their threads admit them. */
export function seedDiscoveries(urls: readonly CrawlUrl[]): Discovery[] {
  return urls.map((url) => ({
    url,
    parent: undefined,
    depth: 0,
    via: "seed",
    seed: true,
    chain: [],
  }));
}

/**
 * Has seeds admitted by the threads that own them, and again by the successor of one that died. The pending counter must
 * be held meanwhile. Returns the answers of the threads; undefined when the crawl ended before all were there.
 */
export function* admitSeeds(
  urls: readonly CrawlUrl[],
  { threadOf, admit, rest, isRunning }: AdmitParts,
): Steps<unknown[] | undefined> {
  const byThread = groupByThread(seedDiscoveries(urls), threadOf);
  const answers: unknown[] = [];
  for (const [thread, found] of byThread) {
    for (;;) {
      if (!isRunning()) return undefined;
      const answer = yield admit(thread, found);
      if (answer) {
        answers.push(answer);
        break;
      }
      yield rest();
    }
  }
  return answers;
}

function groupByThread(
  found: readonly Discovery[],
  threadOf: (url: CrawlUrl) => number,
): Map<number, Discovery[]> {
  const byThread = new Map<number, Discovery[]>();
  for (const one of found) {
    const thread = threadOf(one.url);
    const found = byThread.get(thread) ?? [];
    found.push(one);
    byThread.set(thread, found);
  }
  return byThread;
}
