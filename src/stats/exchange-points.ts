import { existsSync } from "node:fs";
import { parseJson } from "../store/files/jsonl.ts";
import { readLines } from "../store/files/read-file.ts";

/** What threads exchanged in some time. */
export interface ExchangeSums {
  readonly exchanges: number;
  /** Visits between exchanges. */
  readonly visits: number;
  readonly blocks: number;
  /** Updates of pages that had been taken already, from own shards and from foreign ones. */
  readonly lateOwn: number;
  readonly lateForeign: number;
}

/** A line of reports/exchanges.jsonl: what a thread added, and how it stood then. */
export interface ExchangeLine extends ExchangeSums {
  /** Since the run began. */
  readonly seconds: number;
  readonly thread: number;
  /** Pages ready to be taken, and the cash they are taken with. */
  readonly q: number;
  readonly pivot: number;
}

/** The exchanges of a crawl: by thread, with how each stood last, and over the time of crawling. */
export interface Exchanges {
  readonly threads: readonly (ExchangeSums & {
    readonly thread: number;
    readonly q: number;
    readonly pivot: number;
  })[];
  readonly points: readonly (ExchangeSums & { readonly seconds: number })[];
}

const SUMS = ["exchanges", "visits", "blocks", "lateOwn", "lateForeign"] as const;
type Sums = Record<(typeof SUMS)[number], number>;
/** More would not be told apart in a plot. */
const MAX_POINTS = 120;
const NOTHING: Sums = { exchanges: 0, visits: 0, blocks: 0, lateOwn: 0, lateForeign: 0 };

/** What is in a file of exchanges, of all runs one after the other; nothing where there is none. Memory does not grow with it. */
export function readExchanges(path: string): Exchanges {
  return existsSync(path) ? exchangesOf(readLines(path)) : { threads: [], points: [] };
}

/** The same of lines; those that are none, such as one that was cut, are left out. */
export function exchangesOf(lines: Iterable<string>): Exchanges {
  const threads = new Map<number, Sums & { thread: number; q: number; pivot: number }>();
  const points = new PointSums();
  let [before, earlierRuns] = [0, 0];
  for (const text of lines) {
    const line = exchangeLine(text);
    if (line === undefined) continue;
    // Seconds are those of a run: they go back where a crawl was resumed.
    if (line.seconds < before) earlierRuns += before;
    before = line.seconds;
    const sums = threads.get(line.thread) ?? { ...NOTHING, thread: line.thread, q: 0, pivot: 0 };
    add(sums, line);
    sums.q = line.q;
    sums.pivot = line.pivot;
    threads.set(line.thread, sums);
    points.add(earlierRuns + line.seconds, line);
  }
  return {
    threads: [...threads.values()].sort((a, b) => a.thread - b.thread),
    points: points.all(),
  };
}

/** Sums over intervals that become longer as time goes on, so that there are never many. */
class PointSums {
  #width = 0.25;
  #sums = new Map<number, Sums>();

  add(seconds: number, line: ExchangeSums): void {
    while (seconds / this.#width >= MAX_POINTS) this.#widen();
    add(this.#at(this.#sums, Math.floor(seconds / this.#width)), line);
  }

  all(): (ExchangeSums & { seconds: number })[] {
    return [...this.#sums]
      .sort(([a], [b]) => a - b)
      .map(([i, sums]) => ({ seconds: (i + 1) * this.#width, ...sums }));
  }

  #widen(): void {
    const wider = new Map<number, Sums>();
    for (const [i, sums] of this.#sums) add(this.#at(wider, Math.floor(i / 2)), sums);
    this.#sums = wider;
    this.#width *= 2;
  }

  #at(sums: Map<number, Sums>, i: number): Sums {
    const found = sums.get(i) ?? { ...NOTHING };
    sums.set(i, found);
    return found;
  }
}

function add(sums: Sums, line: ExchangeSums): void {
  for (const name of SUMS) sums[name] += line[name];
}

function exchangeLine(text: string): ExchangeLine | undefined {
  const line = parseJson(text) as ExchangeLine | null | undefined;
  const isWhole =
    typeof line === "object" &&
    line !== null &&
    ["seconds", "thread", "q", "pivot", ...SUMS].every((name) =>
      Number.isFinite(line[name as keyof ExchangeLine]),
    );
  return isWhole ? line : undefined;
}
