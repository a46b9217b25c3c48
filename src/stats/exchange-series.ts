import { DiskFullError } from "../errors.ts";
import { JsonlFile } from "../store/files/jsonl.ts";
import { CounterRow } from "./counters.ts";

/** Counters that are told as what was added since the last line. */
const ADDED = ["exchanges", "exchangeVisits", "foreignBlocks", "lateOwn", "lateForeign"] as const;
type Added = (typeof ADDED)[number];

/**
 * Writes reports/exchanges.jsonl: a line for every crawler thread that has exchanged with others since the supervisor
 * last looked, with what was added since: exchanges, visits in them, blocks sent, updates that came too late (of own
 * shards and of foreign ones); and as of now Q, pages ready to be taken, and the pivot, the cash that pages are taken
 * with. The lines of a thread add up to the run.
 */
export class ExchangeSeries {
  readonly #writer: JsonlFile;
  readonly #memory: SharedArrayBuffer;
  readonly #startMs: number;
  readonly #before: Record<Added, number>[];
  #isLast = false;

  constructor(path: string, memory: SharedArrayBuffer, threads: number, nowMs: number) {
    this.#writer = new JsonlFile(path);
    this.#memory = memory;
    this.#startMs = nowMs;
    this.#before = Array.from({ length: threads }, () => valuesOf(() => 0));
  }

  /** Looks at all threads. On a full disk the lines wait. */
  tick(nowMs: number): void {
    this.#look(nowMs, false);
    try {
      this.#writer.flush();
    } catch (fault) {
      if (!(fault instanceof DiskFullError)) throw fault;
    }
  }

  /** Writes the last lines and closes the file; may be repeated after a DiskFullError. */
  close(nowMs: number): void {
    if (!this.#isLast) this.#look(nowMs, true);
    this.#isLast = true;
    this.#writer.close();
  }

  /** Closes the file as it is; does nothing after `close`. */
  abandon(): void {
    this.#writer.abandon();
  }

  #look(nowMs: number, isLast: boolean): void {
    for (let thread = 0; thread < this.#before.length; thread++) {
      const row = new CounterRow(this.#memory, thread);
      const now = valuesOf((name) => row.get(name));
      const before = this.#before[thread]!;
      const isSame =
        now.exchanges === before.exchanges && now.foreignBlocks === before.foreignBlocks;
      // A thread that begins counts what earlier runs were late with: that is no part of this one.
      if (now.exchanges + now.foreignBlocks === 0) this.#before[thread] = now;
      else if (!isSame || (isLast && ADDED.some((name) => now[name] !== before[name]))) {
        this.#before[thread] = now;
        const added = valuesOf((name) => Math.max(0, now[name] - before[name]));
        this.#writer.write({
          seconds: Math.round(nowMs - this.#startMs) / 1000,
          thread,
          exchanges: added.exchanges,
          visits: added.exchangeVisits,
          blocks: added.foreignBlocks,
          lateOwn: added.lateOwn,
          lateForeign: added.lateForeign,
          q: row.get("nextUrls"),
          pivot: row.get("pivot"),
        });
      }
    }
  }
}

function valuesOf(of: (name: Added) => number): Record<Added, number> {
  return Object.fromEntries(ADDED.map((name) => [name, of(name)])) as Record<Added, number>;
}
