import { setImmediate } from "node:timers/promises";
import type { ShouldVisit } from "../../config/page-handler.ts";
import type { CrawlConfig } from "../../config/schema.ts";
import type { Discovery, Fact } from "../../frontier/frontier.ts";
import { readLines } from "../../store/files/read-file.ts";
import { crawlPaths, withParts } from "../../store/folder/crawl-folder.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { bellsOf, type Control, type CrawlMemory, MODES } from "../shared-memory.ts";
import { depthRulesOf } from "../visit/follower.ts";
import { widenedBy } from "../visit/learn-fact.ts";
import { openScope } from "../visit/open-scope.ts";
import { runSteps } from "../workers/replace-crawlers.ts";
import { threadOf } from "../workers/start-workers.ts";
import type { Workers } from "../workers/workers.ts";
import { SecondLook } from "./second-look.ts";

/** What deciding about the end needs. */
export interface ReleasedParts {
  readonly config: CrawlConfig;
  /** The user's hook. */
  readonly shouldVisit?: ShouldVisit | undefined;
  readonly out: string;
  readonly memory: CrawlMemory;
  readonly control: Control;
  readonly workers: () => Workers;
  /** A seed redirects there. */
  readonly onWidened: (url: CrawlUrl) => void;
  readonly onFault: (error: unknown) => void;
}

/**
 * Decides what happens when nothing is pending any more. That is the end, unless a thread has announced something that
 * has not arrived, or links that were refused are in scope by now.
 */
export class AllReleased {
  readonly #parts: ReleasedParts;
  readonly #look: SecondLook;
  /** Nothing is pending, but an announcement has not arrived. */
  #waitsForFacts = false;

  /** `widened` is where seeds of earlier runs redirect to. */
  constructor(parts: ReleasedParts, widened: readonly CrawlUrl[]) {
    const { config, shouldVisit } = parts;
    this.#parts = parts;
    const scope = openScope(config, config.seeds);
    this.#look = new SecondLook(scope, depthRulesOf(config), shouldVisit);
    for (const url of widened) this.#look.widen(url);
  }

  /** What the list of skipped links is judged by at the end; undefined when no line of it can have changed. */
  get judge(): SecondLook | undefined {
    return this.#look.hasLooked ? this.#look : undefined;
  }

  /** Visits, of this run or of one before, found out something. */
  learn(facts: readonly Fact[], areOfThisRun: boolean): void {
    for (const fact of facts) {
      const url = widenedBy(fact);
      if (url === undefined) continue;
      this.#look.widen(url);
      if (areOfThisRun) this.#parts.onWidened(url);
    }
    if (this.#waitsForFacts) this.note();
  }

  /** Nothing is pending: wakes the supervisor, which then calls `decide`. */
  note(): void {
    this.#parts.control.noteLast();
    bellsOf(this.#parts.memory).supervisor.ring();
  }

  /** Ends the crawl, or sees to it that it goes on. */
  decide(): void {
    const { control, onFault } = this.#parts;
    const workers = this.#parts.workers();
    // Something that keeps the crawl alive, a replacement or a look, has begun since: its end is told as well.
    if (control.mode !== MODES.run || control.pending.value > 0) return;
    // What the last visits found out may still be on its way.
    const next = this.#look.next(workers.hasAllFacts);
    this.#waitsForFacts = next === "wait";
    if (next === "end") control.end("finished", MODES.drain);
    if (next !== "look") return;
    workers.hold();
    this.#lookAgain(workers).then(() => workers.release(), onFault);
  }

  async #lookAgain(workers: Workers): Promise<void> {
    const { config, out, control } = this.#parts;
    const { skipped } = crawlPaths(out);
    const parts = {
      lines: function* () {
        for (const file of withParts(skipped)) yield* readLines(file);
      },
      threads: config.threads,
      threadOf: (url: CrawlUrl) => threadOf(url, config),
      admit: (thread: number, found: readonly Discovery[]) => workers.admit(thread, found),
      rest: () => setImmediate(),
    };
    while (control.mode === MODES.run && !(await runSteps(this.#look.run(parts))))
      await setImmediate();
  }
}
