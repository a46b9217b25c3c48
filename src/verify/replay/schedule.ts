import { UsageError } from "../../errors.ts";

/** One interleaving: which program, broken how, and who takes each step. */
export interface Schedule {
  readonly configuration: string;
  readonly mutant: string | undefined;
  /** Thread of each step; threads + thread is a kill. */
  readonly choices: readonly number[];
}

const FIRST = "a".charCodeAt(0);

/** Prints a schedule: `ring-1p1c2+publish-before-write:a5b3aB` (letters are threads, capitals kill). */
export function formatSchedule(schedule: Schedule, threads: number): string {
  let text = "";
  const { choices } = schedule;
  for (let i = 0, run = 1; i < choices.length; i += run) {
    const choice = choices[i]!;
    run = 1;
    while (choices[i + run] === choice) run++;
    const letter = String.fromCharCode(FIRST + (choice % threads));
    text += `${choice < threads ? letter : letter.toUpperCase()}${run > 1 ? run : ""}`;
  }
  const mutant = schedule.mutant === undefined ? "" : `+${schedule.mutant}`;
  return `${schedule.configuration}${mutant}:${text}`;
}

/** Reads a printed schedule. */
export function parseSchedule(
  text: string,
  threadsOf: (configuration: string) => number,
): Schedule {
  const match = /^([^+:]+)(?:\+([^:]+))?:((?:[a-zA-Z]\d*)*)$/.exec(text.trim());
  if (!match) throw new UsageError(`not a schedule: ${text}`);
  const [, configuration, mutant, runs] = match;
  const threads = threadsOf(configuration!);
  const choices: number[] = [];
  for (const [, letter, count] of runs!.matchAll(/([a-zA-Z])(\d*)/g)) {
    const thread = letter!.toLowerCase().charCodeAt(0) - FIRST;
    if (thread >= threads) throw new UsageError(`${configuration} has only ${threads} threads`);
    const choice = letter === letter!.toLowerCase() ? thread : threads + thread;
    for (let i = 0; i < Number(count || 1); i++) choices.push(choice);
  }
  return { configuration: configuration!, mutant, choices };
}
