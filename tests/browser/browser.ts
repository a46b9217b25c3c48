import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { PROFILES, type WebProfile } from "../../src/web/profile.ts";
import { type RunningWeb, startWeb } from "../../src/web/server.ts";
import { type Collected, collect, MAIN } from "../support/orbweaver.ts";
import { type Browser, loadChromium } from "./playwright.ts";

const CHROMIUM = process.env.ORBWEAVER_CHROMIUM ?? "/usr/bin/chromium";

/** A sentence for the test runner where there is no browser, else false. */
export const SKIP_WITHOUT_BROWSER = existsSync(CHROMIUM)
  ? false
  : `there is no ${CHROMIUM}: install Debian's package chromium, or name one in ORBWEAVER_CHROMIUM`;

/** The system's Chromium, without anything that talks to others. */
export async function openBrowser(): Promise<Browser> {
  const chromium = await loadChromium();
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ],
  });
}

/** A crawl with its dashboard, in a process of its own. */
export interface WatchedCrawl {
  readonly web: RunningWeb;
  /** With its token. */
  readonly url: string;
  readonly origin: string;
  readonly token: string;
  readonly ended: Collected["ended"];
  kill(signal: NodeJS.Signals): void;
}

/** Hosts that fail now and then, slow enough to be watched. */
export const WATCHED: WebProfile = {
  ...PROFILES.demo,
  hosts: 40,
  pages: 40_000,
  crossHostShare: 0.3,
  latencyMs: { median: 30, spread: 0.6 },
  errorRate: 0.04,
};

/** Starts a synthetic web and a crawl of it with `--dashboard`. With `isNamed` hosts are names instead of addresses. */
export async function watchCrawl(
  out: string,
  more: readonly string[] = [],
  profile = WATCHED,
  isNamed = false,
): Promise<WatchedCrawl> {
  const web = await startWeb({ profile, ...(isNamed && { hostNames: profile.hosts }) });
  const seeds = [...web.start, ...web.resolveArguments()];
  const scope = ["--scope", "any", "--allow-private", "127.0.0.0/8"];
  const crawl = ["--out", out, "--threads", "2", "--dashboard", "--quiet"];
  return { web, ...(await startWatched(["crawl", ...seeds, ...scope, ...crawl, ...more])) };
}

const started = new Set<ChildProcess>();

/** Ends what tests that failed have left running. */
export function endWatched(): void {
  for (const child of started) child.kill("SIGKILL");
}

/** Starts the program and waits for the address of its dashboard. */
export async function startWatched(
  args: readonly string[],
  program = MAIN,
): Promise<Omit<WatchedCrawl, "web">> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  started.add(child);
  const { written, ended } = collect(child);
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr!.on("data", () => {
      const found = /Dashboard: (http:\S+)/.exec(written.stderr)?.[1];
      if (found !== undefined) resolve(found);
    });
    ended.then(
      ({ stderr }) => reject(new Error(`it ended without a dashboard: ${stderr}`)),
      reject,
    );
  });
  const { origin, searchParams } = new URL(url);
  const token = searchParams.get("token")!;
  return { url, origin, token, ended, kill: (signal) => child.kill(signal) };
}
