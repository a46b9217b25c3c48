import { printable } from "../../config/printable.ts";
import { readSeed } from "../../config/seeds/seed-line.ts";
import { UsageError } from "../../errors.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Arguments } from "../arguments.ts";
import type { Io } from "../io.ts";
import type { Answerer } from "./check-batch.ts";

/** One line of a readable answer: a name and what it is. */
export type AnswerRow = readonly [name: string, value: string | number | undefined];

/** The result of a check, for programs and for people. */
export interface Answer {
  readonly json: object;
  readonly rows: readonly AnswerRow[];
}

/** One of the things that can be checked. */
export interface Check {
  /** Answers the questions on the command line, one after the other. */
  answers(words: readonly string[], args: Arguments, io: Io): AsyncIterable<Answer>;
  /** Answers the lines of a batch; absent where a question does not stand alone. */
  batch?(args: Arguments): Answerer;
}

/** Prints an answer as aligned lines; rows without a value are left out, foreign text is escaped. */
export function printRows(io: Io, rows: readonly AnswerRow[]): void {
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) {
    if (value === undefined) continue;
    io.stdout.write(`${name.padEnd(width)}  ${printable(String(value), 4000)}\n`);
  }
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

/** A URL that was typed; `hint` ends the sentence about one that cannot be used. */
export function typedUrl(text: string, hint: string, what = ""): CrawlUrl {
  const read = readSeed(text);
  if ("url" in read) return read.url;
  throw new UsageError(`${what}${text}: ${read.reason}; ${hint}`);
}
