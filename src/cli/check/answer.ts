import { printable } from "../../config/printable.ts";
import { UsageError } from "../../errors.ts";
import type { Io } from "../io.ts";

/** One line of a readable answer: a name and what it is. */
export type AnswerRow = readonly [name: string, value: string | number | undefined];

/** Prints an answer as aligned lines; rows without a value are left out, foreign text is escaped. */
export function printRows(io: Io, rows: readonly AnswerRow[]): void {
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) {
    if (value === undefined) continue;
    io.stdout.write(`${name.padEnd(width)}  ${printable(String(value), 4000)}\n`);
  }
}

/** Prints an answer as one line of JSON. */
export function printJson(io: Io, answer: unknown): void {
  io.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** The one word a check needs. */
export function oneWord(words: readonly string[], what: string, example: string): string {
  const [word, extra] = words;
  if (word === undefined) throw new UsageError(`${what} is missing; for example ${example}`);
  if (extra === undefined) return word;
  throw new UsageError(
    `one ${what} at a time, but "${printable(extra)}" follows; for example ${example}`,
  );
}
