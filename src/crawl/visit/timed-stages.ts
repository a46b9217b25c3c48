import type { FetchOutcome, FinalOutcome } from "../../fetch/outcome.ts";
import type { Receiver } from "../../fetch/receiver.ts";
import type { Response } from "../../fetch/transport.ts";
import type { Lease } from "../../frontier/frontier.ts";
import type { CounterRow } from "../../stats/counters.ts";
import type { Handled } from "./handle-page.ts";
import type { ReadPage } from "./read-page.ts";
import type { Next, Stages } from "./visit.ts";
import type { OutcomeLine } from "./visit-outcome.ts";

/** What happens at once is timed from the end of the stage before; where something else came in between, the clock is read. */
const UNKNOWN = Number.NaN;

/**
 * Stages that count their milliseconds, for the summary. Reading, following and storing keep the thread busy; fetching waits,
 * many at a time, so its sum is far more than the time that passed.
 */
export class TimedStages implements Stages {
  readonly #stages: Stages;
  readonly #counters: CounterRow;
  /** Fetches that have no outcome yet, and all ends less all beginnings so far: together they tell how long all have waited. */
  #fetches = 0;
  #waitedMs = 0;
  /** When the last stage of the visit that goes on now has ended. */
  #sinceMs = UNKNOWN;
  readonly requestEnded: Stages["requestEnded"];
  readonly triesAgain: Stages["triesAgain"];
  readonly log: Stages["log"];
  readonly commit: Stages["commit"];

  constructor(stages: Stages, counters: CounterRow) {
    this.#stages = stages;
    this.#counters = counters;
    this.requestEnded = (lease) => stages.requestEnded(lease);
    this.triesAgain = (lease, response, fault) => stages.triesAgain(lease, response, fault);
    this.log = (line) => stages.log(line);
    this.commit = (lease, end) => {
      this.#sinceMs = UNKNOWN;
      stages.commit(lease, end);
    };
  }

  fetch(lease: Lease, receiver: Receiver<FetchOutcome>): FetchOutcome | undefined {
    this.#fetches++;
    this.#waitedMs -= performance.now();
    return this.#stages.fetch(lease, receiver);
  }

  orTryLater(lease: Lease, outcome: FetchOutcome): FinalOutcome | undefined {
    const nowMs = performance.now();
    this.#fetches--;
    this.#waitedMs += nowMs;
    this.#counters.set("networkWaitMs", this.#waitedMs + this.#fetches * nowMs);
    this.#sinceMs = nowMs;
    return this.#stages.orTryLater(lease, outcome);
  }

  read(lease: Lease, response: Response): ReadPage | Promise<ReadPage> {
    const page = this.#stages.read(lease, response);
    this.#count("readMs", this.#sinceMs);
    if (page instanceof Promise) this.#sinceMs = UNKNOWN;
    return page;
  }

  handle(lease: Lease, response: Response, page: ReadPage): Handled | Promise<Handled> {
    const handled = this.#stages.handle(lease, response, page);
    if (handled !== page) this.#sinceMs = UNKNOWN;
    return handled;
  }

  follow(lease: Lease, response: Response, page: ReadPage): Next {
    const startMs = this.#startMs();
    const next = this.#stages.follow(lease, response, page);
    this.#count("followMs", startMs);
    return next;
  }

  store(line: OutcomeLine, lease: Lease, response: Response, page: ReadPage): number {
    const startMs = this.#startMs();
    const record = this.#stages.store(line, lease, response, page);
    this.#count("storeMs", startMs);
    return record;
  }

  #startMs(): number {
    return Number.isNaN(this.#sinceMs) ? performance.now() : this.#sinceMs;
  }

  #count(name: "readMs" | "followMs" | "storeMs", startMs: number): void {
    this.#sinceMs = performance.now();
    this.#counters.add(name, this.#sinceMs - startMs);
  }
}
