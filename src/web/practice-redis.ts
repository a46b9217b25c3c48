import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { UsageError } from "../errors.ts";

const READY = /Ready to accept connections/;
const MAX_LOG_CHARACTERS = 64 * 1024;

/** Where and how a server of ours runs. */
export interface RedisOptions {
  /** Its data; another start with the same folder finds what was kept. */
  readonly folder: string;
  readonly port?: number;
  /** More settings, such as ["--maxmemory", "10mb"]. */
  readonly args?: readonly string[];
}

/** Path of redis-server, or undefined when it is not on the PATH. */
export function findRedisServer(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders
    .map((folder) => join(folder, "redis-server"))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** A port of this machine that nobody listens at. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** A Redis server on loopback for demonstrations and tests: append-only file synced every second, nothing evicted. */
export class PracticeRedis {
  readonly port: number;
  readonly folder: string;
  readonly #program: string;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #log = "";

  private constructor(program: string, port: number, options: RedisOptions) {
    this.#program = program;
    this.port = port;
    this.folder = options.folder;
    this.#args = options.args ?? [];
  }

  /** Starts one and waits until it answers. */
  static async start(options: RedisOptions): Promise<PracticeRedis> {
    const program = findRedisServer();
    if (program === undefined)
      throw new UsageError(
        "redis-server is not on the PATH; Debian and Ubuntu have it as the package redis-server",
      );
    mkdirSync(options.folder, { recursive: true });
    const redis = new PracticeRedis(program, options.port ?? (await freePort()), options);
    await redis.run();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Starts it, for the first time or again, with what its folder holds. */
  async run(): Promise<void> {
    if (this.#child !== undefined) throw new Error("redis-server is running already");
    const child = spawn(
      this.#program,
      [
        ...["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.folder],
        ...["--save", "", "--appendonly", "yes", "--appendfsync", "everysec"],
        ...["--maxmemory-policy", "noeviction", "--logfile", "", "--daemonize", "no"],
        ...this.#args,
      ],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    this.#child = child;
    this.#log = "";
    let onReady: () => void = () => {};
    const ready = new Promise<void>((resolve) => {
      onReady = resolve;
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#log = (this.#log + text).slice(-MAX_LOG_CHARACTERS);
        if (READY.test(this.#log)) onReady();
      });
    }
    let spawnError: Error | undefined;
    this.#ended = new Promise((resolve) => {
      const end = () => {
        if (this.#child === child) this.#child = undefined;
        resolve();
      };
      child.once("error", (error) => {
        spawnError = error;
        end();
      });
      child.once("exit", end);
    });
    await Promise.race([
      ready,
      this.#ended.then(() => {
        throw new Error(`redis-server did not start: ${this.#log.slice(-500)}`, {
          cause: spawnError,
        });
      }),
    ]);
  }

  /** Sends a signal; SIGSTOP and SIGCONT make it stand still and go on. */
  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Ends it at once; what was not written to its files is gone. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#ended;
  }
}
