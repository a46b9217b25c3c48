import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { EXIT } from "../../src/errors.ts";
import { compactShard } from "../../src/frontier/fold/compact-shard.ts";
import { listJournals } from "../../src/frontier/journal/journal-listing.ts";
import { crawlPaths, readCrawlState } from "../../src/store/folder/crawl-folder.ts";
import type { Recovery } from "../../src/store/recover/recover-folder.ts";
import type { RemoteWeb } from "../../src/web/web-process.ts";
import { Random, withFolder, withWeb } from "../faults/drill.ts";
import { collect, type Finished, readPages } from "../support/orbweaver.ts";
import type { Attack, AttackOptions, AttackResult } from "./attack.ts";
import { type PreparedCrawl, servedBy, TAMPERINGS } from "./tampered-folders.ts";

/** Whatever is in a folder, a run on it ends within this time. */
const MAX_MS = 60_000;
/** Folders that are tried at once. */
const AT_ONCE = 2;
/** The crawls were made slow; what is left of them need not be. */
const FAST = ["--links-per-thread", "32", "--quiet"];
const SIZES = { short: 24, full: 1000, mutant: 24 } as const;
/** Few links, so that a page whose link is lost is not found on another way. */
const WEB = {
  hosts: 24,
  pages: 400,
  meanLinks: 2,
  crossHostShare: 0.5,
  minBytes: 300,
  maxBytes: 900,
};

/** What shows a mutant: journals that end too early. */
const CUTS = ["cut behind a batch", "emptied"];
/** Slow enough that copies and kills meet a running crawl. */
const LATENCY_MS = 10;

/** State that contradicts itself: folders that were cut, zeroed, swapped, copied while a crawl ran, and mixed. */
export const attack: Attack = {
  row: "X4",
  what: "journals that contradict each other",
  mutants: [
    {
      name: "journals are not compared",
      from: "of contradictionsIn(all))",
      to: "of [])",
    },
    {
      name: "what was confirmed is not sent again by recover",
      from: "Math.min(number, this.reached?.(target, epoch) ?? number)",
      to: "number",
    },
  ],
  run: (options) =>
    withWeb(WEB, LATENCY_MS, (web) => withFolder((folder) => attackFolders(web, folder, options))),
};

