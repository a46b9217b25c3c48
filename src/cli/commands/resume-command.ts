import { OUTPUT_SETTINGS } from "../../config/kept-config.ts";
import { loadGiven } from "../../config/load.ts";
import type { OptionSpec } from "../../config/option.ts";
import { printable } from "../../config/printable.ts";
import { resumedConfig } from "../../config/resume-config.ts";
import type { CrawlConfig, CrawlSettings } from "../../config/schema.ts";
import { UsageError } from "../../errors.ts";
import { readCrawlState } from "../../store/folder/crawl-folder.ts";
import { noCrawl } from "../../store/folder/no-crawl.ts";
import type { Command } from "../command.ts";
import { CRAWL_OPTIONS, configFileOf, flagsOf, OFTEN_USED } from "../crawl-options.ts";
import { isOn, onlyWord } from "../options.ts";

/** What a crawl keeps stands by itself, with the reason. */
const OPTIONS: readonly OptionSpec[] = CRAWL_OPTIONS.filter(({ flag }) => flag !== "").map(
  (option) =>
    option.fixed === undefined
      ? option
      : { ...option, group: "What a crawl keeps", about: `cannot change: ${option.fixed}` },
);

const GO_ON: OptionSpec = {
  flag: "go-on",
  group: "Options",
  about: "go on with a crawl that was paused while it ran (docs/control.md)",
  allowed: "no value",
  examples: ["--go-on"],
};

/** `orbweaver resume`. */
export const command: Command = {
  name: "resume",
  usage: ["resume DIR [OPTION...]"],
  about:
    "Continues a crawl after a stop or a crash, with the settings it was started with; options given here, or in the file of --config, replace them from now on: links that were left out before stay out. Every host first waits one delay.",
  options: [...OPTIONS, GO_ON],
  often: [
    ...OFTEN_USED.filter(([flag]) => OPTIONS.find((one) => one.flag === flag)?.fixed === undefined),
    ["go-on", "go on with a crawl that was paused"],
  ],
  examples: [
    ["orbweaver resume crawls/example", "go on where it stopped"],
    ["orbweaver resume crawls/example --max-pages 20000 --threads 2", "go on with other limits"],
  ],
  async run(args, io) {
    const dir = onlyWord(
      args,
      "resume takes one folder, for example orbweaver resume crawls/example",
    );
    const state = readCrawlState(dir);
    const shown = printable(dir, 1000);
    if (state === undefined) {
      throw noCrawl(dir);
    }
    if (state.frontier === "shared") {
      throw new UsageError(
        `${shown} was crawled on a shared frontier, which is not durable and cannot be resumed; crawl again with another --out`,
      );
    }
    if (state.frontier === "engine") {
      const { crawlName = "NAME" } = state.config as CrawlConfig;
      throw new UsageError(
        `${shown} belongs to a worker of a crawl on an engine; go on with orbweaver worker --engine URL --crawl ${crawlName} --out ${shown}`,
      );
    }
    // Older crawls have kept what their last run showed.
    const old = { ...(state.config as CrawlConfig), ...OUTPUT_SETTINGS };
    // The environment describes a machine, and this crawl has its settings.
    const { settings, given } = await loadGiven({
      flags: { ...flagsOf(args), seeds: undefined },
      file: configFileOf(args),
      resumed: old as unknown as CrawlSettings,
    });
    const values = Object.fromEntries(given.map((name) => [name, settings[name]]));
    const config = resumedConfig(old, values, dir);
    const { runCrawl } = await import("../run-crawl.ts");
    const goesOn = isOn(args, GO_ON.flag);
    return runCrawl(config, io, true, (note, crawl) => {
      crawl.events.once("started", () => {
        if (!crawl.control.state().isPaused) return;
        if (goesOn) void crawl.control.goOn().catch(() => {});
        else note(`the crawl is paused, as it was told to be: resume ${shown} --go-on goes on`);
      });
    });
  },
};
