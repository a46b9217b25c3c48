import { loadSettings } from "../../config/load.ts";
import type { OptionSpec } from "../../config/option.ts";
import { UsageError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { CRAWL_OPTIONS, configFileOf, flagsOf, OFTEN_USED } from "../crawl-options.ts";
import { isOn } from "../options.ts";

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

/** What goes together with `--cluster`. */
const CLUSTER_FLAGS = new Set(["cluster", "out", "quiet", "debug"]);
const CLUSTER_OPTION: OptionSpec = {
  flag: "cluster",
  group: "Options",
  about:
    "a distributed crawl instead: a Redis server and three workers, one of which is killed; takes --out and --quiet only",
  allowed: "no value",
  examples: ["--cluster"],
};

/** `orbweaver demo`. */
export const command: Command = {
  name: "demo",
  usage: ["demo [OPTION...]"],
  about:
    "Starts a synthetic web on this machine, crawls it and ends with a summary and a folder of results. Needs no internet.",
  options: [CLUSTER_OPTION, ...CRAWL_OPTIONS.filter(({ flag }) => !NOT_HERE.has(flag))],
  often: [
    ["cluster", "crawl with several workers and an engine"],
    ...OFTEN_USED.filter(([flag]) => !NOT_HERE.has(flag)),
  ],
  examples: [
    ["orbweaver demo", "the whole tour, results in a new folder under crawls/"],
    ["orbweaver demo --cluster", "three workers on one Redis server, one of them is killed"],
    ["orbweaver demo --out crawls/demo --threads 2 --json", "the same for a program"],
  ],
  async run(args, io) {
    const [extra] = args.words;
    if (extra !== undefined) {
      throw new UsageError(`demo takes no URL; did you mean orbweaver crawl ${extra}?`);
    }
    const settings = await loadSettings({ flags: flagsOf(args), file: configFileOf(args) });
    if (isOn(args, CLUSTER_OPTION.flag)) {
      const other = [...args.options.keys()].find((flag) => !CLUSTER_FLAGS.has(flag));
      if (other !== undefined) throw new UsageError(`--${other} has no effect with --cluster`);
      const { runClusterDemo } = await import("../run-cluster-demo.ts");
      const { freshFolder } = await import("../../store/folder/fresh-folder.ts");
      const out = settings.out ?? freshFolder("crawls", new Date());
      return runClusterDemo({ out, quiet: settings.quiet }, io);
    }
    const { runDemo } = await import("../run-demo.ts");
    return runDemo(settings, io);
  },
};
