import type { Outcome } from "../configuration.ts";

/** A sentence unless every item of every even thread was taken exactly once; item = thread * 16 + number. */
export function takenOnce(outcome: Outcome, items: number): string | undefined {
  const taken = outcome.reports.flat().sort((a, b) => a - b);
  const sent = outcome.reports.flatMap((_, thread) =>
    thread % 2 === 0 ? Array.from({ length: items }, (_, i) => thread * 16 + i + 1) : [],
  );
  if (taken.join() === sent.join()) return undefined;
  return `sent ${sent.join()}, taken ${taken.join()}`;
}
