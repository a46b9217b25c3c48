import { configFrom } from "../../config/crawl-config.ts";
import { loadSettings } from "../../config/load.ts";
import { askQuestions, equivalentCommand } from "../../config/questions.ts";
import type { CrawlConfig, CrawlSettings } from "../../config/schema.ts";
import { hasCredentials } from "../../config/seeds/seed-line.ts";
import { loadSeedFile, rejectedLinesText } from "../../config/seeds/seed-source.ts";
import { UsageError } from "../../errors.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { CRAWL_OPTIONS, configFileOf, flagsOf } from "../crawl-options.ts";
import type { Io } from "../io.ts";

/** `orbweaver crawl`. */
export const command: Command = {
  name: "crawl",
  usage: ["crawl URL... [OPTION...]", "crawl --seeds FILE|- [OPTION...]"],
  about:
    "Crawls from the given URLs and writes a folder with the pages (WARC), their index and reports. Politeness comes first: robots.txt is obeyed, and a host is asked one thing at a time with a pause between.",
  options: CRAWL_OPTIONS,
  examples: [
    [
      "orbweaver crawl https://example.org/ --contact you@example.org",
      "one host, politely, until no link is left",
    ],
    [
      "orbweaver crawl --seeds seeds.txt --scope domain --max-pages 10000 --contact you@example.org",
      "many sites from a file, 10,000 pages at most",
    ],
    [
      "orbweaver crawl http://127.0.0.1:8080/ --delay 0 --out crawls/mine --json",
      "your own server at full speed, the summary for a program",
    ],
  ],
  async run(args, io) {
    const config = await crawlConfig(args, io);
    if (config.whenFull !== "spill") {
      const { runBlockingCrawl } = await import("../run-blocking-crawl.ts");
      return runBlockingCrawl(config, io);
    }
    if (config.schedule === "rounds") {
      const { runRoundsCrawl } = await import("../run-rounds-crawl.ts");
      return runRoundsCrawl(config, io);
    }
    // The engine is loaded only now, so that help and wrong usage do not pay for it.
    if (config.frontier === "engine") {
      const { beginOnEngine } = await import("../engine/run-on-engine.ts");
      return beginOnEngine(config, io);
    }
    const { runCrawl } = await import("../run-crawl.ts");
    return runCrawl(config, io);
  },
};

/** Everything between the command line and a configuration: file, environment, questions, seeds. */
export async function crawlConfig(args: Arguments, io: Io): Promise<CrawlConfig> {
  const file = configFileOf(args);
  let flags = flagsOf(args);
  let settings = await loadSettings({ flags, file, environment: io.environment });
  if (!hasStart(settings)) {
    requireTerminal(io);
    const given = settings.contact === undefined ? flags : { ...flags, contact: settings.contact };
    flags = await askQuestions(given, io.stdin, io.stderr);
    io.stderr.write(`\nThe same without questions:\n  ${equivalentCommand(flags, file)}\n\n`);
    settings = await loadSettings({ flags, file, environment: io.environment });
  }
  if (settings.recrawl !== undefined) {
    const { finalizeIfLeft } = await import("../../store/finish/finalize.ts");
    finalizeIfLeft(settings.recrawl);
  }
  const typed = (flags.seeds as readonly string[] | undefined) ?? [];
  const withSecrets = settings.seeds.filter(hasCredentials).length;
  if (settings.seedsFile === undefined) {
    tellOfCredentials(withSecrets, settings, io);
    return configFrom(settings, { typed });
  }
  const list = await loadSeedFile(settings.seedsFile, settings.strictSeeds, io.stdin);
  for (const line of rejectedLinesText(list.rejected)) io.stderr.write(`orbweaver: ${line}\n`);
  tellOfCredentials(withSecrets + list.credentials, settings, io);
  return configFrom(settings, { typed, list });
}

/** Once, and without them. */
function tellOfCredentials(seeds: number, { quiet }: CrawlSettings, io: Io): void {
  if (seeds === 0 || quiet) return;
  const which = seeds === 1 ? "a seed" : `${seeds} seeds`;
  io.stderr.write(
    `orbweaver: the name and password in ${which} are left out; --auth sends them to one origin\n`,
  );
}

function hasStart(settings: CrawlSettings): boolean {
  return settings.seeds.length > 0 || settings.seedsFile !== undefined;
}

function requireTerminal(io: Io): void {
  if (io.stdin.isTTY && io.stderr.isTTY) return;
  throw new UsageError(
    "there is nothing to crawl; give at least one URL or --seeds FILE, for example orbweaver crawl https://example.org/",
  );
}
