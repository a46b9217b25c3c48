import type { OptionSpec } from "../config/option.ts";
import { type SettingName, settings } from "../config/schema.ts";
import type { Arguments } from "./arguments.ts";

/** `--config`: not a setting of the schema, but the place where settings come from. */
export const CONFIG_OPTION: OptionSpec = {
  flag: "config",
  value: "FILE",
  group: "Where to start",
  about: "read settings from a JSON or YAML file; options given here win (docs/config.md)",
  allowed: "the name of a JSON or YAML file",
  examples: ["--config crawl.yaml"],
};

/** All options of a crawl, as the schema gives them, and `--config`. */
export const CRAWL_OPTIONS: readonly OptionSpec[] = [...settings.values(), CONFIG_OPTION];

/** The settings of a command line, by name, still as text. */
export function flagsOf(args: Arguments): Partial<Record<SettingName, unknown>> {
  const flags: Partial<Record<SettingName, unknown>> = {};
  for (const [name, { flag }] of settings) {
    const value =
      flag === "" ? (args.words.length > 0 ? args.words : undefined) : args.options.get(flag);
    if (value !== undefined) flags[name] = value;
  }
  return flags;
}

/** The file of `--config`, if one was given. */
export function configFileOf(args: Arguments): string | undefined {
  return args.options.get(CONFIG_OPTION.flag) as string | undefined;
}
