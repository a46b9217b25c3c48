import { loadSettings } from "../../config/load.ts";
import { UsageError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { CRAWL_OPTIONS, configFileOf, flagsOf } from "../crawl-options.ts";

// The demonstration chooses its own seeds, and everything it fetches is on this machine.
const NOT_HERE = new Set([
  "",
  "seeds",
  "strict-seeds",
  "contact",
  "resolve",
  "allow-private",
  "config",
]);

/** `orbweaver demo`. */
export const command: Command = {
  name: "demo",
  usage: ["demo [OPTION...]"],
  about:
    "Starts a synthetic web on this machine, crawls it and ends with a summary and a folder of results. Needs no internet.",
  options: CRAWL_OPTIONS.filter(({ flag }) => !NOT_HERE.has(flag)),
  examples: [
    ["orbweaver demo", "the whole tour, results in a new folder under crawls/"],
    ["orbweaver demo --out crawls/demo --threads 2 --json", "the same for a program"],
  ],
  async run(args, io) {
    const [extra] = args.words;
    if (extra !== undefined) {
      throw new UsageError(`demo takes no URL; did you mean orbweaver crawl ${extra}?`);
    }
    const settings = await loadSettings({ flags: flagsOf(args), file: configFileOf(args) });
    const { runDemo } = await import("../run-demo.ts");
    return runDemo(settings, io);
  },
};
