/** What every crawler thread counts, in the order of the row. */
export const COUNTERS = [
  "pages",
  "failed",
  "refused",
  "redirects",
  "unavailable",
  "bytes",
  "known",
  "queued",
  "hostsWaiting",
  "inFlight",
  "maxInFlight",
  "places",
  "hopeful",
  "uncommitted",
  "congested",
  "handedOver",
  "foreignBlocks",
  "taken",
  "takenTwice",
  "retries",
  "skipped",
  "linksDropped",
  "debugDropped",
  "robotsFetched",
  "sitemaps",
  "unchanged",
  "trapped",
  "lateOwn",
  "lateForeign",
  "nextUrls",
  "maxNextUrls",
  "exchanges",
  "exchangeVisits",
  "pivot",
  "networkWaitMs",
  "readMs",
  "followMs",
  "storeMs",
  "commitMs",
] as const;

/** Name of a counter. */
export type CounterName = (typeof COUNTERS)[number];

/** Sums of all rows. */
export type Totals = Record<CounterName, number>;

/** Bytes of shared memory for the rows of `threads` threads. */
export function counterBytes(threads: number): number {
  return threads * COUNTERS.length * 8;
}

/** Where each counter stands in a row. */
export const COLUMNS: Readonly<Record<CounterName, number>> = Object.fromEntries(
  COUNTERS.map((name, i) => [name, i]),
) as Totals;

/** One thread's row: only that thread writes it. */
export class CounterRow {
  /** By `COLUMNS`: for what is counted with every page a call would cost more than the addition. */
  readonly row: Float64Array;

  constructor(memory: SharedArrayBuffer, thread: number) {
    const bytes = COUNTERS.length * 8;
    this.row = new Float64Array(memory, thread * bytes, COUNTERS.length);
  }

  add(name: CounterName, amount = 1): void {
    this.row[COLUMNS[name]]! += amount;
  }

  set(name: CounterName, value: number): void {
    this.row[COLUMNS[name]] = value;
  }

  get(name: CounterName): number {
    return this.row[COLUMNS[name]]!;
  }
}

/** How URLs end: every one that has ended is counted in one of these. */
export const ENDINGS = [
  "pages",
  "redirects",
  "failed",
  "refused",
  "sitemaps",
  "unchanged",
] as const;

/** How many URLs have ended. */
export function endedIn(count: (name: (typeof ENDINGS)[number]) => number): number {
  return ENDINGS.reduce((sum, name) => sum + count(name), 0);
}

const NO_TOTALS = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Totals;

/** Sums up all rows. */
export function totals(memory: SharedArrayBuffer): Totals {
  const all = new Float64Array(memory);
  const sums: Totals = { ...NO_TOTALS };
  for (let i = 0; i < all.length; i++) sums[COUNTERS[i % COUNTERS.length]!] += all[i]!;
  return sums;
}
