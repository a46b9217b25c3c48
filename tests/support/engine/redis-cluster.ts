import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Redis } from "ioredis";
import { freePort, PracticeRedis } from "../../../src/web/practice-redis.ts";
import { withClient } from "./redis.ts";

const SLOTS = 16_384;
const READY_MS = 60_000;
const LOOK_MS = 50;

/** A cluster on loopback: masters first, then the replica of each in the same order. */
export interface RedisCluster {
  readonly masters: readonly PracticeRedis[];
  readonly replicas: readonly PracticeRedis[];
  readonly nodeTimeoutMs: number;
  readonly url: string;
  close(): Promise<void>;
}

/** Starts masters that share the slots evenly, each with a replica, and waits until all of them agree. */
export async function startCluster(
  folder: string,
  { masters = 3, nodeTimeoutMs = 2000 }: { masters?: number; nodeTimeoutMs?: number } = {},
): Promise<RedisCluster> {
  const nodes: PracticeRedis[] = [];
  const busPorts: number[] = [];
  const close = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
  };
  try {
    for (let i = 0; i < 2 * masters; i++) {
      const busPort = await freePort();
      busPorts.push(busPort);
      nodes.push(
        await PracticeRedis.start({
          folder: join(folder, `node-${i}`),
          args: [
            ...["--cluster-enabled", "yes", "--cluster-port", String(busPort)],
            ...["--cluster-node-timeout", String(nodeTimeoutMs)],
            // A replica takes over however old its data are: that is what is tested.
            ...["--cluster-replica-validity-factor", "0", "--cluster-require-full-coverage", "no"],
            ...["--repl-diskless-sync-delay", "0"],
          ],
        }),
      );
    }
    await formCluster(nodes, busPorts, masters);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    masters: nodes.slice(0, masters),
    replicas: nodes.slice(masters),
    nodeTimeoutMs,
    url: nodes[0]!.url,
    close,
  };
}

async function formCluster(
  nodes: readonly PracticeRedis[],
  busPorts: readonly number[],
  masters: number,
): Promise<void> {
  const ids: string[] = [];
  for (const [i, node] of nodes.entries()) {
    await withClient(node.port, async (client) => {
      ids.push((await client.call("CLUSTER", "MYID")) as string);
      await client.call("CLUSTER", "SET-CONFIG-EPOCH", String(i + 1));
      if (i < masters) {
        const from = Math.floor((i * SLOTS) / masters);
        const to = Math.floor(((i + 1) * SLOTS) / masters) - 1;
        await client.call("CLUSTER", "ADDSLOTSRANGE", String(from), String(to));
      }
      if (i > 0) {
        const [port, bus] = [String(nodes[0]!.port), String(busPorts[0])];
        await client.call("CLUSTER", "MEET", "127.0.0.1", port, bus);
      }
    });
  }
  const all = (test: (client: Redis) => Promise<boolean>) =>
    untilTrue(async () => {
      const answers = await Promise.all(nodes.map((node) => withClient(node.port, test)));
      return answers.every((answer) => answer);
    });
  await all(async (client) => {
    const text = (await client.call("CLUSTER", "NODES")) as string;
    return ids.every((id) => text.includes(id)) && !text.includes("handshake");
  });
  for (let i = masters; i < nodes.length; i++) {
    await withClient(nodes[i]!.port, (client) =>
      client.call("CLUSTER", "REPLICATE", ids[i - masters]!),
    );
  }
  await all(async (client) => {
    const info = (await client.call("CLUSTER", "INFO")) as string;
    const text = (await client.call("CLUSTER", "NODES")) as string;
    const replicas = text.match(/\bslave\b/g)?.length ?? 0;
    return info.includes("cluster_state:ok") && replicas === nodes.length - masters;
  });
  for (const node of nodes.slice(masters)) {
    await untilTrue(() =>
      withClient(node.port, async (client) =>
        (await client.info("replication")).includes("master_link_status:up"),
      ),
    );
  }
}

/** Waits until the answer is yes; what is never true is an error. */
export async function untilTrue(test: () => Promise<boolean>, maxMs = READY_MS): Promise<void> {
  const endMs = performance.now() + maxMs;
  while (!(await test().catch(() => false))) {
    if (performance.now() > endMs) throw new Error(`not true within ${maxMs} ms`);
    await setTimeout(LOOK_MS);
  }
}
