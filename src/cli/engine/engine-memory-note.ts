import { setTimeout } from "node:timers/promises";
import type { RedisClient } from "../../frontier/engine/load-ioredis.ts";

const LOOK_MS = 2000;
const LAST_LOOK_MS = 1000;

/**
 * Tells once that a server of the engine is full, and once that it has room again; answers a function that ends it with
 * a last look, because a crawl may go on and be over between two looks.
 */
export function noteFullEngine(
  client: RedisClient,
  note: (text: string) => void,
): () => Promise<void> {
  let isFull = false;
  let looking: Promise<void> | undefined;
  const ask = async () => {
    const servers = "nodes" in client ? client.nodes("master") : [client];
    const infos = await Promise.all(servers.map((one) => one.info("memory")));
    const wasFull = isFull;
    isFull = infos.some(isFullServer);
    if (isFull && !wasFull)
      note("the engine is full: the crawl waits until its maxmemory is raised, nothing is lost");
    if (wasFull && !isFull) note("the engine has room again, the crawl goes on");
  };
  const look = () => {
    // A question to an engine that is away waits for it.
    looking ??= ask()
      .catch(() => {})
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  const timer = setInterval(look, LOOK_MS);
  return async () => {
    clearInterval(timer);
    if (!isFull) return;
    await Promise.race([look(), setTimeout(LAST_LOOK_MS, undefined, { ref: false })]);
  };
}

function isFullServer(info: string): boolean {
  const number = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1] ?? 0);
  const most = number("maxmemory");
  // Buffers of replicas and of the log do not count, as the server has it.
  return most > 0 && number("used_memory") - number("mem_not_counted_for_evict") > most;
}
