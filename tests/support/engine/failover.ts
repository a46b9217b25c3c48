import { setTimeout } from "node:timers/promises";
import type { PracticeRedis } from "../../../src/web/practice-redis.ts";
import { withClient } from "./redis.ts";

/**
 * Kills a master while its replica is behind: the replica stands still and its link is closed at the master, so that what
 * the master acknowledges in the next `lagMs` is known to nobody else. Then the master is killed and the replica goes on.
 */
export async function killWithLaggingReplica(
  master: PracticeRedis,
  replica: PracticeRedis,
  lagMs: number,
): Promise<{ readonly lostBytes: number }> {
  const before = await withClient(master.port, replicationOffset);
  replica.signal("SIGSTOP");
  await withClient(master.port, (client) => client.call("CLIENT", "KILL", "TYPE", "replica"));
  await setTimeout(lagMs);
  const after = await withClient(master.port, replicationOffset);
  await master.kill();
  replica.signal("SIGCONT");
  return { lostBytes: after - before };
}

async function replicationOffset(client: { info(section: string): Promise<string> }) {
  return Number(/master_repl_offset:(\d+)/.exec(await client.info("replication"))?.[1] ?? 0);
}
