import { OUTCOME, OUTCOMES } from "../../finish.ts";
import { EVENT, EventBatch } from "../../journal/event-batch.ts";
import { decodeDone, decodeFact, EventCursor } from "../../journal/event-cursor.ts";
import { type JournalEnd, readJournal, repairTail } from "../../journal/journal-reader.ts";
import type { JournalPort } from "../../journal-port.ts";
import type { EndedVisit } from "../engine-commits.ts";
import type { DoubtLog, SentBlock } from "./doubt-log.ts";
import { lateIn, lateKey, writeLate } from "./late-ends.ts";

/** What becomes of the ends of a worker's visits, on its own disk. */
export interface WorkerEnds {
  /** Calls back when they, and the records that they name, are durable. */
  stored(visits: readonly EndedVisit[], onDurable: () => void): void;
  /** A block of them is about to leave. */
  sending(block: SentBlock, visits: readonly EndedVisit[]): void;
  /** The engine has accepted them, or not. */
  decided(visits: readonly EndedVisit[], isAccepted: boolean): void;
}

/**
 * The journal of one thread of a worker: which visits it made. What it names is in the lists of the folder, unless the
 * engine did not accept it, which is journaled as well; a page belongs to the worker whose end the engine has accepted, and
 * to no other.
 */
export class EndJournal implements WorkerEnds {
  readonly #port: Pick<JournalPort, "write">;
  readonly #shard: number;
  readonly #doubts: DoubtLog;
  readonly #batch = new EventBatch();

  constructor(port: Pick<JournalPort, "write">, shard: number, doubts: DoubtLog) {
    this.#port = port;
    this.#shard = shard;
    this.#doubts = doubts;
  }

  stored(visits: readonly EndedVisit[], onDurable: () => void): void {
    this.#doubts.ended(visits.map(({ lease }) => lease));
    for (const { lease, end } of visits) {
      const { record, outcome } = end!;
      // The builder puts the place of the record here once it has written it.
      const where =
        typeof record === "number" ? { file: "", offset: 0, length: record + 1 } : record;
      this.#batch.done(lease.low, lease.high, outcome, where);
    }
    this.#port.write(this.#shard, this.#batch.take(), onDurable);
  }

  sending(block: SentBlock, visits: readonly EndedVisit[]): void {
    this.#doubts.sending(block, leasesOf(visits));
  }

  decided(visits: readonly EndedVisit[], isAccepted: boolean): void {
    const leases = leasesOf(visits);
    if (leases.length === 0) return;
    if (isAccepted) {
      this.#doubts.decided(leases);
      return;
    }
    writeLate(this.#batch, leases);
    this.#port.write(this.#shard, this.#batch.take(), () => this.#doubts.decided(leases));
  }
}

/** Those that were visited, not given up. */
function leasesOf(visits: readonly EndedVisit[]) {
  return visits.filter(({ end }) => end !== undefined).map(({ lease }) => lease);
}

/** What the journal of a thread holds. */
export interface ReadEnds {
  readonly end: JournalEnd;
  /** How many visits that count ended with each outcome. */
  readonly outcomes: Float64Array;
  /** Ends of a URL less those that were taken back: above 0 when its visit counts. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Reads the journal of a thread; a torn tail is cut off. */
export function readEnds(folder: string, shard: number): ReadEnds {
  const counts = new Map<string, number>();
  const lastOutcome = new Map<string, number>();
  const outcomes = new Float64Array(OUTCOMES);
  const cursor = new EventCursor();
  const reader = readJournal({ folder, shard });
  let step = reader.next();
  for (; !step.done; step = reader.next()) {
    cursor.open(step.value);
    while (cursor.next()) {
      if (cursor.kind === EVENT.done) {
        const { low, high, outcome } = decodeDone(cursor);
        const key = lateKey(low, high);
        counts.set(key, (counts.get(key) ?? 0) + 1);
        lastOutcome.set(key, outcome);
        outcomes[outcome]!++;
      } else if (cursor.kind === EVENT.extension)
        for (const key of lateIn(decodeFact(cursor))) {
          counts.set(key, (counts.get(key) ?? 0) - 1);
          outcomes[lastOutcome.get(key) ?? OUTCOME.failed]!--;
        }
    }
  }
  return { end: repairTail(step.value, folder), outcomes, counts };
}
