import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { factsIn } from "./connect-engine.ts";
import type { EngineKeys } from "./engine-keys.ts";
import type { RedisClient } from "./load-ioredis.ts";

/** A server that syncs every second and has not said so by then is asked again later. */
const MAX_WAIT_MS = 5000;

/** A server that syncs every second and has no sync under way begins one within this, and notices it within that. */
const BEGINS_WITHIN_MS = 1200;
const LOOK_AGAIN_MS = 250;

/** What asking for synced logs needs. */
export interface LogSyncParts {
  readonly client: Promise<RedisClient>;
  readonly keys: EngineKeys;
  readonly partitions: number;
}

/** A connection of its own to one server: whoever waits for a sync waits with everything else it has asked. */
interface Waiter {
  readonly connection: Redis;
  /** Counts connections: what was asked before one broke tells nothing about what the next one is told. */
  lives: number;
  /** Most replicas ever seen: one that is away may come back and take over with what it knew. */
  replicas: number;
}

/**
 * Asks every server of an engine whether its log, and that of its replicas, is on disk up to now (`WAITAOF`, Redis 7.2 and
 * Valkey). The command speaks of what its own connection has written: so a small write goes first, and what all others were
 * answered before lies before it in the log.
 */
export class LogSync {
  readonly #parts: LogSyncParts;
  readonly #waiters = new Map<string, Waiter>();
  /** Undefined before it is known whether the engine has the command. */
  #exists: boolean | undefined;
  #isClosed = false;

  constructor(parts: LogSyncParts) {
    this.#parts = parts;
  }

  /** The life of all servers when what they answered in it before the call cannot be lost; undefined when that is not known. */
  async synced(): Promise<string | undefined> {
    const client = await this.#parts.client;
    this.#exists ??= await hasCommand(client);
    if (!this.#exists || this.#isClosed) return undefined;
    const servers = "nodes" in client ? client.nodes("master") : [client];
    const ask = (server: Redis) => this.#unlessBroken(server, this.#ask(client, server));
    const lives = await Promise.all(servers.map(ask));
    return lives.includes(undefined) ? undefined : lives.sort().join();
  }

  /** The same where `WAITAOF` is unknown, too: looks at each server for as long as it needs to be certain. For who leaves. */
  async flushed(): Promise<string | undefined> {
    const client = await this.#parts.client;
    this.#exists ??= await hasCommand(client);
    if (this.#isClosed) return undefined;
    const servers = "nodes" in client ? client.nodes("master") : [client];
    const watch = (server: Redis) => this.#unlessBroken(server, this.#watch(client, server));
    const lives = await Promise.all(servers.map(watch));
    return lives.includes(undefined) ? undefined : lives.sort().join();
  }

  /**
   * A server that syncs every second begins a sync within a second after a write, or as soon as the one before has ended:
   * so when no sync runs later than that, and none has begun when it is looked at again, the write is on disk.
   */
  async #watch(client: RedisClient, server: Redis): Promise<string | undefined> {
    const { connection } = this.#waiterOf(server);
    try {
      const first = factsIn(await connection.info());
      // It keeps nothing: there is nothing to wait for.
      if (first.get("aof_enabled") === "0") return lifeOf(first);
      if (this.#exists) return this.#ask(client, server);
      const replicas = Number(first.get("connected_slaves"));
      const place = this.#placeOn(client, server);
      if (replicas > 0 && place !== undefined) {
        await connection.set(`${place.key}:y`, "");
        if ((await connection.wait(replicas, MAX_WAIT_MS)) < replicas) return undefined;
      }
      await sleep(BEGINS_WITHIN_MS);
      for (let calm = 0; calm < 2; ) {
        const facts = factsIn(await connection.info());
        if (lifeOf(facts) !== lifeOf(first)) return undefined;
        const isCalm = ["aof_pending_bio_fsync", "aof_buffer_length"].every(
          (name) => facts.get(name) === "0",
        );
        calm = isCalm ? calm + 1 : 0;
        if (calm < 2) await sleep(LOOK_AGAIN_MS);
      }
      return lifeOf(first);
    } catch {
      return undefined;
    }
  }

  /** A question that was under way when its connection broke is never answered, and nothing is known. */
  #unlessBroken(server: Redis, asked: Promise<string | undefined>): Promise<string | undefined> {
    const { connection } = this.#waiterOf(server);
    return new Promise((resolve) => {
      const onBroken = () => resolve(undefined);
      connection.once("close", onBroken);
      void asked.then(resolve).finally(() => connection.off("close", onBroken));
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const { connection } of this.#waiters.values()) connection.disconnect();
  }

  async #ask(client: RedisClient, server: Redis): Promise<string | undefined> {
    const place = this.#placeOn(client, server);
    if (place === undefined) return undefined;
    const waiter = this.#waiterOf(server);
    const { connection } = waiter;
    try {
      const info = await connection.info("server", "replication");
      const connected = Number(/connected_slaves:(\d+)/.exec(info)?.[1] ?? 0);
      waiter.replicas = Math.max(waiter.replicas, place.replicas, connected);
      const { lives, replicas } = waiter;
      await connection.set(`${place.key}:y`, "");
      const said = await connection.call("WAITAOF", "1", String(replicas), String(MAX_WAIT_MS));
      const [local, remote] = said as [number, number];
      if (waiter.lives !== lives || local !== 1 || remote < replicas) return undefined;
      return `${/run_id:\w+/.exec(info)} ${/master_replid:\w+/.exec(info)} ${lives}`;
    } catch {
      // Not connected, not allowed, a slot on its way elsewhere: nothing is known.
      return undefined;
    }
  }

  /** A partition that lies on a server, and the replicas that a cluster knows of it. */
  #placeOn(client: RedisClient, server: Redis): { key: string; replicas: number } | undefined {
    const { keys, partitions } = this.#parts;
    if (!("nodes" in client)) return { key: keys.partition(0), replicas: 0 };
    const name = `${server.options.host}:${server.options.port}`;
    // For each slot its master and that one's replicas.
    const { slots } = client as unknown as { slots: readonly (readonly string[] | undefined)[] };
    for (let number = 0; number < partitions; number++) {
      const owners = slots[keys.slot(number)];
      if (owners?.[0] === name) return { key: keys.partition(number), replicas: owners.length - 1 };
    }
    return undefined;
  }

  #waiterOf(server: Redis): Waiter {
    const name = `${server.options.host}:${server.options.port}`;
    const known = this.#waiters.get(name);
    if (known !== undefined) return known;
    const connection = server.duplicate({
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 1,
      readOnly: false,
    });
    const waiter: Waiter = { connection, lives: 0, replicas: 0 };
    connection.on("error", () => {});
    connection.on("close", () => waiter.lives++);
    this.#waiters.set(name, waiter);
    return waiter;
  }
}

function lifeOf(facts: ReadonlyMap<string, string>): string {
  return `${facts.get("run_id")} ${facts.get("master_replid")}`;
}

async function hasCommand(client: RedisClient): Promise<boolean> {
  const found = await client.call("COMMAND", "INFO", "WAITAOF").catch(() => [null]);
  return Array.isArray(found) && found[0] !== null && found[0] !== undefined;
}
