import { OPTION_GROUPS, type OptionSpec, usageOf } from "../config/option.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./command-table.ts";

const INDENT = 4;
const MAX_WIDTH = 100;
const MIN_WIDTH = 40;

/** The text of `orbweaver --help`; no command is loaded for it. */
export function programHelp(): string {
  const names = Object.keys(COMMANDS);
  const width = Math.max(...names.map((name) => name.length));
  const list = names.map((name) => `  ${name.padEnd(width)}  ${COMMANDS[name]!.summary}`);
  return `Orbweaver, a polite and parallel web crawler.

Usage: orbweaver COMMAND ...

Commands
${list.join("\n")}

  orbweaver help COMMAND    all options of a command, with examples
  orbweaver --version       the version

Examples
  orbweaver demo
  orbweaver crawl https://example.org/ --contact you@example.org --max-pages 1000

Exit codes: 0 finished, 1 fault, 2 bad usage or configuration, 3 stopped by a limit, 4 disk full
(also when interrupted while waiting for it), 5 corrupt state, 130 interrupted, 143 by SIGTERM.
`;
}

/** The text of `orbweaver help COMMAND`, wrapped to the width of the terminal. */
export function commandHelp(command: Command, columns: number | undefined): string {
  const width = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns ?? MAX_WIDTH));
  const usage = command.usage.map(
    (line, i) => `${i === 0 ? "Usage: " : "       "}orbweaver ${line}`,
  );
  const parts = [`${usage.join("\n")}\n\n${wrap(command.about, 0, width)}\n`];
  for (const group of OPTION_GROUPS) {
    const options = command.options.filter((option) => option.group === group);
    if (options.length === 0) continue;
    parts.push(`${group}\n${options.map((option) => optionHelp(option, width)).join("\n")}\n`);
  }
  const examples = command.examples.map(
    ([line, meaning]) => `  ${line}\n${wrap(meaning, 6, width)}`,
  );
  if (examples.length > 0) parts.push(`Examples\n${examples.join("\n")}\n`);
  return parts.join("\n");
}

function optionHelp(option: OptionSpec, width: number): string {
  const notes = [
    option.repeatable && option.flag !== "" ? "can be repeated" : "",
    option.defaultText === undefined ? "" : `default: ${option.defaultText}`,
    option.environment === undefined ? "" : `or ${option.environment} in the environment`,
  ].filter((note) => note !== "");
  const note = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
  return `  ${usageOf(option)}\n${wrap(`${option.about}${note}`, INDENT + 2, width)}`;
}

/** Breaks text between words; a word longer than a line stays whole, because it may have to be copied. */
export function wrap(text: string, indent: number, width: number): string {
  const margin = " ".repeat(indent);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent + line.length + 1 + word.length > width) {
      lines.push(margin + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(margin + line);
  return lines.join("\n");
}
