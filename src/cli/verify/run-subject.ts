import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { printable } from "../../config/printable.ts";
import { EXIT, UsageError } from "../../errors.ts";
import type { OwnResult } from "../../verify/own/judge-own-lock.ts";
import { judgeOwnLock, type OwnVerdict } from "../../verify/own/watch-own-lock.ts";
import { type Io, printJson } from "../io.ts";
import { count } from "../print-summary.ts";

/** What a grade is as an exit code; a lock that cannot be judged at all is a wrong use, 2. */
const EXIT_OF: Readonly<Record<OwnVerdict["grade"], number>> = {
  passes: EXIT.finished,
  fails: EXIT.fault,
  undecided: EXIT.limit,
};

/** Explores a lock of one's own in every order of its steps, and grades it. */
export async function runSubject(
  file: string,
  budgetSeconds: number,
  json: boolean,
  io: Io,
): Promise<number> {
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`--subject: there is no file ${printable(file)}`);
  const verdict = await judgeOwnLock(path, budgetSeconds, (result) => {
    if (!json) io.stdout.write(`${textOf(result)}\n`);
  });
  const { grade, results, fault } = verdict;
  const passed = results.filter(({ violation, complete }) => violation === null && complete).length;
  if (json) {
    printJson(io, { subject: file, grade, fault: fault ?? null, passed, configurations: results });
    return EXIT_OF[grade];
  }
  if (fault !== undefined) io.stdout.write(`${fault}\n`);
  const told = {
    passes: "passes: no order of the steps breaks it",
    fails: "fails",
    undecided: "undecided: a search ran out of its budget (--budget S)",
  };
  io.stdout.write(`\n${printable(file)} ${told[grade]}\n`);
  return EXIT_OF[grade];
}

function textOf({ name, threads, operations, states, complete, violation, steps }: OwnResult) {
  const size = `${threads} threads x ${operations}, ${count(states)} states`;
  if (violation === null) return `${name.padEnd(18)} ${complete ? "holds" : "cut off"}  (${size})`;
  return `${name.padEnd(18)} FAILS  (${size})\n${steps.map((step) => `  ${printable(step)}`).join("\n")}`;
}
