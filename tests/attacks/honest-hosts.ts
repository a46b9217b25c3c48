import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type LogLine, readLog } from "../support/orbweaver.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

/** What runs beside the honest hosts. */
export interface Neighbour {
  readonly seeds: readonly string[];
  /** Where its names are. */
  readonly args: readonly string[];
}

/** How honest hosts are crawled; the rate is bounded by delay and latency, so that the ratio means something. */
export interface HonestOptions {
  readonly program: string;
  readonly neighbour: Neighbour;
  /** Registrable domains, each with an address of its own. */
  readonly hosts: number;
  readonly pages: number;
  /** Only their sitemaps lead to their pages. */
  readonly viaSitemap?: boolean;
  readonly args?: readonly string[];
  /** A queue that all threads share is one line: nobody knows what is behind what has been taken so far. */
  readonly honestFirst?: boolean;
  /** Interrupts the crawl once in the middle and resumes it. */
  readonly resumed?: boolean;
}

/** The rate of honest hosts beside an attack, in parts of what it is without. */
export interface HonestRatio {
  readonly ratio: number;
  readonly aloneMs: number;
  readonly besideMs: number;
  /** The longest time without an honest page, with the attack and without. */
  readonly gapMs: number;
  readonly aloneGapMs: number;
  /** Outcomes of the attack's URLs. */
  readonly log: readonly LogLine[];
}

const DELAY_MS = 200;
const LATENCY_MS = 100;
/** A crawl that is so many times slower has failed. */
const MAX_SLOWER = 4;
const START_MS = 5000;
/** The honest server reports more often. */
const REPORT_MS = 500;

interface Served {
  readonly served: number;
  readonly tookMs: number;
  readonly longestGapMs: number;
}

/** Crawls honest hosts alone, and then beside an attack. */
export async function honestRatio(options: HonestOptions): Promise<HonestRatio> {
  const alone = await crawl({ ...options, neighbour: { seeds: [], args: [] } }, 120_000);
  const deadlineMs = MAX_SLOWER * alone.tookMs + START_MS;
  const beside = await crawl(options, deadlineMs);
  const wanted = options.hosts * options.pages;
  const isDone = beside.served === wanted;
  const besideMs = isDone ? beside.tookMs : (deadlineMs * wanted) / Math.max(1, beside.served);
  return {
    ratio: alone.tookMs / besideMs,
    aloneMs: alone.tookMs,
    besideMs,
    gapMs: isDone ? beside.longestGapMs : deadlineMs,
    aloneGapMs: alone.longestGapMs,
    log: beside.log,
  };
}

async function crawl(
  options: HonestOptions,
  deadlineMs: number,
): Promise<Served & { log: readonly LogLine[] }> {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-honest-"));
  const addresses = Array.from({ length: options.hosts }, (_, i) => `127.0.1.${i + 1}`);
  const { pages, viaSitemap = false } = options;
  const server = await startServer("./honest-server.js", {
    addresses,
    pages,
    latencyMs: LATENCY_MS,
    viaSitemap,
  });
  try {
    const out = join(folder, "out");
    const seeds = join(folder, "seeds.txt");
    const names = addresses.map((_, i) => `www.honest${i}.test`);
    const own = names.map((name) => `http://${name}/0`);
    // The attack first, so that it is in full swing from the beginning.
    const first = options.honestFirst ? own : options.neighbour.seeds;
    const last = options.honestFirst ? options.neighbour.seeds : own;
    writeFileSync(seeds, [...first, ...last].join("\n"));
    const args = [
      ...["--out", out, "--delay", String(DELAY_MS), "--quiet", "--sync-every", "100ms"],
      ...["--allow-private", "127.0.0.0/8", "--store", "none", "--max-wait", "10m"],
      ...names.flatMap((name, i) => ["--resolve", `${name}:${addresses[i]}:${server.port}`]),
      ...options.neighbour.args,
      ...(options.args ?? []),
    ];
    const served = await crawlUntilServed(
      options,
      server,
      ["--seeds", seeds, ...args],
      out,
      deadlineMs,
    );
    return { ...served, log: readLog(out).filter(({ url }) => !url.includes(".honest")) };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the crawler until all honest pages were served, or the time is over; then it is killed. */
async function crawlUntilServed(
  { program, hosts, pages, resumed }: HonestOptions,
  server: ServerProcess,
  args: readonly string[],
  out: string,
  deadlineMs: number,
): Promise<Served> {
  const wanted = hosts * pages;
  let latest: Served = { served: 0, tookMs: 0, longestGapMs: 0 };
  let onServed = (): void => {};
  server.onMessage((message) => {
    latest = message as Served;
    onServed();
  });
  const endMs = performance.now() + deadlineMs;
  const runUntil = async (words: readonly string[], count: number) => {
    const child = spawn(process.execPath, [program, ...words], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let errors = "";
    child.stderr.on("data", (text) => {
      errors += text;
    });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const enough = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, endMs - performance.now());
      onServed = () => {
        if (latest.served < count) return;
        clearTimeout(timer);
        resolve();
      };
    });
    const isOver = await Promise.race([enough.then(() => false), ended.then(() => true)]);
    // The last report may be on its way.
    if (isOver) await Promise.race([enough, sleep(REPORT_MS)]);
    if (isOver && latest.served < count) throw new Error(`the crawl ended early: ${errors}`);
    child.kill("SIGKILL");
    await ended;
  };
  if (resumed) {
    await runUntil(["crawl", ...args], Math.floor(wanted / 2));
    await runUntil(["resume", out], wanted);
    // The longest gap is the time without a crawler.
    return { ...latest, tookMs: latest.tookMs - latest.longestGapMs };
  }
  await runUntil(["crawl", ...args], wanted);
  return latest;
}
