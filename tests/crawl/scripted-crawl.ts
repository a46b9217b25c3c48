import { join } from "node:path";
import type { TestContext } from "node:test";
import { type LogLine, orbweaver, readLines, readLog, tempFolder } from "../support/orbweaver.ts";
import { type Script, scriptedServer } from "./scripted-server.ts";

const FAST = ["--delay", "0", "--json", "--quiet", "--retries", "0"];

/** A line of reports/skipped.jsonl. */
export interface SkippedLine {
  readonly url: string;
  readonly reason: string;
}

/** Crawls a scripted server with the real program; the log is keyed by path. */
export async function crawlScript(t: TestContext, script: Script, ...args: string[]) {
  const server = await scriptedServer(t, script);
  return { ...server, ...(await crawlOrigin(t, server.origin, ...args)) };
}

/** Crawls an origin with the real program, by one thread unless the test says otherwise: each takes time to start. */
export async function crawlOrigin(t: TestContext, origin: string, ...args: string[]) {
  const out = join(tempFolder(t), "out");
  const threads = args.includes("--threads") ? [] : ["--threads", "1"];
  const finished = await orbweaver([
    ...["crawl", `${origin}/`, "--out", out, ...FAST, ...threads, ...args],
  ]);
  // 6: nothing could be fetched, which some scripts are about.
  if (finished.code !== 0 && finished.code !== 6)
    throw new Error(`exit ${finished.code}: ${finished.stderr}`);
  const all = readLog(out);
  const own = all.filter(({ url }) => url.startsWith(origin));
  const log = new Map(own.map((line) => [line.url.slice(origin.length), line]));
  const skipped = readLines<SkippedLine>(join(out, "reports/skipped.jsonl"));
  return { ...finished, out, all, log, skipped };
}

/** Outcome, status or error, and how it was found. */
export function brief(line: LogLine | undefined): unknown {
  return line && [line.outcome, line.error ?? line.status, line.via];
}

/** All lines in brief, by path. */
export function briefly(log: ReadonlyMap<string, LogLine>): Record<string, unknown> {
  return Object.fromEntries([...log].map(([path, line]) => [path, brief(line)]));
}
