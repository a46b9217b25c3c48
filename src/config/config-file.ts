import { UsageError } from "../errors.ts";
import { readNamedFile } from "./named-file.ts";
import { nearest } from "./nearest.ts";
import { printable } from "./printable.ts";
import { type SettingName, settings } from "./schema.ts";

/** The content of a configuration file: values by setting, and the key each was written under. */
export interface FileSettings {
  readonly values: Readonly<Partial<Record<SettingName, unknown>>>;
  readonly keys: ReadonlyMap<SettingName, string>;
}

const MAX_FILE_BYTES = 1_048_576;

/** Reads a JSON or YAML file; every fault is a UsageError that names the file and the key. */
export async function readConfigFile(file: string): Promise<FileSettings> {
  const text = readText(file);
  const content = isJson(file, text) ? parseJson(file, text) : await parseYaml(file, text);
  // An empty YAML file is null: a file with every line commented out sets nothing.
  if (content === null || content === undefined) return { values: {}, keys: new Map() };
  if (typeof content !== "object" || Array.isArray(content)) {
    throw new UsageError(
      `${printable(file)} must hold settings as "name: value" pairs, for example {"threads": 2}`,
    );
  }
  return settingsOf(file, content);
}

function readText(file: string): string {
  const bytes = readNamedFile(file, "the configuration");
  if (bytes.length > MAX_FILE_BYTES) {
    throw new UsageError(`the configuration ${printable(file)} is larger than 1 MiB`);
  }
  return bytes.toString("utf8").replace(/^\ufeff/, "");
}

// By the file name extension, else by a brace at the start.
function isJson(file: string, text: string): boolean {
  if (/\.ya?ml$/i.test(file)) return false;
  return /\.json$/i.test(file) || text.trimStart().startsWith("{");
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notReadable(file, "JSON", error);
  }
}

async function parseYaml(file: string, text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    // The parser stops at 100 aliases, so a file cannot expand until it fills the memory.
    return parse(text, { logLevel: "error" });
  } catch (error) {
    throw notReadable(file, "YAML", error);
  }
}

function notReadable(file: string, format: string, error: unknown): UsageError {
  // Parsers append an excerpt of the source; the first line has reason and position.
  const message = (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]!;
  const reason = printable(message.replace(/:$/, ""));
  return new UsageError(`${printable(file)} is not valid ${format}: ${reason}`, error);
}

function settingsOf(file: string, content: object): FileSettings {
  const names = new Map<string, SettingName>();
  for (const [name, option] of settings) {
    if (option.flag !== "" && !settings.has(option.flag as SettingName))
      names.set(option.flag, name);
  }
  const values: Partial<Record<SettingName, unknown>> = {};
  const keys = new Map<SettingName, string>();
  for (const [key, raw] of Object.entries(content)) {
    const off = key.startsWith("no-") && typeof raw === "boolean";
    const word = off ? key.slice(3) : key;
    const asFlag = names.get(word);
    const name = settings.has(word as SettingName) ? (word as SettingName) : asFlag;
    if (name === undefined) throw unknownKey(file, key, [...settings.keys(), ...names.keys()]);
    const before = keys.get(name);
    if (before !== undefined) {
      throw new UsageError(`${printable(file)} sets the same thing twice: ${before} and ${key}`);
    }
    keys.set(name, key);
    // Under its flag's name a value means what it means on the command line: "max-time: 30" has no unit.
    const typed = asFlag !== undefined && !settings.has(word as SettingName);
    values[name] = off ? !raw : typed && typeof raw === "number" ? String(raw) : raw;
  }
  return { values, keys };
}

function unknownKey(file: string, key: string, allowed: string[]): UsageError {
  const meant = nearest(key, allowed);
  const hint =
    meant === undefined ? "docs/config.md lists all of them" : `did you mean "${meant}"?`;
  return new UsageError(`${printable(file)} has an unknown setting "${printable(key)}"; ${hint}`);
}
