import { UsageError } from "../errors.ts";
import { noSuchCrawl } from "../frontier/engine/check-engine.ts";
import type { ConnectedEngine } from "../frontier/engine/connect-engine.ts";
import { EngineKeys } from "../frontier/engine/engine-keys.ts";

const SCAN_COUNT = 1000;
/** Without a lease time in the settings, a worker silent for so long is gone. */
const DEFAULT_LEASE_MS = 60_000;

/**
 * Removes every key of a crawl, and nothing else; answers how many. A crawl with workers alive is refused unless `isForced`.
 * The settings go last: killed half-way and called again, it finishes.
 */
export async function deleteCrawl(
  engine: ConnectedEngine,
  name: string,
  isForced: boolean,
): Promise<number> {
  const { client } = engine;
  const { prefix, crawl } = new EngineKeys(name, 0);
  if (!isForced) await refuseIfAlive(engine, name, crawl);
  let removed = 0;
  for (const server of engine.masters()) {
    for (let cursor = "0"; ; ) {
      const [next, keys] = await server.scan(cursor, "MATCH", `${prefix}*`, "COUNT", SCAN_COUNT);
      // The pattern is the prefix itself: names have no characters that mean more. Looked at once more, because it deletes.
      const own = keys.filter((key) => key.startsWith(prefix) && key !== crawl);
      removed += (await Promise.all(own.map((key) => client.unlink(key)))).length;
      cursor = next;
      if (cursor === "0") break;
    }
  }
  const settings = await client.unlink(crawl);
  if (removed + settings === 0) throw noSuchCrawl(name, engine.address);
  return removed + settings;
}

async function refuseIfAlive(engine: ConnectedEngine, name: string, crawl: string): Promise<void> {
  const { client } = engine;
  const leaseMs = Number((await client.hget(crawl, "leaseMs")) ?? DEFAULT_LEASE_MS);
  const [seconds] = (await engine.masters()[0]!.time()).map(Number);
  const members = await client.hgetall(`${crawl}:members`);
  const alive = Object.values(members).filter(
    (sign) => seconds! * 1000 - Number(sign.split(" ")[0]) <= leaseMs,
  );
  if (alive.length > 0)
    throw new UsageError(
      `${alive.length} workers of ${name} are alive: stop them first, or give --force`,
    );
}
