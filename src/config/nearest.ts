/** The allowed word that was probably meant, or undefined when none is close. */
export function nearest(word: string, allowed: readonly string[]): string | undefined {
  const typed = fold(word);
  let best: string | undefined;
  // One error per three characters: "thread" finds "threads", "foo" finds nothing.
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const candidate of allowed) {
    const distance = editDistance(typed, fold(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

// maxPages, max-pages and max_pages count as the same word.
function fold(word: string): string {
  return word.replace(/[-_]/g, "").toLowerCase();
}

/** Optimal string alignment: insert, delete, replace, swap neighbours. Stops early at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = above;
    above = row;
  }
  return above[b.length]!;
}
