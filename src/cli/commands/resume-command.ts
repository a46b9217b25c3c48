import { loadSettings } from "../../config/load.ts";
import { printable } from "../../config/printable.ts";
import type { CrawlConfig, SettingName } from "../../config/schema.ts";
import { EXIT, OrbweaverError, StoreCorruptError, UsageError } from "../../errors.ts";
import { readCrawlState } from "../../store/folder/crawl-folder.ts";
import { isUnfinished } from "../../store/folder/create-folder.ts";
import type { Command } from "../command.ts";
import { CRAWL_OPTIONS, flagsOf } from "../crawl-options.ts";
import type { Io } from "../io.ts";
import { onlyWord } from "../options.ts";

/** Settings that a later run of the same crawl cannot change. */
const FIXED: readonly SettingName[] = [
  "frontier",
  "shards",
  "out",
  "seeds",
  "seedsFile",
  "strictSeeds",
  "dropSessionIds",
  "dropTracking",
  "trailingSlash",
];

/** `orbweaver resume`. */
export const command: Command = {
  name: "resume",
  usage: ["resume DIR [OPTION...]"],
  about:
    "Continues a crawl after a stop or a crash, with the settings it was started with; options given here replace them from now on. Every host first waits one delay.",
  options: CRAWL_OPTIONS,
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
      throw new UsageError(
        isUnfinished(dir)
          ? `${shown} was left while its crawl was being made, and nothing was fetched; start it with orbweaver crawl URL --out ${shown}`
          : `${shown} holds no crawl; start one with orbweaver crawl URL --out ${shown}`,
      );
    }
    if (state.frontier === "shared") {
      throw new UsageError(
        `${shown} was crawled on a shared frontier, which is not durable and cannot be resumed; crawl again with another --out`,
      );
    }
    const config = await changed(state.config as CrawlConfig, flagsOf(args), io.environment);
    const { runCrawl } = await import("../run-crawl.ts");
    try {
      return await runCrawl({ ...config, out: dir }, io, true);
    } catch (fault) {
      if (!(fault instanceof OrbweaverError && fault.exitCode === EXIT.corrupt)) throw fault;
      throw new StoreCorruptError(
        `${fault.message}; orbweaver recover ${shown} keeps all that is intact`,
        fault,
      );
    }
  },
};

/** The old configuration with the settings that were given now. */
async function changed(
  old: CrawlConfig,
  flags: ReturnType<typeof flagsOf>,
  environment: Io["environment"],
): Promise<CrawlConfig> {
  const given = Object.keys(flags).filter(
    (name) => name !== "seeds" && flags[name as SettingName] !== undefined,
  ) as SettingName[];
  const fixed = given.find((name) => FIXED.includes(name));
  if (fixed !== undefined) {
    throw new UsageError(`${fixed} belongs to the crawl and cannot be changed when it is resumed`);
  }
  const settings = await loadSettings({
    flags: { ...flags, seeds: [] },
    file: undefined,
    environment,
  });
  const config: CrawlConfig = {
    ...old,
    ...Object.fromEntries(given.map((name) => [name, settings[name]])),
  };
  if (config.order !== old.order && [config.order, old.order].includes("opic")) {
    // Cash is in the journals, and in the blocks under way, from the first page on or never.
    throw new UsageError(
      `order ${old.order} belongs to the crawl and cannot become ${config.order} when it is resumed: pages have cash from the first one on or never; crawl anew into another folder`,
    );
  }
  if (config.threads > config.shards) {
    throw new UsageError(
      `this crawl has ${config.shards} shards, so at most ${config.shards} threads can work on it`,
    );
  }
  return config;
}
