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
