import { EXIT } from "../../errors.ts";
import { type ConfigurationResult, runConfigurations } from "../../verify/run-configurations.ts";
import { type Io, printJson } from "../io.ts";
import { count } from "../print-summary.ts";

/** Runs configurations with a progress line each, then a verdict; exit code 1 when one fails. */
export function runVerify(
  names: readonly string[],
  budgetSeconds: number,
  { json, steps }: { readonly json: boolean; readonly steps: boolean },
  io: Io,
): number {
  const live = io.stderr.isTTY === true;
  let done = 0;
  const result = runConfigurations(names, budgetSeconds, {
    started: (name) => {
      if (live) io.stderr.write(`\r\x1b[K${done + 1}/${names.length} ${name} …`);
    },
    finished: (one, claim) => {
      done++;
      if (live) io.stderr.write("\r\x1b[K");
      (json ? io.stderr : io.stdout).write(`${rowOf(one, claim)}\n`);
      if (!json) for (const line of schedulesOf(one, steps)) io.stdout.write(`  ${line}\n`);
    },
  });
  if (json) printJson(io, result);
  else {
    const mutants = result.configurations.flatMap((one) => one.mutants);
    const caught = mutants.filter((mutant) => mutant.caught).length;
    io.stdout.write(
      `\n${names.length} configurations, ${result.failed} failed; ${caught} of ${mutants.length} mutants caught.\n`,
    );
  }
  return result.failed === 0 ? EXIT.finished : EXIT.fault;
}

/** The schedule of every violation, that of the shipped code step by step; of broken variants, which must have one, on demand. */
function schedulesOf(
  { schedule, steps, expected, mutants }: ConfigurationResult,
  all: boolean,
): string[] {
  const own =
    schedule === null ? [] : [`${expected ? "expected" : "FAILS"}  ${schedule}`, ...steps];
  const broken = mutants.flatMap((mutant) =>
    mutant.schedule === null ? [] : [`expected  ${mutant.schedule}`, ...(all ? mutant.steps : [])],
  );
  return [...own, ...broken];
}

function rowOf(one: ConfigurationResult, claim: string): string {
  const caught = one.mutants.filter((mutant) => mutant.caught).length;
  const escaped = one.mutants.filter((mutant) => !mutant.caught).map((mutant) => mutant.name);
  return [
    one.name.padEnd(28),
    one.strategy.padEnd(8),
    `${count(one.executions)} executions`.padStart(20),
    `${count(one.states)} states`.padStart(18),
    `${one.cpuSeconds.toFixed(2)} s`.padStart(9),
    `  mutants ${caught}/${one.mutants.length}`,
    escaped.length === 0 ? "" : ` SURVIVED: ${escaped.join(", ")}`,
    `  ${claim}`,
  ].join("");
}
