import type { FetchOutcome, FinalOutcome } from "../../fetch/outcome.ts";
import type { Response } from "../../fetch/transport.ts";
import type { Lease } from "../../frontier/frontier.ts";
import type { CounterRow } from "../../stats/counters.ts";
import type { ReadPage } from "./read-page.ts";
import type { Next, Stages } from "./visit.ts";
import type { OutcomeLine } from "./visit-outcome.ts";

/**
 * Stages that count their milliseconds, for the summary. Reading, following and storing keep the thread busy; fetching waits,
 * many at a time, so its sum is far more than the time that passed.
 */
export class TimedStages implements Stages {
  readonly #stages: Stages;
  readonly #counters: CounterRow;
  /** When fetches began that have no outcome yet. */
  readonly #fetches = new Map<Lease, number>();
  readonly requestEnded: Stages["requestEnded"];
  readonly handle: Stages["handle"];
  readonly triesAgain: Stages["triesAgain"];
  readonly log: Stages["log"];
  readonly commit: Stages["commit"];

  constructor(stages: Stages, counters: CounterRow) {
    this.#stages = stages;
    this.#counters = counters;
    this.requestEnded = (lease) => stages.requestEnded(lease);
    this.handle = (lease, response, page) => stages.handle(lease, response, page);
    this.triesAgain = (lease, response, fault) => stages.triesAgain(lease, response, fault);
    this.log = (line) => stages.log(line);
    this.commit = (lease, end) => stages.commit(lease, end);
  }

  fetch(lease: Lease): FetchOutcome | Promise<FetchOutcome> {
    const start = performance.now();
    const outcome = this.#stages.fetch(lease);
    // Another promise around this one would cost as much as a stage.
    if (outcome instanceof Promise) this.#fetches.set(lease, start);
    return outcome;
  }

  orTryLater(lease: Lease, outcome: FetchOutcome): FinalOutcome | undefined {
    const start = this.#fetches.get(lease);
    if (start !== undefined) {
      this.#fetches.delete(lease);
      this.#counters.add("networkWaitMs", performance.now() - start);
    }
    return this.#stages.orTryLater(lease, outcome);
  }

  read(lease: Lease, response: Response): ReadPage | Promise<ReadPage> {
    const start = performance.now();
    const page = this.#stages.read(lease, response);
    this.#counters.add("readMs", performance.now() - start);
    return page;
  }

  follow(lease: Lease, response: Response, page: ReadPage): Next {
    const start = performance.now();
    const next = this.#stages.follow(lease, response, page);
    this.#counters.add("followMs", performance.now() - start);
    return next;
  }

  store(line: OutcomeLine, lease: Lease, response: Response, page: ReadPage): number {
    const start = performance.now();
    const record = this.#stages.store(line, lease, response, page);
    this.#counters.add("storeMs", performance.now() - start);
    return record;
  }
}
