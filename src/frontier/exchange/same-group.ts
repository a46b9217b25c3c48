import type { Discovery } from "../discovery.ts";

/** Whether two links were found in the same way on the same page: then what they have in common is written once. */
export function isSameGroup(a: Discovery, b: Discovery): boolean {
  return (
    a.parent === b.parent &&
    a.depth === b.depth &&
    a.via === b.via &&
    a.seed === b.seed &&
    (a.chain === b.chain || (a.chain.length === 0 && b.chain.length === 0))
  );
}
