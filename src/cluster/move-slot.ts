import type { Redis } from "ioredis";
import type { EngineAddress } from "../frontier/engine/load-ioredis.ts";
import type { MasterNode } from "./cluster-nodes.ts";

/** In the field `frozen` of a partition: who froze it. */
export const FROZEN_BY = "rebalance";
const KEYS_PER_CALL = 100;
const MIGRATE_TIMEOUT_MS = 60_000;
/** The hash of a partition, of any crawl: crawls with equally many partitions have the same tags, and so the same slots. */
const PARTITION = /^orbweaver:[^:]+:\{[^}]+\}$/;

/** Where a slot goes. */
export interface SlotMove {
  readonly slot: number;
  readonly source: MasterNode;
  readonly target: MasterNode;
}

/**
 * Moves a slot with everything in it. The partitions in it are frozen first, and the mark is in the hash that every script
 * reads first, here and there: so none works on a part of a partition. The hash moves last, so that callers are sent to the
 * target for a moment only. `always` is frozen even if it does not exist, so that it is not created meanwhile.
 * Interrupted, it may be called again.
 */
export async function moveSlot(
  { slot, source, target }: SlotMove,
  always: string,
  all: readonly MasterNode[],
  address: EngineAddress,
): Promise<number> {
  const bases = new Set([always]);
  for (const key of await keysIn(source.client, slot, Number.MAX_SAFE_INTEGER))
    if (PARTITION.test(key)) bases.add(key);
  for (const base of bases) await freeze(source.client, base);
  const runs = [await runOf(source.client), await runOf(target.client)] as const;
  await setSlot(target.client, slot, "IMPORTING", source.id);
  await setSlot(source.client, slot, "MIGRATING", target.id);
  let moved = 0;
  const auth =
    address.password === undefined
      ? []
      : address.username === undefined
        ? ["AUTH", address.password]
        : ["AUTH2", address.username, address.password];
  const migrate = async (keys: readonly string[]) => {
    if (keys.length === 0) return;
    const { host, port } = target;
    const how = [host, String(port), "", "0", String(MIGRATE_TIMEOUT_MS), ...auth];
    await source.client.call("MIGRATE", ...how, "KEYS", ...keys);
    moved += keys.length;
  };
  for (;;) {
    const keys = await keysIn(source.client, slot, KEYS_PER_CALL + bases.size);
    const others = keys.filter((key) => !bases.has(key));
    if (others.length === 0) {
      await migrate(keys);
      break;
    }
    await migrate(others);
  }
  // The target first: a slot that nobody owns for a moment is answered with an error, one that two own is not.
  for (const node of [target, source, ...all.filter((one) => one !== target && one !== source)])
    await setSlot(node.client, slot, "NODE", target.id);
  for (const base of bases) {
    // Nothing was lost, so no holder has to be waited for as after a rollback.
    const run = await target.client.hget(base, "run");
    const life = run === runs[0] ? { run: runs[1] } : {};
    await target.client.hset(base, { ...life, node: target.id });
    await unfreeze(target.client, base);
  }
  return moved;
}

/** Lets work go on in a partition, if we stopped it. */
export async function unfreeze(
  client: Pick<Redis, "hget" | "hdel">,
  base: string,
): Promise<boolean> {
  if ((await client.hget(base, "frozen")) !== FROZEN_BY) return false;
  await client.hdel(base, "frozen");
  return true;
}

async function freeze(client: Redis, base: string): Promise<void> {
  try {
    await client.hset(base, "frozen", FROZEN_BY);
  } catch (fault) {
    // An interrupted move has taken it to the target already, frozen.
    if (!/^(ASK|MOVED) /.test((fault as Error).message)) throw fault;
  }
}

async function keysIn(client: Redis, slot: number, count: number): Promise<string[]> {
  const most = Math.min(count, 2 ** 31 - 1);
  return (await client.call("CLUSTER", "GETKEYSINSLOT", String(slot), String(most))) as string[];
}

async function setSlot(client: Redis, slot: number, state: string, id: string): Promise<void> {
  await client.call("CLUSTER", "SETSLOT", String(slot), state, id);
}

/** As the scripts note it. */
async function runOf(client: Redis): Promise<string> {
  const [server, replication] = [await client.info("server"), await client.info("replication")];
  const head = (text: string, name: string) =>
    new RegExp(`^${name}:(\\w{12})`, "m").exec(text)?.[1] ?? "";
  return head(server, "run_id") + head(replication, "master_replid");
}
