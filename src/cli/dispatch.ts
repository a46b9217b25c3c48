import { nearest } from "../config/nearest.ts";
import { printable } from "../config/printable.ts";
import { packageVersion } from "../config/version.ts";
import { EXIT, UsageError } from "../errors.ts";
import { parseArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./command-table.ts";
import { commandHelp, programHelp } from "./help.ts";
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
  if (name === undefined) {
    io.stdout.write(programHelp());
    return EXIT.finished;
  }
  const command = await loadCommand(name);
  if (askedForHelp || wantsHelp(rest)) {
    io.stdout.write(commandHelp(command, io.stdout.columns));
    return EXIT.finished;
  }
  return command.run(parseArguments(rest, command.options, name), io);
}

/** Whether `--help` comes before a `--`. */
function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === "--help" || word === "-h");
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
