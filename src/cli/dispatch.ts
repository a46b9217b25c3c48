import { nearest } from "../config/nearest.ts";
import { printable } from "../config/printable.ts";
import { packageVersion } from "../config/version.ts";
import { EXIT, UsageError } from "../errors.ts";
import { parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./command-table.ts";
import { commandHelp, fullHelp, programHelp, shortHelp } from "./help.ts";
import type { Io } from "./io.ts";

/** Runs one command line and returns its exit code; failures are thrown. */
export async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined) {
    io.stderr.write(programHelp());
    throw new UsageError("a command is missing; for example orbweaver demo");
  }
  if (first === "--version" || first === "-V" || first === "-v" || first === "version") {
    io.stdout.write(`${packageVersion()}\n`);
    return EXIT.finished;
  }
  const askedForHelp = first === "help" || first === "--help" || first === "-h";
  const name = askedForHelp ? rest[0] : first;
  if (name === undefined || (askedForHelp && name === "all")) {
    io.stdout.write(name === undefined ? programHelp() : await fullHelp(io.stdout.columns));
    return EXIT.finished;
  }
  const command = await loadCommand(name);
  const help = askedForHelp ? (rest[1] === "all" ? "all" : "short") : helpWanted(rest);
  if (help !== undefined) {
    io.stdout.write(help === "all" ? commandHelp(command, io.stdout.columns) : shortHelp(command));
    return EXIT.finished;
  }
  return command.run(parseArguments(rest, command.options, name), io, COMMANDS);
}

/** Which help is asked for: a `--help` before a `--`, with or without the word "all". */
function helpWanted(argv: readonly string[]): "short" | "all" | undefined {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const at = words.findIndex((word) => word === "--help" || word === "-h");
  if (at < 0) return undefined;
  return words[at + 1] === "all" ? "all" : "short";
}

async function loadCommand(name: string): Promise<Command> {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry !== undefined) return (await entry.load()).command;
  const shown = printable(name);
  // The most common mistake: the URL right after the program's name.
  if (/^https?:\/\//i.test(name)) {
    throw new UsageError(`"${shown}" is not a command; did you mean orbweaver crawl ${shown}?`);
  }
  const names = Object.keys(COMMANDS);
  const meant = nearest(name, names);
  const hint = meant === undefined ? `use one of ${names.join(", ")}` : `did you mean ${meant}?`;
  const what = name.startsWith("-") ? "option" : "command";
  throw new UsageError(`unknown ${what} ${shown}; ${hint}`);
}