async function attackFolders(
  web: RemoteWeb,
  folder: string,
  { program, size, seed, onStep, times }: AttackOptions,
): Promise<AttackResult> {
  const random = new Random(seed);
  const threads = size === "mutant" ? [2] : [1, 2, 4];
  const crawls: PreparedCrawl[] = [];
  for (const count of threads) crawls.push(await prepare(program, web, folder, count));
  onStep?.(`${crawls.length} crawls are prepared`);
  const whole = join(folder, "whole");
  await run(program, [...crawlArguments(web, whole, 2), ...FAST]);
  const reachable = readPages(whole).length;
  if (reachable < WEB.pages / 2) throw new Error(`only ${reachable} pages can be reached`);
  const kinds =
    size === "mutant" ? TAMPERINGS.filter(({ name }) => CUTS.includes(name)) : TAMPERINGS;
  const figures: Record<string, Record<Ending | "folders", number>> = {};
  const problems: string[] = [];
  const count = times ?? SIZES[size];
  let next = 0;
  const work = async () => {
    for (let i = next++; i < count && problems.length < 20; i = next++) {
      const kind = kinds[i % kinds.length]!;
      const crawl = crawls[Math.floor(i / kinds.length) % crawls.length]!;
      const out = join(folder, `tampered-${i}`);
      const how = kind.tamper(crawl, out, random);
      const row = figures[kind.name] ?? { folders: 0, complete: 0, refused: 0, lossTold: 0 };
      figures[kind.name] = row;
      row.folders++;
      try {
        row[await judge(program, out, reachable)]++;
      } catch (fault) {
        problems.push(`${kind.name}, T = ${crawl.name}, ${how}: ${(fault as Error).message}`);
      }
      rmSync(out, { recursive: true, force: true });
      if (i % 50 === 49) onStep?.(`${i + 1} of ${count} folders, ${problems.length} problems`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { figures, problems };
}

type Ending = "complete" | "refused" | "lossTold";

/** Resumes a folder, after `recover` when that is refused, and looks whether every page is there or told as lost. */
async function judge(program: string, out: string, reachable: number): Promise<Ending> {
  const isCompacted = readdirSync(crawlPaths(out).journals).some((name) =>
    /snapshot|done/.test(name),
  );
  const first = await run(program, ["resume", out, ...FAST]);
  if (first.code === EXIT.finished) {
    const missing = missingPages(out, reachable);
    if (missing > 0) throw new Error(`resume went through, and ${missing} pages are missing`);
    return "complete";
  }
  // A log that is older than the journals is only noticed at the end, when it is read.
  if (first.code !== EXIT.corrupt || !/^orbweaver: .*orbweaver recover/m.test(first.stderr))
    throw new Error(`resume ended with ${first.code}: ${first.stderr.slice(-400)}`);
  if (first.stderr.includes("asks for block"))
    throw new Error(`the contradiction was found only while the crawl ran: ${first.stderr}`);
  const { code, stdout, stderr } = await run(program, ["recover", out, "--json"]);
  if (code !== EXIT.finished && code !== EXIT.corrupt)
    throw new Error(`recover ended with ${code}: ${stderr.slice(-400)}`);
  const second = await run(program, ["resume", out, ...FAST]);
  if (second.code !== EXIT.finished)
    throw new Error(
      `resume after recover ended with ${second.code}: ${second.stderr.slice(-400)}; before: ${first.stderr.slice(-300)}`,
    );
  const { damages, lostBlocks } = JSON.parse(stdout) as Recovery;
  if (
    lostBlocks > 0 &&
    !isCompacted &&
    damages.every(({ what }) => /one moment|nowhere/.test(what))
  )
    throw new Error(
      `${lostBlocks} blocks are given up that a journal holds: ${stdout.slice(0, 600)}`,
    );
  const missing = missingPages(out, reachable);
  if (missing === 0) return "refused";
  // Only what no journal holds can be lost: records of a copied archive, blocks that a snapshot has replaced, and what was in
  // a segment that is not there.
  const isTold =
    lostBlocks > 0 ||
    damages.some(({ file, what }) => !file.endsWith(".journal") || what.includes("is missing"));
  if (!isTold)
    throw new Error(`${missing} pages are lost, and recover did not tell: ${stdout.slice(0, 600)}`);
  return "lossTold";
}

/** How many pages are not listed; a page that is listed twice is an error. */
function missingPages(out: string, reachable: number): number {
  const urls = readPages(out).map(({ url }) => url);
  const pages = new Set(urls);
  if (pages.size < urls.length)
    throw new Error(`${urls.length - pages.size} pages are listed twice`);
  return reachable - pages.size;
}

/** Runs the program to its end, which must come in time and without a stack. */
async function run(program: string, args: readonly string[]): Promise<Finished> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const { ended } = collect(child, true);
  const stop = new AbortController();
  const late = setTimeout(MAX_MS, "late" as const, { signal: stop.signal }).catch(
    () => "" as const,
  );
  if ((await Promise.race([ended, late])) === "late") {
    child.kill("SIGKILL");
    await ended;
    throw new Error(`${args[0]} does not end`);
  }
  stop.abort();
  const finished = await ended;
  if (/unexpected fault|^\s+at /m.test(finished.stderr))
    throw new Error(`${args[0]} crashed: ${finished.stderr.slice(-600)}`);
  return finished;
}

/**
 * Late in the crawl, so that a page whose link is lost is not found again on another one.
 *
 * A crawl at several moments: copied while it runs, killed, compacted, resumed and killed again, and two that ran on.
 */
async function prepare(
  program: string,
  web: RemoteWeb,
  folder: string,
  threads: number,
): Promise<PreparedCrawl> {
  const at = (name: string) => join(folder, `T${threads}-${name}`);
  const out = at("crawl");
  const few = ["--links-per-thread", String(4 / threads), "--rotate-pages", "60"];
  const moments: string[] = [];
  await killed(program, [...crawlArguments(web, out, threads), ...few], web, 320, (i) => {
    if (i < 200 || moments.length > 0 || !existsSync(crawlPaths(out).state)) return;
    copyAway(out, at("running"));
    moments.push(at("running"));
  });
  copyAway(out, at("killed"));
  moments.push(at("killed"));
  compactHalf(out);
  copyAway(out, at("compacted"));
  moments.push(at("compacted"));
  const diverged: string[] = [];
  for (const name of ["one", "other"]) {
    copyAway(at("compacted"), at(name));
    await killed(program, ["resume", at(name)], web, 30);
    diverged.push(at(name));
  }
  await killed(program, ["resume", out], web, 45, (i) => {
    if (i < 15 || moments.length > 3) return;
    copyAway(out, at("running-later"));
    moments.push(at("running-later"));
  });
  moments.push(out);
  return { name: String(threads), moments, diverged };
}

/**
 * One seed alone, so that the other hosts are known by links between shards only: a seed is found again by every run, and
 * what is behind it.
 */
function crawlArguments(web: RemoteWeb, out: string, threads: number): string[] {
  const where = [
    "crawl",
    web.start[0]!,
    "--out",
    out,
    "--scope",
    "any",
    "--allow-private",
    "127.0.0.0/8",
  ];
  return [
    ...where,
    "--no-robots",
    "--delay",
    "0",
    "--sync-every",
    "50ms",
    "--threads",
    String(threads),
  ];
}

/** Runs the program until the web has served so many more pages, then kills it. */
async function killed(
  program: string,
  args: readonly string[],
  web: RemoteWeb,
  pages: number,
  onPages: (served: number) => void = () => {},
): Promise<void> {
  const before = await servedBy(web);
  const child = spawn(process.execPath, [program, ...args, "--quiet"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { ended, written } = collect(child);
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  for (;;) {
    const served = (await servedBy(web)) - before;
    onPages(served);
    if (served >= pages) break;
    if (isOver) throw new Error(`${args[0]} ended after ${served} pages: ${written.stderr}`);
    await setTimeout(2);
  }
  child.kill("SIGKILL");
  await ended;
}

/** As a user would, also while the crawl runs: a file that goes away meanwhile is not in the copy. */
function copyAway(from: string, to: string): void {
  spawnSync("cp", ["-a", from, to], { stdio: "ignore" });
}

/** Snapshots in place of every second journal, as the compactor would make them. */
function compactHalf(out: string): void {
  const { journals: folder } = crawlPaths(out);
  const { seedLow, seedHigh } = readCrawlState(out)!;
  for (let shard = 0; shard < 16; shard += 2) {
    // The last file is empty.
    const upTo = listJournals(folder)(shard).segments.at(-2);
    if (upTo !== undefined) compactShard({ folder, shard, upTo, seedLow, seedHigh });
  }
}
