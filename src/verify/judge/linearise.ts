import type { Invocation, Specification } from "../configuration.ts";
import { KIND } from "../operations.ts";

interface Interval extends Invocation {
  readonly begin: number;
  readonly end: number;
}

/** Is there an order of the operations, in which none comes before one that ended before it began, that gives these results? (Wing and Gong 1993) */
export function explains(
  specification: Specification,
  entries: readonly (readonly number[])[],
): boolean {
  const intervals = pairUp(entries);
  const failed = new Set<string>();
  const search = (done: number, state: string): boolean => {
    if (done === 2 ** intervals.length - 1) return true;
    const key = `${done}|${state}`;
    if (failed.has(key)) return false;
    let earliestEnd = Number.POSITIVE_INFINITY;
    intervals.forEach((interval, i) => {
      if ((done & (1 << i)) === 0) earliestEnd = Math.min(earliestEnd, interval.end);
    });
    for (let i = 0; i < intervals.length; i++) {
      const interval = intervals[i]!;
      // Only an operation that began before every remaining one ended can come next.
      if ((done & (1 << i)) !== 0 || interval.begin > earliestEnd) continue;
      const next = specification.apply(state, interval);
      if (next !== undefined && search(done | (1 << i), next)) return true;
    }
    failed.add(key);
    return false;
  };
  return search(0, specification.initial);
}

function pairUp(entries: readonly (readonly number[])[]): Interval[] {
  const intervals: Interval[] = [];
  const open = new Map<number, { at: number; operation: number; argument: number }>();
  entries.forEach(([thread, kind, a, b], at) => {
    if (kind === KIND.invoke) {
      open.set(thread!, { at, operation: a!, argument: b! });
      return;
    }
    const { at: begin, operation, argument } = open.get(thread!)!;
    intervals.push({ thread: thread!, operation, argument, result: a!, begin, end: at });
  });
  return intervals;
}
