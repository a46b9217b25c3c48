import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Cell, Experiment, Findings, LabRun, Table } from "../../src/lab/experiment.ts";
import { tempFolder } from "../support/orbweaver.ts";

/** A tenth of what `--quick` does, and of every list the first two: small enough for a test. */
function tiny<T>(value: T): T {
  if (typeof value === "number") {
    return (Number.isInteger(value) ? Math.ceil(value / 10) : value) as T;
  }
  return (Array.isArray(value) ? value.slice(0, 2) : value) as T;
}

/**
 * Runs an experiment, or a measurement with settings of its own, on a tiny configuration without a laboratory around it,
 * and checks what holds for all: full rows, plots with captions, sentences.
 */
export async function tinyRun(
  t: TestContext,
  { run: work }: Pick<Experiment, "run">,
  { seed = 1, pick = tiny, sync }: { seed?: number; pick?: <T>(quick: T) => T; sync?: string } = {},
): Promise<Findings> {
  const keys = new Set<string>();
  const run: LabRun = {
    seed,
    size: "quick",
    graph: undefined,
    sync,
    scratch: mkdtempSync(join(tempFolder(t), "scratch-")),
    signal: new AbortController().signal,
    pick,
    repeats: () => 1,
    plan: () => {},
    // As it comes back in a run that was interrupted.
    step: async (key, stepWork) => {
      assert.ok(!keys.has(key), `two steps have the key ${key}`);
      keys.add(key);
      return JSON.parse(JSON.stringify(await stepWork()));
    },
  };
  const findings = await work(run);
  const { tables, plots, verdict, setup } = findings;
  assert.ok(tables.length > 0 && plots.length > 0);
  for (const { title, columns, rows } of tables) {
    assert.ok(rows.length > 0, `${title} is empty`);
    for (const row of rows) assert.equal(row.length, columns.length, title);
    for (const cell of rows.flat())
      assert.ok(typeof cell !== "number" || Number.isFinite(cell), `${title}: ${cell}`);
  }
  for (const { name, svg } of plots) {
    assert.match(svg, /^<svg[\s\S]*<\/svg>\s*$/, name);
    assert.match(svg, /class="ow-caption"/, `${name} has no caption`);
    assert.doesNotMatch(svg, /NaN|undefined|Infinity/, name);
  }
  assert.ok(verdict.why.length >= 20 && setup.length >= 20, "a sentence is missing");
  assert.deepEqual(JSON.parse(JSON.stringify(findings)), findings);
  return findings;
}

/** The deterministic columns of a table, row by row. */
export function deterministicCells({ columns, rows }: Table): Cell[][] {
  return rows.map((row) => row.filter((_, i) => columns[i]!.deterministic));
}

/** The deterministic columns of all tables, by title and name. */
export function countedColumns({ tables }: Findings): Record<string, Cell[]> {
  const all: Record<string, Cell[]> = {};
  for (const { title, columns, rows } of tables) {
    for (const [i, { name, deterministic }] of columns.entries()) {
      if (deterministic) all[`${title} / ${name}`] = rows.map((row) => row[i]!);
    }
  }
  return all;
}

/** A column of a table whose title begins so. */
export function columnOf({ tables }: Findings, title: string, name: string): Cell[] {
  const table = tables.find((each) => each.title.startsWith(title));
  assert.ok(table, `no table ${title}`);
  const at = table.columns.findIndex((column) => column.name === name);
  assert.ok(at >= 0, `no column ${name}`);
  return table.rows.map((row) => row[at]!);
}
