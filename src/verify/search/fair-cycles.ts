import type { Machine } from "../machine/machine.ts";
import type { StateTable } from "./state-table.ts";

/** A cycle in which threads can run for ever under a fair scheduler. */
export interface Cycle {
  readonly violation: string;
  /** A state of the cycle. */
  readonly state: number;
  /** Choices that lead from it back to itself. */
  readonly round: readonly number[];
}

/**
 * Looks for livelock: a strongly connected part of the state graph in which each thread either takes a step or is
 * unable to at some point. A scheduler that is fair to every runnable thread can stay there for ever.
 */
export function fairCycleOf(machine: Machine, table: StateTable): Cycle | undefined {
  for (const part of components(table)) {
    const inside = new Set(part);
    let stepping = 0;
    let resting = 0;
    for (const state of part) {
      table.read(state);
      for (let t = 0; t < machine.threads; t++) if (!machine.enabled(t)) resting |= 1 << t;
      for (let e = table.firstEdge.at(state); e < table.firstEdge.at(state + 1); e++) {
        const choice = table.edgeChoices.at(e);
        if (choice < machine.threads && inside.has(table.edges.at(e))) stepping |= 1 << choice;
      }
    }
    if (stepping === 0 || (stepping | resting) !== 2 ** machine.threads - 1) continue;
    const names = threadsIn(stepping).join(" and ");
    const state = Math.min(...part);
    const violation = `livelock: thread ${names} can run for ever without getting on`;
    return { violation, state, round: roundFrom(table, state, (to) => inside.has(to)) };
  }
  return undefined;
}

/**
 * Looks for a thread that can run alone for ever: code that must never block (every `try…` call) has to come to an
 * end by itself from every state, however slow or dead the others are.
 */
export function lonelyCycleOf(machine: Machine, table: StateTable): Cycle | undefined {
  for (let t = 0; t < machine.threads; t++) {
    const seenIn = new Int32Array(table.size);
    for (let start = 0; start < table.size; start++) {
      let at = start;
      while (at >= 0 && seenIn[at] === 0) {
        seenIn[at] = start + 1;
        at = table.findSuccessor(at, (_to, choice) => choice === t);
      }
      if (at < 0 || seenIn[at] !== start + 1) continue;
      return {
        violation: `spinning: thread ${t} alone never comes to an end`,
        state: at,
        round: roundFrom(table, at, (_, choice) => choice === t),
      };
    }
  }
  return undefined;
}

/** Shortest path from a state back to itself over allowed edges. */
function roundFrom(
  table: StateTable,
  state: number,
  allowed: (to: number, choice: number) => boolean,
): number[] {
  const paths = new Map<number, number[]>();
  // Iterating over a Map includes entries added meanwhile, so it serves as the queue.
  const visit = (at: number, path: readonly number[]) =>
    table.findSuccessor(at, (to, choice) => {
      if (allowed(to, choice) && !paths.has(to)) paths.set(to, [...path, choice]);
      return paths.has(state);
    });
  visit(state, []);
  for (const [at, path] of paths) if (!paths.has(state)) visit(at, path);
  return paths.get(state) ?? [];
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
      edge[v] = table.firstEdge.at(v);
      stack.push(v);
      onStack[v] = 1;
    }
    if (edge[v]! < table.firstEdge.at(v + 1)) {
      const w = table.edges.at(edge[v]!);
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
    if (part.length > 1 || table.findSuccessor(v, (to) => to === v) >= 0) yield part;
  }
}
