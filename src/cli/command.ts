import type { OptionSpec } from "../config/option.ts";
import type { Arguments } from "./arguments.ts";
import type { Io } from "./io.ts";

/** A command of the program. Its module is loaded only when it is used or explained. */
export interface Command {
  readonly name: string;
  /** Lines of use, without the program's name. */
  readonly usage: readonly string[];
  /** What it does, in one or two sentences. */
  readonly about: string;
  readonly options: readonly OptionSpec[];
  /** Flags for the short help with a few words each, where all options do not fit a screen. */
  readonly often?: readonly (readonly [flag: string, text: string])[];
  /** Complete lines with what they do; a test parses each of them. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** Returns the exit code. `all` is the table of commands, for one that describes them. */
  run(args: Arguments, io: Io, all: CommandTable): Promise<number>;
}

/** A line of the table of commands. */
export interface CommandEntry {
  readonly summary: string;
  /** Only named in the short help: clusters, studies, tools. */
  readonly isSpecial?: true;
  load(): Promise<{ readonly command: Command }>;
}

/** Every command, by name. */
export type CommandTable = Readonly<Record<string, CommandEntry>>;
