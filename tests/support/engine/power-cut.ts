import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { PracticeRedis } from "../../../src/web/practice-redis.ts";

const LOOK_MS = 5;

/**
 * Emulates a power loss of a server with `appendfsync everysec`. kill -9 keeps what the kernel has, so the append-only
 * file is cut back to what it held `ageMs` before: the server syncs once a second, so any age up to 1,000 ms (2,000 when
 * the disk is slow) may be the moment of the last sync.
 */
export class PowerCut {
  readonly #redis: PracticeRedis;
  readonly #sizes: { readonly atMs: number; readonly file: string; readonly bytes: number }[] = [];
  readonly #ticker: NodeJS.Timeout;

  /** Watches how the file grows from now on. */
  constructor(redis: PracticeRedis) {
    this.#redis = redis;
    this.#look();
    this.#ticker = setInterval(() => this.#look(), LOOK_MS);
  }

  /**
   * Cuts the power; the bytes that were lost, none of them older than this watch: whatever came before counts as synced. Start the
   * server again with `run`.
   */
  async cut(ageMs: number): Promise<number> {
    const atMs = performance.now();
    await this.#redis.kill();
    this.stop();
    const { file, bytes } = incrementalFile(this.#redis.folder);
    const known = this.#sizes.filter((size) => size.file === file && size.atMs <= atMs - ageMs);
    const first = this.#sizes.find((size) => size.file === file);
    const kept = (known.at(-1) ?? first)?.bytes ?? 0;
    truncateSync(join(aofFolder(this.#redis.folder), file), kept);
    return bytes - kept;
  }

  stop(): void {
    clearInterval(this.#ticker);
  }

  #look(): void {
    const atMs = performance.now();
    const { file, bytes } = incrementalFile(this.#redis.folder);
    if (this.#sizes.at(-1)?.bytes !== bytes) this.#sizes.push({ atMs, file, bytes });
  }
}

const aofFolder = (folder: string) => join(folder, "appendonlydir");

function incrementalFile(folder: string): { file: string; bytes: number } {
  const files = readdirSync(aofFolder(folder)).filter((name) => name.endsWith(".incr.aof"));
  const number = (name: string) => Number(name.split(".").at(-3));
  const file = files.sort((a, b) => number(a) - number(b)).at(-1)!;
  return { file, bytes: statSync(join(aofFolder(folder), file)).size };
}
