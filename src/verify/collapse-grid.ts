import { UsageError } from "../errors.ts";
import { catalogue, type Entry } from "./catalogue.ts";
import { printSchedule, search } from "./run-configurations.ts";

/** What the explorer says about a monitor with B slots and T threads. */
export interface GridCell {
  readonly conditions: 1 | 2;
  readonly size: number;
  readonly threads: number;
  /** "deadlock" when one is reachable, "none" when every state of every split was seen. */
  readonly verdict: "deadlock" | "none" | "cut off";
  /** Splits into threads that insert and threads that take. */
  readonly splits: number;
  readonly states: number;
  readonly schedule: string | null;
}

interface Split {
  readonly entry: Entry;
  readonly conditions: 1 | 2;
  readonly size: number;
  readonly threads: number;
}

/** Frontier sizes that the explorer can go through. */
export const GRID_SIZES = [1, 2, 3] as const;

/** The catalogue's monitors that insert and take for ever. */
function splits(): Split[] {
  return catalogue.flatMap((entry) => {
    const name =
      /^monitor-(one-condition|two-conditions)-b(\d+)-(\d+)p(\d+)c$/.exec(
        entry.configuration.name,
      ) ?? [];
    const [whole, kind, size, producers, consumers] = name;
    if (whole === undefined) return [];
    const threads = Number(producers) + Number(consumers);
    return [{ entry, conditions: kind === "one-condition" ? 1 : 2, size: Number(size), threads }];
  });
}

/** Explores the collapse of document 000: one row per size, one column per number of threads. */
export function collapseGrid(
  sizes: readonly number[],
  budgetSeconds: number,
  onCell: (cell: GridCell) => void = () => {},
): GridCell[] {
  const cells: GridCell[] = [];
  for (const conditions of [1, 2] as const) {
    for (const size of sizes) {
      const own = splits().filter((s) => s.conditions === conditions && s.size === size);
      const most = 2 * size + 3;
      for (const threads of new Set(own.map((s) => s.threads).sort((a, b) => a - b))) {
        if (threads > most) continue;
        const cell = explore(
          own.filter((s) => s.threads === threads),
          budgetSeconds,
        );
        cells.push(cell);
        onCell(cell);
      }
    }
  }
  return cells;
}

function explore(same: readonly Split[], budgetSeconds: number): GridCell {
  const { conditions, size, threads } = same[0]!;
  let states = 0;
  let isComplete = true;
  let schedule: string | null = null;
  for (const { entry } of same) {
    const found = search(entry, [], budgetSeconds);
    states += found.verdict.states;
    isComplete &&= found.verdict.complete || found.verdict.violation !== null;
    if (found.verdict.violation !== null) schedule ??= printSchedule(entry, undefined, found);
  }
  const verdict = schedule !== null ? "deadlock" : isComplete ? "none" : "cut off";
  return { conditions, size, threads, verdict, splits: same.length, states, schedule };
}

/** A schedule in which T threads on B slots with one condition all fall asleep; explained when there is none. */
export function collapseSchedule(size: number, threads: number, budgetSeconds: number): string {
  const own = splits().filter((s) => s.conditions === 1 && s.size === size);
  if (own.length === 0)
    throw new UsageError(
      `--size must be ${GRID_SIZES.join(", ")}: larger ones are too many states`,
    );
  const most = Math.max(...own.map((s) => s.threads));
  if (threads < 2 || threads > most)
    throw new UsageError(`--threads must be from 2 to ${most} with --size ${size}`);
  const { schedule } = explore(
    own.filter((s) => s.threads === threads),
    budgetSeconds,
  );
  if (schedule !== null) return schedule;
  throw new UsageError(
    `no schedule collapses: with ${size} ${size === 1 ? "slot" : "slots"} it takes ${2 * size + 1} threads (2B + 1), and ${threads} were explored in every order`,
  );
}
