import type { Outcome } from "../configuration.ts";
import { report } from "../scenario.ts";

/** A bounded buffer of numbers, as one thread sees it. */
export interface Buffered {
  readonly buffer: { insert(item: number): void; remove(): number };
}

/** Producers are the even threads. An item encodes its producer and its number, which `takenOnce` relies on. */
export function exchange({ buffer }: Buffered, thread: number, items: number): void {
  for (let item = 1; item <= items; item++) {
    if (thread % 2 === 0) buffer.insert(thread * 16 + item);
    else {
      const taken = buffer.remove();
      report(taken);
    }
  }
}

/** A sentence unless every item of every even thread was taken exactly once; item = thread * 16 + number. */
export function takenOnce(outcome: Outcome, items: number): string | undefined {
  const taken = outcome.reports.flat().sort((a, b) => a - b);
  const sent = outcome.reports.flatMap((_, thread) =>
    thread % 2 === 0 ? Array.from({ length: items }, (_, i) => thread * 16 + i + 1) : [],
  );
  if (taken.join() === sent.join()) return undefined;
  return `sent ${sent.join()}, taken ${taken.join()}`;
}
