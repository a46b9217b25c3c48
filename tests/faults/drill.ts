import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { PROFILES, type WebProfile } from "../../src/web/profile.ts";
import { Random } from "../../src/web/seeded-random.ts";
import { type RemoteWeb, startWebProcess } from "../../src/web/web-process.ts";
import { type Collected, collect, MAIN } from "../support/orbweaver.ts";

/** A drill ends after so many problems, because its count may never be reached then. */
export const MAX_PROBLEMS = 20;

/** How a drill is run. */
export interface DrillOptions {
  /** How many faults. */
  readonly count: number;
  readonly pages: number;
  readonly seed: number;
  /** Called with the number of faults so far. */
  readonly onFault?: (faults: number) => void;
}

/** The result of a drill: a row of figures, and its problems. */
export interface DrillResult {
  readonly figures: Record<string, number | string>;
  readonly problems: readonly string[];
}

/** A drill, and its size in the short and in the full form. */
export interface Drill {
  readonly name: string;
  readonly short: Pick<DrillOptions, "count" | "pages">;
  readonly full: Pick<DrillOptions, "count" | "pages">;
  run(options: DrillOptions): Promise<DrillResult>;
}

/** Runs with a folder that is gone afterwards. */
export async function withFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-faults-"));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs with a web of small pages, which is closed afterwards. */
export async function withWeb<T>(
  profile: Partial<WebProfile>,
  latencyMs: number,
  run: (web: RemoteWeb) => Promise<T>,
): Promise<T> {
  const web = await startWebProcess({ profile: { ...PROFILES.small, ...profile }, latencyMs });
  try {
    return await run(web);
  } finally {
    await web.close();
  }
}

/** Runs with a web and the folder of a crawl; both are gone afterwards. */
export function withCrawl<T>(
  profile: Partial<WebProfile>,
  latencyMs: number,
  run: (web: RemoteWeb, out: string) => Promise<T>,
): Promise<T> {
  return withWeb(profile, latencyMs, (web) =>
    withFolder((folder) => run(web, join(folder, "out"))),
  );
}

/** Shows bytes as a file that is gone afterwards. */
export function inScratchFile<T>(bytes: Uint8Array, read: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-faults-"));
  try {
    const path = join(folder, "bytes");
    writeFileSync(path, bytes);
    return read(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A crawl in a process of its own. */
export interface CrawlProcess {
  readonly child: ChildProcess;
  readonly ended: Collected["ended"];
  /** Settles when this has been written to standard error, or the process has ended. */
  says(words: string): Promise<void>;
}

/** Starts or resumes a crawl. */
export function startCrawl(
  args: readonly string[],
  env: Record<string, string> = {},
  limits: { readonly maxOpenFiles?: number; readonly program?: string } = {},
): CrawlProcess {
  const program = [process.execPath, limits.program ?? MAIN, ...args];
  const limited = `ulimit -n ${limits.maxOpenFiles}; exec "$@"`;
  const [command, ...rest] =
    limits.maxOpenFiles === undefined ? program : ["sh", "-c", limited, "sh", ...program];
  const child = spawn(command!, rest, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const { written, ended } = collect(child);
  const says = (words: string) =>
    untilEnd(ended, () => Promise.resolve(written.stderr.includes(words)), 5);
  return { child, ended, says };
}

/** Settles when the condition holds, or what is waited for has ended. */
export async function untilEnd(
  ended: Promise<unknown>,
  holds: () => Promise<boolean>,
  everyMs: number,
): Promise<void> {
  let isOver = false;
  const onOver = () => {
    isOver = true;
  };
  // Why it ended is for those who await it.
  void ended.then(onOver, onOver);
  while (!isOver && !(await holds())) await setTimeout(everyMs);
}

/** In the environment of drills that run with another number of builders than the default: `--builders N`. */
export const BUILDERS_VARIABLE = "ORBWEAVER_DRILL_BUILDERS";

/** The same for crawler threads; with 1 the builder is in the main thread. */
export const THREADS_VARIABLE = "ORBWEAVER_DRILL_THREADS";

/** How many crawler threads a drill has. */
export const drillThreads = (): number => Number(process.env[THREADS_VARIABLE] ?? 2);

function builderArguments(): string[] {
  const builders = process.env[BUILDERS_VARIABLE];
  return builders === undefined ? [] : ["--builders", builders];
}

/** Arguments of a crawl that goes as fast as it can. */
export function crawlArguments(
  start: readonly string[],
  out: string,
  threads = drillThreads(),
): string[] {
  const speed = ["--delay", "0", "--threads", String(threads), ...builderArguments()];
  return ["crawl", ...start, "--out", out, "--json", "--quiet", ...speed];
}

/** Arguments of the next run: a crawl that was killed before it had a state starts again, any other is resumed. */
export function nextArguments(start: readonly string[], out: string): string[] {
  if (existsSync(crawlPaths(out).state)) return ["resume", out, "--json", "--quiet"];
  return crawlArguments(start, out);
}

/**
 * Settles when the web has served so many pages, or the crawl has ended. Faults are placed by progress, not by time,
 * so that they strike a running crawl on machines of any speed.
 */
export function served(web: RemoteWeb, pages: number, crawl: CrawlProcess): Promise<void> {
  return untilEnd(crawl.ended, async () => (await web.report()).pages >= pages, 2);
}

/** Settles after a random time between the two. */
export function pause(random: Random, minMs: number, maxMs: number): Promise<void> {
  return setTimeout(minMs + random.next() * (maxMs - minMs));
}

export { Random };
