import { nearest } from "../config/nearest.ts";
import type { OptionSpec } from "../config/option.ts";
import { printable } from "../config/printable.ts";
import { UsageError } from "../errors.ts";

/** A parsed command line. */
export interface Arguments {
  /** Words that are not options, in order. */
  readonly words: readonly string[];
  /** By flag: switches as booleans, values as text, repeatable ones as lists. */
  readonly options: ReadonlyMap<string, boolean | string | readonly string[]>;
}

/**
 * Reads arguments by a list of options: `--flag value`, `--flag=value`, `--switch`, `--no-switch`, repeated
 * flags, `--` before words only. Where a flag is given twice and cannot be repeated, the last one wins.
 */
export function parseArguments(
  argv: readonly string[],
  options: readonly OptionSpec[],
  command = "",
): Arguments {
  const known = new Map(options.filter(({ flag }) => flag !== "").map((o) => [o.flag, o]));
  const words: string[] = [];
  const found = new Map<string, boolean | string | string[]>();
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    if (word === "--") {
      words.push(...argv.slice(at + 1));
      break;
    }
    // "-" is standard input, a word like any other.
    if (!word.startsWith("-") || word === "-") {
      words.push(word);
      continue;
    }
    const { option, on, inline } = readFlag(word, known, command);
    if (option.value === undefined || !on) {
      if (inline !== undefined) throw takesNoValue(word, on ? option.flag : `no-${option.flag}`);
      found.set(option.flag, on);
      continue;
    }
    if (option.bare !== undefined && inline === undefined && !takesNext(option, argv[at + 1])) {
      found.set(option.flag, option.bare);
      continue;
    }
    const value = inline ?? argv[++at];
    if (value === undefined || (inline === undefined && isOption(value, known))) {
      throw missingValue(option);
    }
    const list = found.get(option.flag);
    if (!option.repeatable) found.set(option.flag, value);
    else if (Array.isArray(list)) list.push(value);
    else found.set(option.flag, [value]);
  }
  return { words, options: found };
}

function takesNext({ takes }: OptionSpec, next: string | undefined): boolean {
  if (next === undefined || next.startsWith("--")) return false;
  return takes === undefined ? /^\d+$/.test(next) : takes(next);
}

interface Flag {
  readonly option: OptionSpec;
  /** False for `--no-…`. */
  readonly on: boolean;
  /** What follows "=". */
  readonly inline: string | undefined;
}

function readFlag(word: string, known: Map<string, OptionSpec>, command: string): Flag {
  const equals = word.indexOf("=");
  const inline = equals < 0 ? undefined : word.slice(equals + 1);
  const name = equals < 0 ? word : word.slice(0, equals);
  const flag = name.slice(2);
  if (name.startsWith("--")) {
    const option = known.get(flag);
    if (option !== undefined) return { option, on: true, inline };
    const negated = flag.startsWith("no-") ? known.get(flag.slice(3)) : undefined;
    if (negated !== undefined && (negated.value === undefined || negated.bare === "true")) {
      return { option: negated, on: false, inline };
    }
  }
  throw unknownOption(name, known, command);
}

// `--out --json` is a forgotten value, `--exclude --x` a strange but possible one.
function isOption(word: string, known: Map<string, OptionSpec>): boolean {
  if (word === "--") return true;
  if (!word.startsWith("--")) return false;
  const flag = word.slice(2).split("=", 1)[0]!;
  return known.has(flag) || (flag.startsWith("no-") && known.has(flag.slice(3)));
}

function unknownOption(name: string, known: Map<string, OptionSpec>, command: string): UsageError {
  const switches = [...known.values()].filter(({ value }) => value === undefined);
  const flags = [...known.keys(), ...switches.map(({ flag }) => `no-${flag}`), "help"];
  const meant = nearest(name.replace(/^-+/, ""), flags);
  const help = `orbweaver ${command === "" ? "" : `${command} `}--help`;
  const hint = meant === undefined ? `"${help}" lists all options` : `did you mean --${meant}?`;
  return new UsageError(`unknown option ${printable(name)}; ${hint}`);
}

function missingValue(option: OptionSpec): UsageError {
  const example = option.examples[0] === undefined ? "" : `, for example ${option.examples[0]}`;
  return new UsageError(`--${option.flag} needs a value; use ${option.allowed}${example}`);
}

function takesNoValue(word: string, flag: string): UsageError {
  return new UsageError(`${printable(word)} is not allowed; --${flag} takes no value`);
}
