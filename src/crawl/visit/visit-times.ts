import { COLUMNS, type CounterRow } from "../../stats/counters.ts";

/**
 * Counts the milliseconds of a thread's visits, for the summary. Reading, following and storing keep the thread busy;
 * fetching waits, many at a time, so its sum is far more than the time that passed.
 */
export class VisitTimes {
  readonly #row: Float64Array;
  /** Fetches that have no outcome yet, and all ends less all beginnings so far: together they tell how long all have waited. */
  #fetches = 0;
  #waitedMs = 0;

  constructor(counters: Pick<CounterRow, "row">) {
    this.#row = counters.row;
  }

  fetchBegins(): void {
    this.#fetches++;
    this.#waitedMs -= performance.now();
  }

  /** Returns the time: what happens at once is timed from the end of the stage before. */
  fetchEnded(): number {
    const nowMs = performance.now();
    this.#fetches--;
    this.#waitedMs += nowMs;
    this.#row[COLUMNS.networkWaitMs] = this.#waitedMs + this.#fetches * nowMs;
    return nowMs;
  }

  /** Counts what a stage has taken that began then; returns the time. */
  add(column: number, startMs: number): number {
    const nowMs = performance.now();
    this.#row[column]! += nowMs - startMs;
    return nowMs;
  }
}
