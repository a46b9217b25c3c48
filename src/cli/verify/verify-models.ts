import { EXIT } from "../../errors.ts";
import {
  EIGHT,
  FURTHER,
  type ModelResult,
  missingTool,
  modelHolds,
  runModels,
  SEED_FIGURES,
} from "../../verify/models/check-models.ts";
import { type Io, printJson } from "../io.ts";
import { count } from "../print-summary.ts";

/** Checks the models with a row per claim; exit code 1 when a claim fails, a mutant survives, or spin is missing. */
export function verifyModels(
  { json, steps }: { readonly json: boolean; readonly steps: boolean },
  io: Io,
): number {
  const missing = missingTool();
  if (missing !== undefined) {
    io.stderr.write(`${missing}; nothing was checked\n`);
    return EXIT.fault;
  }
  const out = json ? io.stderr : io.stdout;
  const { tool, claim, seconds } = SEED_FIGURES;
  const seed = figures({ ...SEED_FIGURES, cpuSeconds: seconds });
  out.write(`${row("claim", "", "states", "transitions", "CPU s", "MB")}  mutants caught\n`);
  out.write(`${row(`seed 001: ${claim}`, "holds", ...seed)}  (${tool}, none)\n`);
  const result = runModels([...EIGHT, ...FURTHER], (one) => {
    out.write(`${rowOf(one)}\n`);
    for (const line of trailsOf(one, steps)) out.write(`  ${line}\n`);
  });
  if (json) printJson(io, result);
  else {
    io.stdout.write(
      `\n${result.claims.length} claims, ${result.failed} failed; the eight assertions together took ${result.eightCpuSeconds.toFixed(1)} s of CPU, the seed ${SEED_FIGURES.seconds.toFixed(0)} s for one.\n`,
    );
  }
  return result.failed === 0 ? EXIT.finished : EXIT.fault;
}

/** The trail of a claim that fails, and on demand those of broken variants, which must have one. */
function trailsOf({ violation, trail, mutants }: ModelResult, all: boolean): string[] {
  const own = violation === null ? [] : [...trail];
  const broken = mutants.flatMap((mutant) =>
    all && mutant.caught ? [`expected  ${mutant.name}`, ...mutant.trail] : [],
  );
  return [...own, ...broken];
}

function rowOf(one: ModelResult): string {
  const verdict = one.violation === null ? (one.complete ? "holds" : "CUT OFF") : "FAILS";
  const caught = one.mutants.filter((mutant) => mutant.caught).map((mutant) => mutant.name);
  const escaped = one.mutants.filter((mutant) => !mutant.caught).map((mutant) => mutant.name);
  const why = modelHolds(one) || one.violation === null ? "" : `  ${one.violation}`;
  const survived = escaped.length === 0 ? "" : `  SURVIVED: ${escaped.join(", ")}`;
  return `${row(one.name, verdict, ...figures(one))}  ${caught.join(", ")}${survived}${why}`;
}

function figures(
  one: Pick<ModelResult, "states" | "transitions" | "cpuSeconds" | "megabytes">,
): string[] {
  return [
    count(one.states),
    count(one.transitions),
    one.cpuSeconds.toFixed(2),
    one.megabytes.toFixed(0),
  ];
}

function row(name: string, verdict: string, ...figures: readonly string[]): string {
  const cells = figures.map((text, i) => text.padStart([12, 13, 9, 6][i]!));
  return [name.padEnd(38), verdict.padEnd(7), ...cells].join(" ");
}
