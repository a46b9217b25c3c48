// A process that uses the library: many crawls one after the other, or one whose listener throws. It is started by row
// X14 with a LibraryTask as its argument, prints a line of JSON per crawl, and must end by itself.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type * as Library from "../../src/index.ts";
import { type LibraryLine, type LibraryTask, SOME_PAGES } from "./library-task.ts";

interface Fault {
  readonly prepare?: (out: string) => void;
  readonly settings?: (out: string) => Library.ProgramSettings;
  readonly throws?: string;
  /** Added to the configuration behind the back of its checks. */
  readonly smuggled?: object;
  /** Done while the threads are being started. */
  readonly strike?: (out: string) => void;
}

/** Everything that can make `run` fail without a bad disk. */
const FAULTS: readonly Fault[] = [
  // The folder is taken.
  {
    prepare: (out) => {
      mkdirSync(out, { recursive: true });
      writeFileSync(join(out, "mine.txt"), "mine");
    },
  },
  // The threads cannot start.
  {
    settings: (out) => ({ handler: `${out}-missing.mjs` }),
  },
  // A thread cannot even be made: functions cannot be sent to it.
  { smuggled: { maxTimeMs: () => 0 } },
  { throws: "started" },
  { throws: "progress" },
  { throws: "async progress" },
  { throws: "ended" },
  // The end fails: a report cannot be written.
  { strike: (out) => mkdirSync(join(out, "reports", "summary.json")) },
  // Builders cannot open their files.
  {
    strike: (out) => {
      rmSync(join(out, "links"), { recursive: true });
      writeFileSync(join(out, "links"), "");
    },
  },
];

const task = JSON.parse(process.argv[2]!) as LibraryTask;
const { Crawl, configOf } = (await import(task.library)) as typeof Library;

for (let i = 0; i < task.times; i++) {
  const out = join(task.folder, `crawl-${i}`);
  const settled = await crawlOnce(out, i);
  if (task.times > 1) rmSync(out, { recursive: true, force: true });
  const { rss, arrayBuffers } = process.memoryUsage();
  const line: LibraryLine = {
    settled,
    rssMiB: rss / 2 ** 20,
    sharedMiB: arrayBuffers / 2 ** 20,
    files: readdirSync("/proc/self/fd").length,
  };
  console.log(JSON.stringify(line));
}

async function crawlOnce(out: string, number: number): Promise<string> {
  const { seed, threads, frontier, ending } = task;
  const allowPrivate = ["127.0.0.0/8"];
  const settings = { seeds: [seed], out, threads, frontier, delayMs: 0, allowPrivate };
  if (ending === "never run") {
    new Crawl(configOf(settings), out).stop();
    return "never run";
  }
  const fault = ending === "by turns" ? FAULTS[number % FAULTS.length]! : undefined;
  fault?.prepare?.(out);
  const event = ending.startsWith("throws in ") ? ending.slice("throws in ".length) : undefined;
  try {
    const config = configOf({ ...settings, ...fault?.settings?.(out) });
    const running = new Crawl({ ...config, ...fault?.smuggled }, out);
    listen(running, event ?? fault?.throws);
    if (ending === "stopped")
      running.events.on("progress", ({ pages }) => pages > 0 && running.stop());
    if (fault?.strike !== undefined) running.events.on("started", () => fault.strike!(out));
    return (await running.run()).ended;
  } catch (error) {
    // What a listener threw is the cause of the error that a crawl ends with.
    const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
    const thrown = code === "OW_LISTENER_FAILED" ? cause : error;
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** A listener of the event throws; "async progress" rejects. The events that need it are provoked. */
function listen(running: Library.Crawl, event: string | undefined): void {
  if (event === undefined) return;
  const error = new Error(`thrown in ${event}`);
  running.events.on("progress", ({ pages }) => {
    if (pages < SOME_PAGES) return;
    if (event === "stopping") running.stop();
    if (event === "workerReplaced") void running.killWorker("crawler 0");
    if (event === "progress") throw error;
  });
  if (event === "async progress") {
    running.events.on("progress", async ({ pages }) => {
      await Promise.resolve();
      if (pages >= SOME_PAGES) throw error;
    });
  } else if (event !== "progress") {
    running.events.on(event as keyof Library.CrawlEvents, () => {
      throw error;
    });
  }
}
