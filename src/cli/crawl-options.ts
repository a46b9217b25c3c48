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

/** What the short help of a crawl shows. */
export const OFTEN_USED: readonly (readonly [flag: string, text: string])[] = [
  ["out", "the folder for the results; a new one under crawls/"],
  ["contact", "how sites reach you; needed beyond this machine"],
  ["scope", "how far links are followed; host"],
  ["include", "follow only URLs that match"],
  ["exclude", "do not follow URLs that match"],
  ["order", "near the seeds first, newest, or most linked"],
  ["max-pages", "end after exactly this many pages"],
  ["max-depth", "steps from a seed; 0 = the seeds alone"],
  ["max-time", "end after this time: 3s, 10m, 24h"],
  ["delay", "pause between two requests to a host; 1000"],
  ["threads", "crawler threads"],
  ["handler", "a module that sees every page"],
  ["dashboard", "watch and steer the crawl in a browser"],
  ["json", "the summary as one JSON object"],
];
