/** A bin of a histogram: from (inclusive) to (exclusive). */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** What is smaller counts as 0: some hundred bins are enough. */
const LEAST = 1e-12;

/**
 * Bins whose edges grow by the same factor, `perDecade` of them for a factor of 10. Zeroes have a bin of their own, from
 * 0 to the first edge. Edges of whole numbers are whole, so that no bin is empty only because no number lies in it.
 */
export function logBins(values: Iterable<number>, perDecade = 5): Bin[] {
  const counts = new Map<number, number>();
  let isWhole = true;
  let zeroes = 0;
  for (const value of values) {
    if (!(value >= LEAST)) {
      zeroes++;
      continue;
    }
    isWhole &&= Number.isInteger(value);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a], [b]) => a - b);
  const edge = (k: number) => {
    const exact = 10 ** (k / perDecade);
    return isWhole ? Math.ceil(exact - 1e-9) : exact;
  };
  const bins: Bin[] = [];
  if (sorted.length > 0) {
    let k = Math.floor(Math.log10(sorted[0]![0]) * perDecade + 1e-9);
    while (edge(k) > sorted[0]![0]) k--; // rounding
    let at = 0;
    for (; at < sorted.length; k++) {
      const [from, to] = [edge(k), edge(k + 1)];
      if (from === to) continue;
      let count = 0;
      for (; at < sorted.length && sorted[at]![0] < to; at++) count += sorted[at]![1];
      bins.push({ from, to, count });
    }
  }
  return zeroes === 0 ? bins : [{ from: 0, to: bins[0]?.from ?? 1, count: zeroes }, ...bins];
}
