import { spawn } from "node:child_process";
import { join } from "node:path";
import { printable } from "../config/printable.ts";
import type { CrawlConfig } from "../config/schema.ts";
import { withoutCredentials } from "../config/seeds/seed-line.ts";
import { crawlPaths } from "../store/folder/crawl-folder.ts";
import type { Io } from "./io.ts";

const IS_URL = /^https?:\/\//i;

/** What is told about the end of a crawl. */
export interface EndNews {
  /** The summary as --json prints it, or what went wrong. */
  readonly json: string;
  /** The folder of the crawl. */
  readonly out: string;
  readonly ended: string;
}

/**
 * Tells a command or a server that the crawl has ended (`--on-end`). Whatever comes of it, the crawl is what it is: a
 * failure is a line on standard error, also with --quiet.
 */
export async function runOnEnd(
  { onEnd, onEndTimeoutMs, userAgent }: CrawlConfig,
  news: EndNews,
  io: Io,
): Promise<void> {
  if (onEnd === undefined) return;
  try {
    if (IS_URL.test(onEnd)) await post(onEnd, news, onEndTimeoutMs, userAgent);
    else await runCommand(onEnd, news, onEndTimeoutMs, io);
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    io.stderr.write(
      `orbweaver: --on-end ${printable(withoutCredentials(onEnd))} failed: ${printable(reason)}\n`,
    );
  }
}

/** The user has typed the URL, so its host may be a private one; nothing else is asked, whatever it answers. */
async function post(
  address: string,
  { json }: EndNews,
  timeoutMs: number,
  userAgent: string,
): Promise<void> {
  const url = new URL(address);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const authorization =
    username === "" && password === ""
      ? {}
      : { Authorization: `Basic ${login.toString("base64")}` };
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "User-Agent": userAgent, ...authorization },
      body: json,
      redirect: "manual",
      signal: timeout,
    });
  } catch (fault) {
    if (timeout.aborted) throw tooLong(timeoutMs);
    // What fetch says is "fetch failed"; the cause says why.
    throw fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault;
  }
  await response.body?.cancel();
  if (!response.ok) throw new Error(`it answered with status ${response.status}`);
}

/** What the command prints goes to standard error: standard output has the summary. */
function runCommand(
  command: string,
  { json, out, ended }: EndNews,
  timeoutMs: number,
  io: Io,
): Promise<void> {
  const summary = join(crawlPaths(out).reports, "summary.json");
  const told = { ORBWEAVER_OUT: out, ORBWEAVER_SUMMARY: summary, ORBWEAVER_ENDED: ended };
  // A group of its own, so that nothing of it is left when its time is over. In the command "$1" is the file.
  const child = spawn("/bin/sh", ["-c", command, "sh", summary], {
    env: { ...io.environment, ...told },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => io.stderr.write(bytes));
  // It need not read what it is given.
  child.stdin.on("error", () => {});
  child.stdin.end(`${json}\n`);
  return new Promise((resolve, reject) => {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      endGroup(child.pid!);
    }, timeoutMs);
    child.once("error", (fault) => {
      clearTimeout(timer);
      reject(fault);
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      if (isOver) reject(tooLong(timeoutMs));
      else if (code === 0) resolve();
      else reject(new Error(code === null ? `it was ended by ${signal}` : `it ended with ${code}`));
    });
  });
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It ended at this very moment.
  }
}

function tooLong(timeoutMs: number): Error {
  return new Error(`it took longer than ${timeoutMs / 1000} s (--on-end-timeout)`);
}
