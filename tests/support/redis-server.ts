import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether tests that need a real engine can run; otherwise why not, as `skip` of a test wants it. */
export const noRedis: string | false =
  spawnSync("redis-server", ["--version"]).status === 0
    ? false
    : "redis-server is not installed (Debian: apt install redis-server)";

/** A server of a test, on a free loopback port, with its files in a folder of its own. */
export interface RunningRedis {
  readonly port: number;
  readonly url: string;
  readonly folder: string;
  readonly process: ChildProcess;
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
  const port = options.port ?? (await freePort());
  const settings = {
    port: String(port),
    bind: "127.0.0.1",
    dir: folder,
    appendonly: "yes",
    appendfsync: "everysec",
    save: "",
    ...options.settings,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const process = spawn("redis-server", args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => process.once("exit", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    let text = "";
    process.stdout!.on("data", (some: Buffer) => {
      text += some.toString();
      if (text.includes("Ready to accept connections")) resolve();
    });
    process.once("exit", (code) => reject(new Error(`redis-server ended with ${code}: ${text}`)));
  });
  const kill = async () => {
    process.kill("SIGKILL");
    await ended;
  };
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    folder,
    process,
    kill,
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
