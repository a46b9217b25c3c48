import type { OptionSpec } from "../config/option.ts";
import { printable } from "../config/printable.ts";
import { UsageError } from "../errors.ts";
import type { Arguments } from "./arguments.ts";

/** `--json`; `about` describes what is printed. */
export function jsonOption(about: string): OptionSpec {
  return { flag: "json", group: "Options", about, allowed: "no value", examples: ["--json"] };
}

export const DEBUG_OPTION: OptionSpec = {
  flag: "debug",
  group: "Options",
  about: "show details of errors",
  allowed: "no value",
  examples: ["--debug"],
};

/** The only word of a command line; fails with the complaint when there are none or several. */
export function onlyWord({ words }: Arguments, complaint: string): string {
  if (words.length !== 1) throw new UsageError(complaint);
  return words[0]!;
}

/** Whether a switch was given. */
export function isOn(args: Arguments, flag: string): boolean {
  return args.options.get(flag) === true;
}

/** The text of an option that was given once. */
export function textOf(args: Arguments, flag: string): string | undefined {
  return args.options.get(flag) as string | undefined;
}

/** The whole number of an option, from 1 to `max`. */
export function wholeNumberOf(
  args: Arguments,
  flag: string,
  otherwise: number,
  max: number,
): number {
  const text = textOf(args, flag);
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max)
    throw new UsageError(
      `--${flag} ${printable(text, 100)} is not allowed; use a whole number from 1 to ${max}`,
    );
  return value;
}

/** The values of an option that can be repeated. */
export function listOf(args: Arguments, flag: string): readonly string[] {
  return (args.options.get(flag) as readonly string[] | undefined) ?? [];
}
