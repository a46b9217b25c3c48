import type { ShouldVisit } from "../../config/page-handler.ts";
import type { Discovery } from "../../frontier/frontier.ts";
import type { Via } from "../../frontier/via.ts";
import { jsonLine, parseJson } from "../../store/files/jsonl.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Scope } from "../../url/scope.ts";
import { type DepthRules, depthRefusal, type Skipped } from "../visit/follower.ts";
import type { Steps } from "../workers/replace-crawlers.ts";

/** Links that are sent to a thread at once. */
const MAX_SENT = 500;
/** Lines between two rests, in which the event loop goes on. */
const LINES_PER_REST = 2_000;
const OUT_OF_SCOPE = "out_of_scope";

/** A line as older versions wrote it has no depth and no via. */
type SkippedLine = Omit<Skipped, "depth" | "via"> & { depth?: number; via?: Via };

/** What is to be done when nothing is pending: wait for an announcement, look again, or end the crawl. */
export type NextStep = "wait" | "look" | "end";

/** How a second look reaches the list and the threads. */
export interface LookParts {
  /** The lines of reports/skipped.jsonl, all parts of it. */
  readonly lines: () => Iterable<string>;
  readonly threads: number;
  /** The thread that admits a URL. */
  readonly threadOf: (url: CrawlUrl) => number;
  /** Lets a thread admit links; yields false when it ended before they were durable. */
  readonly admit: (thread: number, found: readonly Discovery[]) => unknown;
  /** Lets others run. */
  readonly rest: () => unknown;
}

/**
 * The scope grows when a seed redirects, and links that were refused before may belong to it. They stand in
 * reports/skipped.jsonl; so when nothing is pending any more, that list is gone through once for each time that the scope
 * has grown meanwhile, and what is in scope now is admitted like any other link. The target of a redirect that was
 * refused is admitted when a seed turns out to lead there. So what a crawl visits does not depend on the order.
 */
export class SecondLook {
  readonly #scope: Scope;
  readonly #depths: DepthRules;
  readonly #shouldVisit: ShouldVisit | undefined;
  /** Where seeds redirect to. */
  readonly #targets = new Set<string>();
  #looked = 0;

  constructor(scope: Scope, depths: DepthRules, shouldVisit?: ShouldVisit) {
    this.#scope = scope;
    this.#depths = depths;
    this.#shouldVisit = shouldVisit;
  }

  /** A seed redirects there. */
  widen(url: CrawlUrl): void {
    this.#scope.addSeed(url);
    this.#targets.add(url);
  }

  /** Nothing is pending: what now? `hasAllFacts` is false while a thread has announced something that has not arrived. */
  next(hasAllFacts: boolean): NextStep {
    if (!hasAllFacts) return "wait";
    return this.#targets.size > this.#looked ? "look" : "end";
  }

  /** Whether the list may hold links that were admitted after all. */
  get hasLooked(): boolean {
    return this.#looked > 0;
  }

  /** Goes through the list; false when a thread died meanwhile, so that it has to be done again. */
  *run({ lines, threads, threadOf, admit, rest }: LookParts): Steps<boolean> {
    const targets = this.#targets.size;
    const waiting = Array.from({ length: threads }, (): Discovery[] => []);
    let read = 0;
    for (const line of lines()) {
      if (++read % LINES_PER_REST === 0) yield rest();
      const found = this.judge(line);
      if (typeof found === "string") continue;
      const thread = threadOf(found.url);
      if (waiting[thread]!.push(found) < MAX_SENT) continue;
      if (!(yield admit(thread, waiting[thread]!.splice(0)))) return false;
    }
    for (const [thread, found] of waiting.entries())
      if (found.length > 0 && !(yield admit(thread, found))) return false;
    this.#looked = targets;
    return true;
  }

  /** What a line says now: a link to visit, or the line as it is to stay. */
  judge(line: string): Discovery | string {
    if (!line.includes(OUT_OF_SCOPE)) return line;
    const skipped = parseJson(line) as SkippedLine | undefined;
    if (skipped?.reason !== OUT_OF_SCOPE) return line;
    const { parent, depth = this.#leastDepth, via = "link" } = skipped;
    const url = skipped.url as CrawlUrl;
    const seed = via === "redirect" && this.#targets.has(parent);
    if (!seed && this.#scope.refusal(url) !== undefined) return line;
    const reason = depthRefusal(this.#depths, { url, depth, via });
    if (reason !== undefined) return jsonLine({ ...skipped, reason });
    if (this.#shouldVisit?.(url, depth) === false)
      return jsonLine({ ...skipped, reason: "should_visit" });
    return { url, parent, depth, via, seed, chain: [] };
  }

  /** For a line without a depth: as a link of a seed, unless the depth would matter. */
  get #leastDepth(): number {
    const { maxDepth, maxDepthDynamic } = this.#depths;
    return Math.min(maxDepth, maxDepthDynamic) === Number.POSITIVE_INFINITY
      ? 1
      : Number.POSITIVE_INFINITY;
  }
}
