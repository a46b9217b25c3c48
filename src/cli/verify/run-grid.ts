import { EXIT } from "../../errors.ts";
import { collapseGrid, GRID_SIZES, type GridCell } from "../../verify/collapse-grid.ts";
import { type Io, printJson } from "../io.ts";
import { count } from "../print-summary.ts";

/** Explores which monitors of B slots and T threads can collapse; exit code 1 when the rule T >= 2B + 1 does not hold. */
export function runGrid(budgetSeconds: number, json: boolean, io: Io): number {
  const cells = collapseGrid(GRID_SIZES, budgetSeconds);
  const holds = cells.every(
    ({ conditions, size, threads, verdict }) =>
      verdict === (conditions === 1 && threads >= 2 * size + 1 ? "deadlock" : "none"),
  );
  if (json)
    printJson(io, { holds, rule: "one condition: deadlock if and only if T >= 2B + 1", cells });
  else {
    for (const conditions of [1, 2] as const) io.stdout.write(gridText(cells, conditions));
    const states = cells.reduce((sum, cell) => sum + cell.states, 0);
    io.stdout.write(
      `${holds ? "With one condition a deadlock is reachable if and only if T >= 2B + 1; with two conditions none was found" : "The rule T >= 2B + 1 does NOT hold"} (${count(states)} states, every split into threads that insert and take up to 2B).\norbweaver replay collapse --size 2 --threads 5 shows one step by step.\n`,
    );
  }
  return holds ? EXIT.finished : EXIT.fault;
}

function gridText(all: readonly GridCell[], conditions: 1 | 2): string {
  const cells = all.filter((cell) => cell.conditions === conditions);
  const threads = [...new Set(cells.map((cell) => cell.threads))].sort((a, b) => a - b);
  const sizes = [...new Set(cells.map((cell) => cell.size))];
  const at = (size: number, t: number) =>
    cells.find((cell) => cell.size === size && cell.threads === t)?.verdict ?? "";
  const row = (head: string, of: (t: number) => string) =>
    `  ${head.padEnd(8)}${threads.map((t) => of(t).padEnd(10)).join("")}`.trimEnd();
  const title = conditions === 1 ? "One condition" : "Two conditions";
  const lines = [
    title,
    row("", (t) => `T = ${t}`),
    ...sizes.map((size) => row(`B = ${size}`, (t) => at(size, t))),
  ];
  return `${lines.join("\n")}\n\n`;
}
