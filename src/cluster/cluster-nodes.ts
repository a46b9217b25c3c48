import type { Redis } from "ioredis";
import { OrbweaverError } from "../errors.ts";
import type { ConnectedEngine } from "../frontier/engine/connect-engine.ts";

/** A master of a Redis cluster. */
export interface MasterNode {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly client: Redis;
  readonly slots: ReadonlySet<number>;
  /** Slots that are on their way to another node. */
  readonly migrating: ReadonlyMap<number, string>;
}

/** All masters, each as it sees itself. */
export async function readMasters(engine: ConnectedEngine): Promise<MasterNode[]> {
  // A server that was added a moment ago has no slots, and the client may not have heard of it.
  const first = await clusterNodes(engine.masters()[0]!);
  const masters = first.filter(
    ({ flags }) => flags.includes("master") && !/fail|handshake|noaddr/.test(flags),
  );
  const nodes = await Promise.all(
    masters.map(async ({ host, port }) => {
      const known = engine.masters().find((one) => isAt(one, host, port));
      const client = known ?? engine.masters()[0]!.duplicate({ host, port });
      const seen = await clusterNodes(client);
      const own = seen.find(({ flags }) => flags.includes("myself"));
      const stranger = masters.find(({ id }) => !seen.some((one) => one.id === id));
      const isReady = /cluster_state:ok/.test((await client.call("CLUSTER", "INFO")) as string);
      if (own === undefined || stranger !== undefined || !isReady) {
        if (known === undefined) client.disconnect();
        throw new OrbweaverError(
          "OW_ENGINE_CLUSTER",
          `${host}:${port} is not ready, or does not know all servers of the cluster yet: try again in a moment`,
        );
      }
      return { ...own, host, port, client };
    }),
  );
  return nodes.sort((a, b) => (a.id < b.id ? -1 : 1));
}

function isAt({ options }: Redis, host: string, port: number): boolean {
  return options.host === host && options.port === port;
}

interface NodeLine extends Omit<MasterNode, "client"> {
  readonly flags: string;
}

/** The lines of CLUSTER NODES: id, address, flags, five more fields, then slots and moves. */
async function clusterNodes(client: Redis): Promise<NodeLine[]> {
  const text = (await client.call("CLUSTER", "NODES")) as string;
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [id = "", address = "", flags = "", , , , , , ...ranges] = line.trim().split(" ");
      const [, host = "", port = ""] = /^(.*):(\d+)@/.exec(address) ?? [];
      const slots = new Set<number>();
      const migrating = new Map<number, string>();
      for (const range of ranges) {
        const [, slot, target] = /^\[(\d+)->-(\w+)\]$/.exec(range) ?? [];
        if (slot !== undefined) migrating.set(Number(slot), target!);
        if (range.startsWith("[")) continue;
        const [from, to = from] = range.split("-").map(Number);
        for (let one = from!; one <= to!; one++) slots.add(one);
      }
      return { id, host, port: Number(port), flags, slots, migrating };
    });
}
