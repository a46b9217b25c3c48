import { join } from "node:path";
import { checkSettings } from "../../config/crawl-config.ts";
import type { OptionSpec } from "../../config/option.ts";
import { type CrawlConfig, settings } from "../../config/schema.ts";
import { EXIT, UsageError } from "../../errors.ts";
import { readCrawlState } from "../../store/folder/crawl-folder.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { flagsOf } from "../crawl-options.ts";

/** What belongs to one worker; everything else is the crawl's. */
const OWN = [
  "engine",
  "crawlName",
  "out",
  "threads",
  "linksPerThread",
  "volatile",
  "json",
  "quiet",
  "debug",
] as const;
const OPTIONS: readonly OptionSpec[] = OWN.map((name) => settings.get(name)!);

/** `orbweaver worker`. */
export const command: Command = {
  name: "worker",
  usage: ["worker --engine URL --crawl NAME [OPTION...]"],
  about:
    "Joins a crawl on an engine: fetches its share of the sites into a folder of its own, with the settings that the crawl was begun with, until the crawl ends. Several may run, on one machine or many; each may be stopped or die at any moment.",
  options: OPTIONS,
  examples: [
    [
      "orbweaver worker --engine redis://engine.example:6379 --crawl news",
      "one more machine for a crawl",
    ],
    [
      "orbweaver worker --engine redis://engine.example:6379 --crawl news --out news-1a2b3c4d",
      "go on with a folder of before",
    ],
  ],
  async run(args, io) {
    const own = ownSettings(args, io.environment);
    const { connectForCrawl } = await import("../../frontier/engine/check-engine.ts");
    const { newWorkerId, readEngineCrawl } = await import("../../frontier/engine/engine-crawl.ts");
    const { EngineKeys } = await import("../../frontier/engine/engine-keys.ts");
    const { addressOf } = await import("../../frontier/engine/load-ioredis.ts");
    const { PARTITIONS } = await import("../../url/site.ts");
    const { onEngine, workerOf } = await import("../engine/run-on-engine.ts");
    const { runCrawl } = await import("../run-crawl.ts");
    const client = await connectForCrawl(own.engine, io.environment, own);
    try {
      const { url } = addressOf(own.engine, io.environment);
      const crawl = await readEngineCrawl(client, own.crawlName, url);
      const before = own.out === undefined ? undefined : readCrawlState(own.out);
      const id = idOf(before?.config as CrawlConfig | undefined, own) ?? newWorkerId();
      const { maxTimeMs } = crawl.config;
      const left =
        maxTimeMs === undefined ? {} : { maxTimeMs: Math.max(1, maxTimeMs - crawl.ageMs) };
      const config: CrawlConfig = {
        ...crawl.config,
        ...left,
        ...own,
        out: own.out ?? join(".", `${own.crawlName}-${id}`),
        worker: workerOf(crawl, id),
      };
      const { registerFolder, settleFolder } = await import("../../cluster/worker-folders.ts");
      const keys = new EngineKeys(own.crawlName, PARTITIONS);
      const { order } = crawl.config;
      if (before !== undefined) await settleFolder({ client, keys, order }, config.out!);
      await registerFolder(client, keys, id, config.out!);
      const exitCode = await runCrawl(config, io, before !== undefined, onEngine(client));
      // Whoever began the crawl says that a limit ended it; a worker has done what it came for.
      return exitCode === EXIT.limit || exitCode === EXIT.nothingFetched ? EXIT.finished : exitCode;
    } finally {
      client.disconnect();
    }
  },
};

/** The settings of this worker that were given, and the two that it cannot do without. */
function ownSettings(
  args: Arguments,
  environment: Readonly<Record<string, string | undefined>>,
): Partial<CrawlConfig> & { engine: string; crawlName: string; volatile: boolean } {
  if (args.words.length > 0)
    throw new UsageError("worker takes no URL: a crawl has its seeds from orbweaver crawl");
  const flags = flagsOf(args);
  const given = { engine: environment.ORBWEAVER_ENGINE || undefined, ...flags };
  const checked = checkSettings(
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  );
  const { engine, crawlName } = checked;
  if (engine === undefined || crawlName === undefined)
    throw new UsageError(
      "worker needs --engine and --crawl, for example orbweaver worker --engine redis://127.0.0.1:6379 --crawl news",
    );
  const names = Object.keys(given) as (typeof OWN)[number][];
  const own = Object.fromEntries(names.map((name) => [name, checked[name]]));
  return { ...own, engine, crawlName, volatile: checked.volatile };
}

/** The name under which a folder was filled before. */
function idOf(
  before: Partial<CrawlConfig> | undefined,
  { crawlName, out }: { readonly crawlName: string; readonly out?: string | undefined },
): string | undefined {
  if (before === undefined) return undefined;
  if (before.crawlName === crawlName && before.worker !== undefined) return before.worker.id;
  throw new UsageError(`${out} holds another crawl than ${crawlName}; choose another --out`);
}
