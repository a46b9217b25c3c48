import { Keys } from "../../../src/frontier/queue/keys.ts";

/*
 * Figures 1, 2 and 5 of seed 002 as they are printed, with the least that makes them run. Each is wrong, and they are
 * kept so that tests can show it: what the printed version does with an input, and what ours does.
 */

/** The n-th greatest value: the paper's SELECT. */
const select = (keys: readonly number[], n: number) => keys.toSorted((a, b) => b - a)[n - 1]!;

/**
 * The redistribution at the heart of figures 1 and 2 as printed: `Prio[a]` is overwritten, and the rest computed from
 * the new `Prio[a]`.
 */
export function printedMatch(prioA: readonly number[], prioB: readonly number[], n: number) {
  const e = select([...prioA, ...prioB], n);
  const a = [...prioA, ...prioB].filter((x) => x >= e);
  const b = [...a, ...prioB].filter((x) => x < e); // Prio[a] is the new one by now
  return { a, b };
}

/** The same with the union kept: what is left is that ties are cut by value, so |node| = n does not hold. */
export function matchByValue(prioA: readonly number[], prioB: readonly number[], n: number) {
  const all = [...prioA, ...prioB];
  const e = select(all, n);
  return { a: all.filter((x) => x >= e), b: all.filter((x) => x < e) };
}

/**
 * Figure 2 as printed on a tree of items: `a` and `b` are positions of children, compared by what the items there hold,
 * but written into the tree and used as the numbers of chunks, as if they were items.
 */
export function printedExtractionUpdate(tree: number[], prio: number[][], leaf: number): void {
  const h = Math.floor(Math.log2(leaf));
  for (let j = h; j >= 1; j--) {
    let a = 2 * Math.floor(leaf / 2 ** (h - j + 1));
    let b = a + 1;
    const x = Math.min(...prio[tree[a]!]!);
    const y = Math.min(...prio[tree[b]!]!);
    if (x < y) [a, b] = [b, a];
    tree[Math.floor(leaf / 2 ** (h - j + 1))] = a;
  }
}

/** Figure 5 as printed, on a Quickheap whose last pivot is the fictitious one: `S[0]`, a cell that holds infinity. */
export function printedExtract(sorted: readonly number[], R: number): Keys {
  const heap = [...sorted, Number.POSITIVE_INFINITY];
  const S = [sorted.length];
  const reported = new Keys();
  let idx = 0;
  const finalPos = idx + R - 1;
  let top = S.at(-1)!;
  const report = () => {
    while (idx <= top) {
      reported.push(heap[idx] ?? Number.POSITIVE_INFINITY, idx);
      idx++;
    }
  };
  while (finalPos >= top) {
    report();
    S.pop();
    if (S.length === 0) return reported; // the printed loop goes on with the top of an empty stack
    top = S.at(-1)!;
  }
  top = finalPos; // quickselect on sorted keys finds the place at once
  report();
  return reported;
}
