import type { CrawlConfig } from "../../config/schema.ts";
import type { CounterRow } from "../../stats/counters.ts";
import { mostLinksPerThread } from "../file-budget.ts";
import { AdaptiveLinks } from "./adaptive-links.ts";

/** What is told how many places there are. */
interface Places {
  setPlaces(places: number): void;
}

/** The places in flight of a thread: a fixed number, or as many as bring more pages. */
export class ThreadPlaces {
  /** Undefined where the number is fixed. */
  #pace: AdaptiveLinks | undefined;
  readonly #counters: CounterRow;
  readonly #told: readonly Places[];

  constructor(config: CrawlConfig, counters: CounterRow, told: readonly Places[]) {
    this.#counters = counters;
    this.#told = told;
    const { linksPerThread, adaptsLinks } = config;
    counters.set("places", linksPerThread);
    if (adaptsLinks) this.#pace = new AdaptiveLinks(linksPerThread, mostLinksPerThread(config));
  }

  /** Whoever gives a number wants that one from now on. */
  fix(places: number): void {
    this.#pace = undefined;
    this.#set(places);
  }

  /** A round has ended, with so many visits and failures so far; true when there are more or fewer places now. */
  adapt(nowMs: number, isFull: boolean, completed: number, failed: number): boolean {
    const pace = this.#pace;
    if (pace === undefined) return false;
    pace.round(isFull);
    if (!pace.isDue(nowMs)) return false;
    const { active, idle } = performance.eventLoopUtilization();
    const isChanged = pace.look({
      nowMs,
      completed,
      failed,
      waitedMs: this.#counters.get("networkWaitMs"),
      busyMs: active,
      idleMs: idle,
    });
    if (isChanged) this.#set(pace.links);
    return isChanged;
  }

  /** When a round is due although nothing has happened. */
  lookMs(nowMs: number): number {
    return this.#pace?.lookMs(nowMs) ?? Number.POSITIVE_INFINITY;
  }

  #set(places: number): void {
    this.#counters.set("places", places);
    for (const each of this.#told) each.setPlaces(places);
  }
}
