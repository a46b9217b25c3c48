import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findCrawl } from "../cluster/find-crawl.ts";
import { readStatus } from "../cluster/read-status.ts";
import { workerOfFolder } from "../cluster/worker-folders.ts";
import { EXIT, OrbweaverError } from "../errors.ts";
import { connectEngine, engineAddress } from "../frontier/engine/connect-engine.ts";
import { PracticeRedis } from "../web/practice-redis.ts";
import { PROFILES } from "../web/profile.ts";
import { type RemoteWeb, startWebProcess } from "../web/web-process.ts";
import { type Io, onSignals } from "./io.ts";
import { counted } from "./print-summary.ts";

const NAME = "demo";
const WORKERS = 3;
/** Slow enough that all workers are at work before the crawl is over. */
const DELAY_MS = 150;
/** The worker that dies, and after which part of the web. */
const VICTIM = 2;
const KILL_AFTER = 0.4;
/** Then it dies also when it has fetched nothing. */
const KILL_AT_LAST = 0.9;
const LOOK_MS = 20;
/** More hosts and pages than the other demonstration: three workers have something to share. */
const PROFILE = { ...PROFILES.demo, hosts: 24, pages: 900 };

/** How the demonstration is shown. */
export interface ClusterDemoOptions {
  /** Parent of the workers' folders. */
  readonly out: string;
  readonly quiet: boolean;
}

/** A worker's process, and its exit code once it has ended. */
interface Worker {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

/** Starts a Redis server, a web and three workers, kills one of them, and shows that nothing was lost. */
export async function runClusterDemo({ out, quiet }: ClusterDemoOptions, io: Io): Promise<number> {
  const note = (text: string) => {
    if (!quiet) io.stderr.write(`${text}\n`);
  };
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-demo-"));
  const children = new Set<ChildProcess>();
  let redis: PracticeRedis | undefined;
  let web: RemoteWeb | undefined;
  let isStopped = false;
  const forget = onSignals(() => {
    isStopped = true;
    for (const child of children) child.kill("SIGKILL");
  });
  try {
    redis = await PracticeRedis.start({ folder });
    web = await startWebProcess({ profile: PROFILE, delayMs: DELAY_MS });
    const { reachable } = await web.truth();
    note(
      `A Redis server at ${redis.url} and a web of ${counted(PROFILE.hosts, "host")} are up; ${reachable} pages can be reached.`,
    );
    const engine = ["--engine", redis.url, "--crawl", NAME];
    const start = (number: number, ...args: string[]) => {
      const worker = startWorker([...args, ...engine, "--out", join(out, `worker-${number}`)]);
      children.add(worker.child);
      void worker.ended.finally(() => children.delete(worker.child));
      note(`Worker ${number} runs as process ${worker.child.pid}.`);
      return worker;
    };
    const served = async () => (await web!.report()).pages;
    const first = start(
      1,
      ...["crawl", ...web.start, "--frontier", "engine", "--scope", "any", "--quiet"],
      ...["--delay", String(DELAY_MS), "--allow-private", "127.0.0.0/8"],
    );
    const workers = [first];
    await until(first, async () => (await served()) > 0);
    for (let number = 2; number <= WORKERS; number++)
      workers.push(start(number, "worker", "--quiet"));
    const victim = workers[VICTIM - 1]!;
    await until(first, async () => {
      const part = (await served()) / reachable;
      if (part < KILL_AFTER) return false;
      return part >= KILL_AT_LAST || (await hasPages(redis!.url, join(out, `worker-${VICTIM}`)));
    });
    victim.child.kill("SIGKILL");
    const before = await served();
    note(
      `Worker ${VICTIM} was killed (kill -9) after ${before} pages. What it held returns when its lease ends.`,
    );
    for (const worker of workers) {
      if (worker === victim) continue;
      const code = await worker.ended;
      if (isStopped) return EXIT.interrupted;
      if (code !== EXIT.finished) throw failed(worker);
    }
    const { pages, repeated, tooFastCount } = await web.report();
    note(
      `\nThe web itself saw ${pages} of ${reachable} reachable pages fetched, ${repeated} of them more than once ` +
        `(in flight when worker ${VICTIM} died), and ${tooFastCount} requests that came too soon.`,
    );
    note(pages === reachable ? "Nothing was lost." : `${reachable - pages} pages were lost.`);
    note(
      `Look around: each folder in ${out} holds the archive of one worker; one crawl is made of them by\n` +
        `orbweaver cluster collect ${NAME} --from ${out} --out ${join(out, "collected")}`,
    );
    return pages === reachable && tooFastCount === 0 ? EXIT.finished : EXIT.fault;
  } catch (error) {
    if (isStopped) return EXIT.interrupted;
    throw error;
  } finally {
    forget();
    for (const child of children) child.kill("SIGKILL");
    await web?.close();
    await redis?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

function startWorker(args: readonly string[]): Worker {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  const main = fileURLToPath(new URL(`./main${extension}`, import.meta.url));
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2000);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  });
  return { child, said: () => said, ended };
}

/** Whether the engine has accepted pages of the worker in a folder. */
async function hasPages(url: string, out: string): Promise<boolean> {
  const engine = await connectEngine(engineAddress(url, {}));
  try {
    const { workers } = await readStatus(engine, await findCrawl(engine, NAME), 0);
    const id = workerOfFolder(out);
    return workers.some(({ about, pages }) => about === id && pages > 0);
  } finally {
    engine.close();
  }
}

/** Waits until it holds; a first worker that ends before has something to say. */
async function until(first: Worker, holds: () => Promise<boolean>): Promise<void> {
  let isOver = false;
  void first.ended.then(() => {
    isOver = true;
  });
  while (!(await holds())) {
    if (isOver) throw failed(first);
    await setTimeout(LOOK_MS);
  }
}

function failed(worker: Worker): OrbweaverError {
  const said = worker
    .said()
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^orbweaver: /, "");
  const code = worker.child.exitCode ?? EXIT.fault;
  return new OrbweaverError("OW_DEMO", said || `a worker ended with exit code ${code}`, code);
}
