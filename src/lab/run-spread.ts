/** Several runs in a few numbers. */
export interface Spread {
  readonly mean: number;
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** Standard deviation of the sample; 0 for a single run. */
  readonly deviation: number;
}

/** Mean, median, least, most and deviation of at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  const squares = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    mean,
    median: quantile(sorted, 0.5),
    low: sorted[0]!,
    high: sorted.at(-1)!,
    deviation: Math.sqrt(squares / Math.max(1, sorted.length - 1)),
  };
}

/** The value below which this share of sorted values lies (nearest rank). */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const at = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  return sorted[at]!;
}

/** So many digits behind the point, as a number. */
export function rounded(value: number, digits = 3): number {
  return Number(value.toFixed(digits));
}

/** 0.0123 as "1.2 %". */
export function percentText(share: number, digits = 1): string {
  return `${rounded(100 * share, digits)} %`;
}
