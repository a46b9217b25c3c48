/**
 * Amdahl's law, S(T) = 1 / (1 - p + p / T), fitted to measured speed-ups: the share p of the work that runs in parallel.
 * The error is linear in 1/S, so the least squares have a closed form.
 */
export function amdahlShare(
  points: readonly { readonly threads: number; readonly speedUp: number }[],
): number {
  let above = 0;
  let below = 0;
  for (const { threads, speedUp } of points) {
    if (threads <= 1 || speedUp <= 0) continue;
    const gain = 1 - 1 / threads;
    above += gain * (1 - 1 / speedUp);
    below += gain * gain;
  }
  return below === 0 ? 0 : Math.min(1, Math.max(0, above / below));
}
