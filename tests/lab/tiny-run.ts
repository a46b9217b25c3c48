import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Findings, LabRun, Table } from "../../src/lab/experiment.ts";

/** A run of an experiment without a laboratory around it: nothing is stored, every step is done. */
export async function withTinyRun<T>(work: (run: LabRun) => Promise<T>, seed = 1): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), "orbweaver-lab-test-"));
  const run: LabRun = {
    seed,
    size: "quick",
    graph: undefined,
    scratch,
    signal: new AbortController().signal,
    pick: (quick) => quick,
    repeats: (quick) => quick,
    plan: () => {},
    step: async (_key, stepWork) => stepWork(),
  };
  try {
    return await work(run);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The deterministic columns of a table, row by row. */
export function deterministicCells({ columns, rows }: Table): unknown[][] {
  return rows.map((row) => row.filter((_, i) => columns[i]!.deterministic));
}

/** What every result must be: rows as wide as their columns, plots that are SVG, a verdict with a reason. */
export function faultsOf({ tables, plots, verdict, setup }: Findings): string[] {
  const faults: string[] = [];
  for (const { title, columns, rows } of tables) {
    if (rows.length === 0) faults.push(`${title} is empty`);
    if (rows.some((row) => row.length !== columns.length)) faults.push(`${title} has ragged rows`);
    if (rows.flat().some((cell) => typeof cell === "number" && !Number.isFinite(cell)))
      faults.push(`${title} holds what is no number`);
  }
  for (const { name, svg } of plots)
    if (!/^<svg[\s\S]*<\/svg>\s*$/.test(svg)) faults.push(`${name} is no SVG`);
  if (verdict.why.length < 20 || setup.length < 20) faults.push("a sentence is missing");
  return faults;
}
