import { noSuchCrawl } from "../frontier/engine/check-engine.ts";
import type { ConnectedEngine } from "../frontier/engine/connect-engine.ts";
import { EngineKeys } from "../frontier/engine/engine-keys.ts";

/** A crawl on an engine: its settings and the names of its keys. */
export interface EngineCrawl {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly partitions: number;
  readonly keys: EngineKeys;
}

/** Looks a crawl up; one that is not there is exit 2. */
export async function findCrawl(
  { client, address }: ConnectedEngine,
  name: string,
): Promise<EngineCrawl> {
  const settings = await client.hgetall(new EngineKeys(name, 0).crawl);
  const partitions = Number(settings.partitions ?? 0);
  if (!(partitions > 0)) throw noSuchCrawl(name, address);
  return { name, settings, partitions, keys: new EngineKeys(name, partitions) };
}
