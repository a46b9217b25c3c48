/** The middle value; of an even number of values the higher one of the two in the middle. */
export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Median, least and most, rounded to so many digits behind the point. */
export function spread(values, digits = 3) {
  const round = (value) => Number(value.toFixed(digits));
  return {
    median: round(median(values)),
    least: round(Math.min(...values)),
    most: round(Math.max(...values)),
  };
}

/**
 * The middle of some values with its interval of 95 %, by ranks alone: nothing is assumed about how values are spread. With
 * fewer than six values there is no such interval, and it is everything from the least to the most.
 */
export function medianInterval(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const half = n >> 1;
  const middle = n % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  // How likely at most `rank` of n values lie below the median, each with a chance of one half.
  let below = 0;
  let chance = 0.5 ** n;
  let rank = 0;
  while (rank < half && below + chance <= 0.025) {
    below += chance;
    chance *= (n - rank) / (rank + 1);
    rank++;
  }
  const outer = Math.max(0, rank - 1);
  return { median: middle, from: sorted[outer], to: sorted[n - 1 - outer] };
}
