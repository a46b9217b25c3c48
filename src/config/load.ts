import type { Origin } from "./complaint.ts";
import { type FileSettings, readConfigFile } from "./config-file.ts";
import { checkSettings } from "./crawl-config.ts";
import { requireEffect } from "./effect.ts";
import { settings as allSettings, type CrawlSettings, type SettingName } from "./schema.ts";

/** Where settings come from, in order of precedence: flags, file, environment, defaults. */
export interface ConfigSources {
  /** Values of the command line, by setting. */
  readonly flags?: Readonly<Partial<Record<SettingName, unknown>>>;
  /** Name of a JSON or YAML file. */
  readonly file?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The settings of a crawl that is resumed, which those given replace. */
  readonly resumed?: CrawlSettings | undefined;
}

/**
 * Merges and checks all sources. A list of the command line replaces the list of the file. The file wins
 * over the environment: it describes this crawl, the environment only this machine.
 */
export async function loadSettings(sources: ConfigSources): Promise<CrawlSettings> {
  return (await loadGiven(sources)).settings;
}

/** The same, and which of the settings were given at all. */
export async function loadGiven(
  sources: ConfigSources,
): Promise<{ readonly settings: CrawlSettings; readonly given: readonly SettingName[] }> {
  const file = sources.file === undefined ? undefined : await readConfigFile(sources.file);
  const values: Partial<Record<SettingName, unknown>> = {};
  const origins = new Map<SettingName, Origin>();
  for (const [name, option] of allSettings) {
    const found =
      fromFlags(sources, name) ??
      fromFile(sources, file, name) ??
      fromEnvironment(sources, option.environment);
    if (found === undefined) continue;
    values[name] = found.value;
    origins.set(name, found.origin);
  }
  const originOf = (name: SettingName): Origin => origins.get(name) ?? { kind: "program" };
  const settings = checkSettings(values, originOf);
  const given = [...origins.keys()];
  const changes = Object.fromEntries(given.map((name) => [name, settings[name]]));
  const all = sources.resumed === undefined ? settings : { ...sources.resumed, ...changes };
  requireEffect(all, given, originOf);
  return { settings, given };
}

type Found = { value: unknown; origin: Origin } | undefined;

function fromFlags({ flags }: ConfigSources, name: SettingName): Found {
  const value = flags?.[name];
  return value === undefined ? undefined : { value, origin: { kind: "flag" } };
}

function fromFile(
  sources: ConfigSources,
  file: FileSettings | undefined,
  name: SettingName,
): Found {
  const key = file?.keys.get(name);
  if (file === undefined || key === undefined) return undefined;
  return { value: file.values[name], origin: { kind: "file", file: sources.file!, key } };
}

function fromEnvironment(sources: ConfigSources, variable: string | undefined): Found {
  const value = variable === undefined ? undefined : sources.environment?.[variable];
  // In a shell an empty variable means "not set".
  if (variable === undefined || value === undefined || value === "") return undefined;
  return { value, origin: { kind: "environment", variable } };
}
