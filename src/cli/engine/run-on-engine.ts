import { registerFolder } from "../../cluster/worker-folders.ts";
import type { CrawlConfig } from "../../config/schema.ts";
import { connectForCrawl } from "../../frontier/engine/check-engine.ts";
import {
  createEngineCrawl,
  type EngineCrawl,
  newWorkerId,
} from "../../frontier/engine/engine-crawl.ts";
import { EngineKeys } from "../../frontier/engine/engine-keys.ts";
import type { RedisClient } from "../../frontier/engine/load-ioredis.ts";
import { refuseTakenFolder } from "../../store/folder/create-folder.ts";
import { freshFolder } from "../../store/folder/fresh-folder.ts";
import { PARTITIONS } from "../../url/site.ts";
import type { Io } from "../io.ts";
import { runCrawl } from "../run-crawl.ts";
import { noteFullEngine } from "./engine-memory-note.ts";

/** Begins a crawl on an engine and is its first worker. */
export async function beginOnEngine(asked: CrawlConfig, io: Io): Promise<number> {
  const client = await connectForCrawl(asked.engine!, io.environment, asked);
  try {
    const out = asked.out ?? freshFolder("crawls", new Date());
    // A crawl that nobody could begin would keep its name.
    refuseTakenFolder(out);
    const name = asked.crawlName ?? `crawl-${newWorkerId()}`;
    if (asked.crawlName === undefined && !asked.quiet)
      io.stderr.write(
        `orbweaver: the crawl is called ${name}; orbweaver worker --crawl ${name} joins it\n`,
      );
    const crawl = await createEngineCrawl(client, { ...asked, crawlName: name });
    const config = { ...asked, crawlName: name, out, worker: workerOf(crawl, newWorkerId()) };
    const keys = new EngineKeys(name, PARTITIONS);
    await registerFolder(client, keys, config.worker.id, out);
    return await runCrawl(config, io, false, onEngine(client));
  } finally {
    client.disconnect();
  }
}

/** A worker of a crawl has this name, and the same fingerprints as all others. */
export function workerOf(
  { seedLow, seedHigh }: Pick<EngineCrawl, "seedLow" | "seedHigh">,
  id: string,
): NonNullable<CrawlConfig["worker"]> {
  return { id, seedLow, seedHigh };
}

/**
 * Tells once that the engine is gone, or full, and once that it is not any more: the threads wait by themselves. What it
 * answers ends that.
 */
export function onEngine(
  client: RedisClient,
): (note: (text: string) => void) => () => Promise<void> {
  return (note) => {
    const end = noteFullEngine(client, note);
    client.once("end", end);
    let isGone = false;
    client.on("close", () => {
      if (!isGone && client.status !== "end")
        note("the engine does not answer: the crawl waits for it, nothing is lost");
      isGone = true;
    });
    client.on("ready", () => {
      if (isGone) note("the engine is back, the crawl goes on");
      isGone = false;
    });
    return end;
  };
}
