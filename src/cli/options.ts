import type { OptionSpec } from "../config/option.ts";

/** `--json`; `about` tells what is printed. */
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
