import { OPTION_GROUPS, type OptionSpec, usageOf } from "../config/option.ts";
import type { Command } from "./command.ts";
import { COMMANDS } from "./command-table.ts";

const INDENT = 4;
const MAX_WIDTH = 100;
const MIN_WIDTH = 40;
/** The terminal that the short help fits, with a line left for the prompt. */
const SCREEN_ROWS = 23;
const SCREEN_COLUMNS = 80;
/** Where the texts of the short help begin, at most; longer options push theirs to the right. */
const MAX_OPTION_WIDTH = 22;
/** What `resume` knows and refuses: it is no help to list it. */
const REFUSED = "What a crawl keeps";

/** The text of `orbweaver --help`: one screen; no command is loaded for it. */
export function programHelp(): string {
  const entries = Object.entries(COMMANDS);
  const width = Math.max(...entries.map(([name]) => name.length));
  const often = entries.filter(([, { isSpecial }]) => !isSpecial);
  const special = entries.filter(([, { isSpecial }]) => isSpecial).map(([name]) => name);
  return `Orbweaver, a polite and parallel web crawler.   Usage: orbweaver COMMAND ...

${often.map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`).join("\n")}
  and, for clusters, studies and tools:
  ${special.join(", ")}

  orbweaver COMMAND --help      what a command takes; --help all explains it
  orbweaver --help all          everything; --version tells the version
  orbweaver demo                a first crawl, which needs no internet
  orbweaver crawl https://example.org/ --contact you@example.org --max-pages 100
`;
}

/** The text of `orbweaver --help all`: every command with all it takes. */
export async function fullHelp(columns: number | undefined): Promise<string> {
  const parts = [programHelp()];
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const line = "=".repeat(name.length);
    parts.push(`${name}: ${summary}\n${line}\n${commandHelp((await load()).command, columns)}`);
  }
  parts.push(`Exit codes: 0 finished, 1 fault, 2 bad usage or configuration, 3 stopped by a limit, 4 disk full
(also when interrupted while waiting for it), 5 corrupt state, 6 nothing could be fetched,
130 interrupted, 143 by SIGTERM.
`);
  return parts.join("\n");
}

/** The text of `orbweaver COMMAND --help`: all of it where that fits a screen, else what is used most. */
export function shortHelp(command: Command): string {
  const full = commandHelp(command, SCREEN_COLUMNS);
  if (full.split("\n").length - 1 <= SCREEN_ROWS) return full;
  const taken = command.options.filter(({ group }) => group !== REFUSED);
  const lines: (readonly [OptionSpec, string])[] =
    command.often === undefined
      ? taken.map((option) => [option, option.about])
      : command.often.map(([flag, text]) => [taken.find((one) => one.flag === flag)!, text]);
  const width = Math.min(
    MAX_OPTION_WIDTH,
    Math.max(...lines.map(([option]) => usageOf(option).length)),
  );
  const list = lines.map(([option, text]) => {
    const usage = usageOf(option).padEnd(width);
    return `  ${usage}  ${shortened(text, SCREEN_COLUMNS - usage.length - 4)}`;
  });
  const [first] = command.about.split(/(?<=\.) /);
  const more = `orbweaver ${command.name} --help all: ${lines.length < taken.length ? `all ${taken.length} options, ` : ""}what each one means, and examples`;
  return `${usageLines(command, SCREEN_COLUMNS)}\n${wrap(first!, 0, SCREEN_COLUMNS)}\n\n${list.join("\n")}\n\n${more}\n`;
}

/** The text of `orbweaver COMMAND --help all`, wrapped to the width of the terminal. */
export function commandHelp(command: Command, columns: number | undefined): string {
  const width = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns ?? MAX_WIDTH));
  const parts = [`${usageLines(command)}\n\n${wrap(command.about, 0, width)}\n`];
  for (const group of OPTION_GROUPS) {
    const options = command.options.filter((option) => option.group === group);
    if (options.length === 0 || group === REFUSED) continue;
    parts.push(`${group}\n${options.map((option) => optionHelp(option, width)).join("\n")}\n`);
  }
  const examples = command.examples.map(
    ([line, meaning]) => `  ${line}\n${wrap(meaning, 6, width)}`,
  );
  if (examples.length > 0) parts.push(`Examples\n${examples.join("\n")}\n`);
  return parts.join("\n");
}

/** Lines of use; broken between words where a width is given, whole where they are to be copied. */
function usageLines({ usage }: Command, width = Number.POSITIVE_INFINITY): string {
  const margin = "Usage: ".length;
  return usage
    .map((line, i) => {
      const text = wrap(`orbweaver ${line}`, margin, width);
      return i === 0 ? `Usage: ${text.slice(margin)}` : text;
    })
    .join("\n");
}

/** What fits a line: clauses are left out from the end; only a first one that is too long is cut. */
function shortened(about: string, room: number): string {
  let text = about;
  while (text.length > room) {
    const at = Math.max(...[": ", "; ", " (", ", "].map((mark) => text.lastIndexOf(mark)));
    if (at <= 0) return `${text.slice(0, room - 2).trimEnd()} …`;
    text = text.slice(0, at);
  }
  return text;
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
