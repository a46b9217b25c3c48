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
import type { Io } from "../io.ts";
import { count } from "../print-summary.ts";

/** Checks the models with a row per claim; exit code 1 when a claim fails, a mutant survives, or spin is missing. */
export function verifyModels(json: boolean, io: Io): number {
  const missing = missingTool();
  if (missing !== undefined) {
    io.stderr.write(`${missing}; nothing was checked\n`);
    return EXIT.fault;
  }
  const out = json ? io.stderr : io.stdout;
  const { tool, claim, ...pat } = SEED_FIGURES;
  out.write(`${row("claim", "", "states", "transitions", "CPU s", "MB")}  mutants caught\n`);
  const seed = figures(pat.states, pat.transitions, pat.seconds, pat.megabytes);
  out.write(`${row(`seed 001: ${claim}`, "holds", ...seed)}  (${tool}, none)\n`);
  const result = runModels([...EIGHT, ...FURTHER], (one) => out.write(`${rowOf(one)}\n`));
  if (json) io.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    const { eightCpuSeconds } = result;
    io.stdout.write(
      `\n${result.claims.length} claims, ${result.failed} failed; the eight assertions together took ${eightCpuSeconds.toFixed(1)} s of CPU, the seed ${pat.seconds.toFixed(0)} s for one.\n`,
    );
  }
  return result.failed === 0 ? EXIT.finished : EXIT.fault;
}

function rowOf(one: ModelResult): string {
  const verdict = one.violation === null ? (one.complete ? "holds" : "CUT OFF") : "FAILS";
  const caught = one.mutants.filter((mutant) => mutant.caught).map((mutant) => mutant.name);
  const escaped = one.mutants.filter((mutant) => !mutant.caught).map((mutant) => mutant.name);
  const why = modelHolds(one) || one.violation === null ? "" : `  ${one.violation}`;
  const survived = escaped.length === 0 ? "" : `  SURVIVED: ${escaped.join(", ")}`;
  const cells = figures(one.states, one.transitions, one.cpuSeconds, one.megabytes);
  return `${row(one.name, verdict, ...cells)}  ${caught.join(", ")}${survived}${why}`;
}

function figures(
  states: number,
  transitions: number,
  seconds: number,
  megabytes: number,
): [string, string, string, string] {
  return [count(states), count(transitions), seconds.toFixed(2), megabytes.toFixed(0)];
}

function row(name: string, verdict: string, ...[states, transitions, cpu, mb]: string[]): string {
  return [
    name.padEnd(38),
    verdict.padEnd(7),
    states!.padStart(12),
    transitions!.padStart(13),
    cpu!.padStart(9),
    mb!.padStart(6),
  ].join(" ");
}
