import type { Bin } from "../../stats/plot/log-bins.ts";

/** How a number is distributed over pages or hosts. */
export interface Distribution {
  readonly mean: number;
  /** The middle value; of an even number of values the mean of the two in the middle. */
  readonly median: number;
  /** The smallest value that is not exceeded by 90 % of all. */
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  /** Bins whose edges grow by a factor of about 1.6; 0 has one of its own. Their counts add up to the number of values. */
  readonly histogram: readonly Bin[];
}

const PER_DECADE = 5;
const DECADES = 10;
const HALF = 1 << 16;
const LARGEST = 2 ** 32 - 1;

/** 0, 1, 2, 3, 4, 7, 10, 16, ...: whole, so that no bin is empty only because no whole number lies in it. */
const EDGES: readonly number[] = [
  0,
  ...new Set(
    Array.from({ length: PER_DECADE * DECADES + 1 }, (_, k) =>
      Math.ceil(10 ** (k / PER_DECADE) - 1e-9),
    ),
  ),
];

/**
 * Finds mean, exact quantiles and histogram of any number of whole numbers below 2^32 in constant memory. All values are
 * given twice, in any order: `add` counts them by their upper halves, `refine` the few of interest by their lower ones.
 */
export class DistributionCounter {
  readonly #scale: number;
  readonly #upper = new Float64Array(HALF);
  readonly #bins = new Float64Array(EDGES.length);
  /** Lower halves of the values in an upper half that holds a quantile. */
  readonly #lower = new Map<number, Float64Array>();
  #isRefining = false;
  #count = 0;
  #sum = 0;
  #max = 0;

  /** With a scale, results are so many times smaller than the values: shares are counted in parts of 10,000. */
  constructor(scale = 1) {
    this.#scale = scale;
  }

  /** Takes a value of the first pass; what is no such number counts as 0. */
  add(value: number): void {
    const whole = wholeOf(value);
    this.#count++;
    this.#sum += whole;
    if (whole > this.#max) this.#max = whole;
    this.#upper[Math.floor(whole / HALF)]!++;
    this.#bins[binOf(whole)]!++;
  }

  /** Takes the same value in the second pass. */
  refine(value: number): void {
    if (!this.#isRefining) this.#beginRefining();
    const whole = wholeOf(value);
    const lower = this.#lower.get(Math.floor(whole / HALF));
    if (lower !== undefined) lower[whole % HALF]!++;
  }

  /** The distribution, after both passes. */
  result(): Distribution {
    const n = this.#count;
    const at = (rank: number) => this.#valueAt(rank) / this.#scale;
    const nearest = (share: number) => at(Math.ceil(share * n) - 1);
    if (n === 0) return { mean: 0, median: 0, p90: 0, p99: 0, max: 0, histogram: [] };
    return {
      mean: this.#sum / n / this.#scale,
      median: (at(Math.floor((n - 1) / 2)) + at(Math.floor(n / 2))) / 2,
      p90: nearest(0.9),
      p99: nearest(0.99),
      max: this.#max / this.#scale,
      histogram: this.#histogram(),
    };
  }

  #beginRefining(): void {
    this.#isRefining = true;
    const n = this.#count;
    const ranks = [(n - 1) / 2, n / 2, Math.ceil(0.9 * n) - 1, Math.ceil(0.99 * n) - 1];
    for (const rank of ranks)
      this.#lower.set(this.#upperAt(Math.floor(rank)).upper, new Float64Array(HALF));
  }

  /** The upper half of the value with a rank, and how many values lie below all values with that half. */
  #upperAt(rank: number): { upper: number; below: number } {
    let below = 0;
    let upper = 0;
    for (; upper < HALF - 1 && below + this.#upper[upper]! <= rank; upper++)
      below += this.#upper[upper]!;
    return { upper, below };
  }

  #valueAt(rank: number): number {
    const { upper, below } = this.#upperAt(rank);
    const counts = this.#lower.get(upper)!;
    let left = rank - below;
    let lower = 0;
    for (; lower < HALF - 1 && left >= counts[lower]!; lower++) left -= counts[lower]!;
    return upper * HALF + lower;
  }

  /** From the first bin that holds anything to the last. */
  #histogram(): Bin[] {
    const used = (count: number) => count > 0;
    const first = Math.max(
      1,
      this.#bins.findIndex((count, i) => i > 0 && used(count)),
    );
    const last = this.#bins.findLastIndex(used);
    const bins: Bin[] = [];
    for (let i = 0; i <= last; i++)
      if (i === 0 ? used(this.#bins[0]!) : i >= first)
        bins.push({
          from: EDGES[i]! / this.#scale,
          to: (EDGES[i + 1] ?? LARGEST + 1) / this.#scale,
          count: this.#bins[i]!,
        });
    return bins;
  }
}

function wholeOf(value: number): number {
  return value > 0 ? Math.min(LARGEST, Math.floor(value)) : 0;
}

function binOf(value: number): number {
  let low = 0;
  for (let high = EDGES.length; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (EDGES[middle]! <= value) low = middle;
    else high = middle;
  }
  return low;
}

/** The distribution of numbers that can be gone through twice. */
export function distributionOf(values: Iterable<number> & object): Distribution {
  const counter = new DistributionCounter();
  const all = [...values];
  for (const value of all) counter.add(value);
  for (const value of all) counter.refine(value);
  return counter.result();
}
