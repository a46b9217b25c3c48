import type { CounterRow } from "../../stats/counters.ts";
import { type Control, MODES } from "../shared-memory.ts";

/**
 * `--max-pages` as one thread sees it. Every visit holds a permit that becomes a page when it is committed and goes
 * back on any other outcome, so that the crawl ends at exactly N. A permit is taken last: held by a thread that has
 * nothing to fetch it would be missing elsewhere.
 */
export class PageLimit {
  readonly #maxPages: number | undefined;
  readonly #control: Control;
  readonly #counters: CounterRow;
  readonly #wakeAll: () => void;
  /** Permits taken and neither given back nor turned into a page. */
  held = 0;
  /** The last look found a URL to fetch and no permit. */
  wanted = false;

  constructor(
    maxPages: number | undefined,
    control: Control,
    counters: CounterRow,
    wakeAll: () => void,
  ) {
    this.#maxPages = maxPages;
    this.#control = control;
    this.#counters = counters;
    this.#wakeAll = wakeAll;
  }

  /** True when there is a limit at all. */
  get exists(): boolean {
    return this.#maxPages !== undefined;
  }

  /** Pages of this thread's shards that are committed, in this run and before. */
  get pages(): number {
    return this.#counters.get("pages");
  }

  /** True when a permit was wanted and there is one now. */
  get hasNews(): boolean {
    return this.wanted && this.#control.permits.left > 0;
  }

  /** A permit for one visit. */
  tryTake(): boolean {
    if (!this.exists) return true;
    if (this.#control.permits.tryTake()) {
      this.held++;
      return true;
    }
    this.wanted = true;
    return false;
  }

  /** Permits for at most so many visits. */
  takeUpTo(most: number): number {
    let taken = 0;
    while (taken < most && this.tryTake()) taken++;
    return taken;
  }

  /** The visit brought no page. */
  giveBack(): void {
    if (!this.exists) return;
    this.held--;
    this.#control.permits.giveBack();
    this.#wakeAll();
  }

  /** A page is committed; the last one ends the crawl. */
  committed(): void {
    this.#counters.add("pages");
    const pages = this.#control.pageCommitted();
    if (!this.exists) return;
    this.held--;
    if (pages !== this.#maxPages) return;
    this.#control.end("limit", MODES.drain);
    this.#wakeAll();
  }
}
