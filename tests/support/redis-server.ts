import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PracticeRedis } from "../../src/web/practice-redis.ts";

export { freePort } from "../../src/web/practice-redis.ts";
export { noRedis } from "./engine/redis.ts";

/** A server of a test, on a free loopback port, with its files in a folder of its own. */
export interface RunningRedis {
  readonly port: number;
  readonly url: string;
  readonly folder: string;
  /** Ends it at once, as kill -9 does, and keeps its files. */
  kill(): Promise<void>;
  /** Ends it and removes its files. */
  close(): Promise<void>;
}

/** What a test may choose. */
export interface RedisOptions {
  /** Default: a new one. */
  readonly folder?: string;
  readonly port?: number;
  /** More settings, as on the command line without dashes. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts one server with an append-only file; settles when it takes connections. */
export async function startRedis(options: RedisOptions = {}): Promise<RunningRedis> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "orbweaver-redis-"));
  const args = Object.entries(options.settings ?? {}).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ]);
  const { port } = options;
  const redis = await PracticeRedis.start({
    folder,
    args,
    ...(port === undefined ? {} : { port }),
  });
  return {
    port: redis.port,
    url: redis.url,
    folder,
    kill: () => redis.kill(),
    async close() {
      await redis.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
