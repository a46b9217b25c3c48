import type { FieldInfo } from "./field.ts";
import { type SettingName, settings } from "./schema.ts";

/** The arguments of `orbweaver crawl` for exactly these settings; absent ones keep their default. */
export function toArguments(values: Readonly<Partial<Record<SettingName, unknown>>>): string[] {
  const flags: string[] = [];
  let words: string[] = [];
  for (const [name, option] of settings) {
    const value = values[name];
    if (value === undefined) continue;
    if (option.flag === "") words = value as string[];
    else flags.push(...flagsOf(option, value));
  }
  // A word that looks like an option must not become one.
  return words.some((word) => word.startsWith("-"))
    ? [...flags, "--", ...words]
    : [...words, ...flags];
}

function flagsOf(option: FieldInfo, value: unknown): string[] {
  if (typeof value === "boolean") return [value ? `--${option.flag}` : `--no-${option.flag}`];
  if (Array.isArray(value)) return value.flatMap((each) => pair(option.flag, String(each)));
  const text = option.show(value as never);
  // Whatever may follow a switch as its value.
  return option.takes === undefined ? pair(option.flag, text) : [`--${option.flag}=${text}`];
}

// With "=" wherever the value could be taken for an option.
function pair(flag: string, value: string): string[] {
  return value.startsWith("-") && value !== "-" ? [`--${flag}=${value}`] : [`--${flag}`, value];
}

/** Quotes a word for a POSIX shell; plain words stay as they are. */
export function shellQuote(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
