import { configFrom } from "../config/crawl-config.ts";
import { loadSettings } from "../config/load.ts";
import { askQuestions, equivalentCommand } from "../config/questions.ts";
import type { CrawlConfig, CrawlSettings } from "../config/schema.ts";
import { hasCredentials } from "../config/seeds/seed-line.ts";
import { loadSeedFile, rejectedLinesText } from "../config/seeds/seed-source.ts";
import { UsageError } from "../errors.ts";
import type { Arguments } from "./arguments.ts";
import { configFileOf, flagsOf } from "./crawl-options.ts";
import type { Io } from "./io.ts";

/** Everything between the command line and a configuration: file, environment, questions, seeds. */
export async function readCrawlConfig(args: Arguments, io: Io): Promise<CrawlConfig> {
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
    const { finalizeIfLeft } = await import("../store/finish/finalize.ts");
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
