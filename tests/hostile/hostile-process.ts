import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  HOSTILE_BLOCK,
  type PlayedCase,
  startHostileWeb,
} from "../../src/web/hostile/hostile-web.ts";
import type { WitnessReport } from "../../src/web/hostile/witness.ts";
import {
  collect,
  type LogLine,
  MAIN,
  type PageLine,
  readLines,
  readLog,
  readPages,
} from "../support/orbweaver.ts";
import { RunDelays } from "./run-delays.ts";

const RECORDER = fileURLToPath(new URL("./record-connects.js", import.meta.url));
const SAMPLE_MS = 25;

/** What `orbweaver web --profile hostile` prints about itself. */
export interface HostileProcess {
  readonly start: string;
  readonly port: number;
  readonly cases: readonly (PlayedCase & { readonly tls?: boolean })[];
  readonly nameServer: string;
  readonly allow: string;
  /** File with the authority of its good certificates. */
  readonly authorityFile: string;
  report(): Promise<WitnessReport>;
  stop(): Promise<void>;
}

/** Starts the hostile web as users do, in a process of its own. */
export async function hostileProcess(folder: string): Promise<HostileProcess> {
  const child = spawn(process.execPath, [MAIN, "web", "--profile", "hostile"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "--max-old-space-size=2048" },
  });
  const line = JSON.parse(await firstLine(child));
  const authorityFile = join(folder, "hostile-ca.pem");
  writeFileSync(authorityFile, line.authority);
  const start: string = line.start[0];
  return {
    start,
    port: line.port,
    cases: line.cases,
    nameServer: line.nameServer,
    allow: line.allow,
    authorityFile,
    report: async () => (await (await fetch(`${start}report.json`)).json()) as WitnessReport,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}

/** A hostile web and a folder for the crawls of one suite; both are gone when it ends. */
export interface HostileSuite {
  readonly web: HostileProcess;
  readonly folder: string;
  readonly startMs: number;
  /** Crawls into a folder of its own. */
  crawlOf(seeds: readonly string[], args: readonly string[]): Promise<HostileCrawl>;
}

/** Starts what a suite of the hostile web needs. */
export async function hostileSuite(name: string): Promise<HostileSuite> {
  const startMs = performance.now();
  const folder = mkdtempSync(join(tmpdir(), `orbweaver-${name}-`));
  const web = await hostileProcess(folder);
  after(async () => {
    await web.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  let crawls = 0;
  const crawlOf: HostileSuite["crawlOf"] = (seeds, args) =>
    hostileCrawl(web, join(folder, `out-${++crawls}`), seeds, args);
  return { web, folder, startMs, crawlOf };
}

/** The last test of a suite: how long everything took. */
export function testDuration({ startMs }: HostileSuite, maxSeconds: number): void {
  test(`everything took less than ${maxSeconds} s`, (t) => {
    const seconds = (performance.now() - startMs) / 1000;
    t.diagnostic(`${seconds.toFixed(0)} s`);
    assert.ok(seconds < maxSeconds);
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`the hostile web ended with ${code}`)));
    child.stdout!.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      const end = text.indexOf("\n");
      if (end >= 0) resolve(text.slice(0, end));
    });
  });
}

/** The same in this process, without the bombs: for tests that must be quick. */
export async function hostileHere(folder: string): Promise<HostileProcess> {
  const web = await startHostileWeb({ prepared: false });
  const authorityFile = join(folder, "hostile-ca.pem");
  writeFileSync(authorityFile, web.authority);
  const { start, port, cases, nameServer } = web;
  const report = async () => web.report();
  const stop = () => web.close();
  return { start, port, cases, nameServer, allow: HOSTILE_BLOCK, authorityFile, report, stop };
}

/** Arguments of a crawl that may go everywhere in the hostile web. */
export function everywhere(web: HostileProcess): string[] {
  const allowed = ["--scope", "any", "--delay", "50", "--allow-private", web.allow];
  const names = ["--contact", "test@example.org", "--name-server", web.nameServer];
  // Two threads on any machine, so that trouble in one must not affect the other.
  return [...allowed, ...names, "--threads", "2", "--max-wait", "3s"];
}

/** A line of reports/skipped.jsonl. */
export interface SkippedLine {
  readonly url: string;
  readonly reason: string;
}

/** What a crawl of the hostile web left, and what it cost. */
export interface HostileCrawl {
  readonly out: string;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  readonly log: readonly (LogLine & Record<string, unknown>)[];
  readonly skipped: readonly SkippedLine[];
  readonly pages: readonly PageLine[];
  /** Peak memory of the process, as the kernel counts it. */
  readonly peakRssMiB: number;
  /** Memory by time, in MiB. */
  readonly rss: readonly (readonly [seconds: number, mebibytes: number])[];
  /** How long this machine kept the process from running, at its worst: deadlines are judged with it. */
  readonly slackS: number;
  /** "address port" of every connection the process opened. */
  readonly connects: readonly string[];
}

/** Runs the crawler as users do and watches its memory and its connections from outside. */
export async function hostileCrawl(
  web: HostileProcess,
  out: string,
  seeds: readonly string[],
  args: readonly string[],
): Promise<HostileCrawl> {
  const connectsFile = `${out}.connects`;
  const words = ["crawl", ...seeds, "--out", out, "--quiet", "--json", ...args];
  const child = spawn(process.execPath, [MAIN, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      NODE_EXTRA_CA_CERTS: web.authorityFile,
      NODE_OPTIONS: `--import ${pathToFileURL(RECORDER).href}`,
      HOSTILE_CONNECTS: connectsFile,
    },
  });
  const startMs = performance.now();
  const { ended } = collect(child);
  const rss: [number, number][] = [];
  let peakRssMiB = 0;
  let [lookedMs, slackS] = [startMs, 0.5];
  const delays = new RunDelays(child.pid!);
  const timer = setInterval(() => {
    slackS = Math.max(slackS, (3 * (performance.now() - lookedMs - SAMPLE_MS)) / 1000);
    lookedMs = performance.now();
    delays.look(lookedMs);
    const [now, peak] = memoryOf(child.pid!);
    peakRssMiB = Math.max(peakRssMiB, peak);
    if (now > 0) rss.push([(performance.now() - startMs) / 1000, now]);
  }, SAMPLE_MS);
  const { code, stdout, stderr } = await ended;
  clearInterval(timer);
  const lines = (file: string) => (existsSync(file) ? readLines<SkippedLine>(file) : []);
  return {
    out,
    code,
    stdout,
    stderr,
    seconds: (performance.now() - startMs) / 1000,
    log: readLog(out) as unknown as HostileCrawl["log"],
    skipped: lines(join(out, "reports/skipped.jsonl")),
    pages: readPages(out),
    peakRssMiB,
    rss,
    slackS: slackS + delays.worstS,
    connects: existsSync(connectsFile)
      ? readFileSync(connectsFile, "utf8").split("\n").filter(Boolean)
      : [],
  };
}

/** Memory now and its peak, in MiB; 0 when the process is gone, or there is no /proc. */
function memoryOf(pid: number): [now: number, peak: number] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
    return [kib("VmRSS") / 1024, kib("VmHWM") / 1024];
  } catch {
    return [0, 0];
  }
}
