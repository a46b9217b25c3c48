import type { Machine } from "./machine.ts";
import type { StateTable } from "./state-table.ts";

/** A cycle in which threads run for ever although every thread that can run does. */
export interface Cycle {
  readonly violation: string;
  /** A state of the cycle. */
  readonly state: number;
}

/**
 * Looks for livelock: a strongly connected part of the state graph in which each thread either takes a step or is
 * unable to at some point. A scheduler that is fair to every runnable thread can stay there for ever.
 */
export function unfairCycleOf(machine: Machine, table: StateTable): Cycle | undefined {
  for (const part of components(table)) {
    const inside = new Set(part);
    let stepping = 0;
    let resting = 0;
    for (const state of part) {
      table.read(state, machine.mem);
      for (let t = 0; t < machine.threads; t++) if (!machine.enabled(t)) resting |= 1 << t;
      for (let e = table.firstEdge[state]!; e < table.firstEdge[state + 1]!; e++) {
        const choice = table.edgeChoices[e]!;
        if (choice < machine.threads && inside.has(table.edges[e]!)) stepping |= 1 << choice;
      }
    }
    if (stepping === 0 || (stepping | resting) !== 2 ** machine.threads - 1) continue;
    const names = threadsIn(stepping).join(" and ");
    return { violation: `livelock: thread ${names} can run for ever without getting on`, state: Math.min(...part) };
  }
  return undefined;
}

function threadsIn(mask: number): number[] {
  return Array.from({ length: 31 }, (_, t) => t).filter((t) => (mask & (1 << t)) !== 0);
}

/** Strongly connected parts with at least one edge inside (Tarjan 1972, without recursion). */
function* components(table: StateTable): Generator<number[]> {
  const index = new Int32Array(table.size).fill(-1);
  const low = new Int32Array(table.size);
  const onStack = new Uint8Array(table.size);
  const stack: number[] = [];
  let counter = 0;
  const walk: number[] = [0];
  const edge = new Int32Array(table.size);
  while (walk.length > 0) {
    const v = walk[walk.length - 1]!;
    if (index[v] === -1) {
      index[v] = low[v] = counter++;
      edge[v] = table.firstEdge[v]!;
      stack.push(v);
      onStack[v] = 1;
    }
    if (edge[v]! < table.firstEdge[v + 1]!) {
      const w = table.edges[edge[v]!]!;
      edge[v]!++;
      if (index[w] === -1) walk.push(w);
      else if (onStack[w] === 1) low[v] = Math.min(low[v]!, index[w]!);
      continue;
    }
    walk.pop();
    const parent = walk[walk.length - 1];
    if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[v]!);
    if (low[v] !== index[v]) continue;
    const part: number[] = [];
    let w: number;
    do {
      w = stack.pop()!;
      onStack[w] = 0;
      part.push(w);
    } while (w !== v);
    const own = table.edges.slice(table.firstEdge[v]!, table.firstEdge[v + 1]!);
    if (part.length > 1 || own.includes(v)) yield part;
  }
}
