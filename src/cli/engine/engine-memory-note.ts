import type { RedisClient } from "../../frontier/engine/load-ioredis.ts";

const LOOK_MS = 2000;

/** Tells once that a server of the engine is full, and once that it has room again; answers a function that ends it. */
export function noteFullEngine(client: RedisClient, note: (text: string) => void): () => void {
  let [isFull, isLooking] = [false, false];
  const look = async () => {
    const servers = "nodes" in client ? client.nodes("master") : [client];
    const infos = await Promise.all(servers.map((one) => one.info("memory")));
    const wasFull = isFull;
    isFull = infos.some(isFullServer);
    if (isFull && !wasFull)
      note("the engine is full: the crawl waits until its maxmemory is raised, nothing is lost");
    if (wasFull && !isFull) note("the engine has room again, the crawl goes on");
  };
  const timer = setInterval(() => {
    // A question to an engine that is away waits for it.
    if (isLooking) return;
    isLooking = true;
    look().then(
      () => {
        isLooking = false;
      },
      () => {
        isLooking = false;
      },
    );
  }, LOOK_MS);
  return () => clearInterval(timer);
}

function isFullServer(info: string): boolean {
  const number = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1] ?? 0);
  const most = number("maxmemory");
  // Buffers of replicas and of the log do not count, as the server has it.
  return most > 0 && number("used_memory") - number("mem_not_counted_for_evict") > most;
}
