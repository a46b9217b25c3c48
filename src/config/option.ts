/** Headings of `--help` and docs/config.md, in reading order; "Options" is for commands with few. */
export const OPTION_GROUPS = [
  "Where to start",
  "How far to go",
  "Links",
  "Politeness",
  "Speed",
  "Frontier",
  "Addresses and connections",
  "Pages",
  "Archive",
  "Output",
  "What a crawl keeps",
  "Options",
] as const;

/** One of the headings. */
export type OptionGroup = (typeof OPTION_GROUPS)[number];

/** One option of the command line: everything that parsing, help and documentation need to know. */
export interface OptionSpec {
  /** Without dashes; the empty name stands for the words that are not options. */
  readonly flag: string;
  /** Placeholder of the value; a switch has none. */
  readonly value?: string;
  readonly group: OptionGroup;
  /** A sentence without its full stop, starting in lower case. */
  readonly about: string;
  /** Completes the sentence "use …". */
  readonly allowed: string;
  /** Complete, valid uses; a test parses each of them. */
  readonly examples: readonly string[];
  /** May be given several times; the values form a list. */
  readonly repeatable?: true;
  /** What the value is when the flag stands alone; with "true" the flag is a switch as well. */
  readonly bare?: string;
  /** Whether the word that follows such a flag is its value; absent: if it is a number. `--flag=value` always works. */
  readonly takes?: (word: string) => boolean;
  /** A switch that is on unless `--no-flag` is given. */
  readonly negated?: true;
  /** The default in words; absent where nothing is assumed. */
  readonly defaultText?: string;
  /** Why a crawl that is resumed keeps its value; absent: the value may change and counts from then on. */
  readonly fixed?: string;
  /** Environment variable that is used when neither flag nor file sets the value. */
  readonly environment?: string;
}

/** The option as it is typed: "--max-pages N", "--no-robots", "URL...". */
export function usageOf(option: OptionSpec): string {
  if (option.flag === "") return `${option.value}...`;
  if (option.negated) return `--no-${option.flag}`;
  if (option.value === undefined) return `--${option.flag}`;
  const value = option.bare === undefined ? option.value : `[${option.value}]`;
  return `--${option.flag} ${value}`;
}
