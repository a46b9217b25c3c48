import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { root } from "./conformance.ts";

/** Another build of the program that the tests of the command line shall try; undefined for this one. */
export const OTHER_MAIN = process.env.ORBWEAVER_MAIN;

/** The compiled program. */
export const MAIN = OTHER_MAIN ?? join(root, "build/src/cli/main.js");

/** A folder of the test's own, removed after it. */
export function tempFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a finished process left. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a process writes, as far as it has come, and how it ends. */
export interface Collected {
  readonly written: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<Finished & { readonly signal: NodeJS.Signals | null }>;
}

/** What the program says when its own numbers do not agree. */
export const MISMATCH = "the numbers of this crawl do not add up";

/** Collects what a process writes until it ends; rejects when its numbers do not add up, whatever it was run for. */
export function collect(child: ChildProcess, mayMismatch = false): Collected {
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]!.setEncoding("utf8").on("data", (text: string) => {
      written[name] += text;
    });
  }
  const ended = new Promise<Finished & { signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (mayMismatch || !written.stderr.includes(MISMATCH)) resolve({ code, signal, ...written });
      else reject(new Error(written.stderr));
    });
  });
  return { written, ended };
}

/** Runs the compiled program to its end; `meanwhile` gets its process for signals. */
export function orbweaver(
  args: readonly string[],
  meanwhile?: (kill: (signal: NodeJS.Signals) => void, onStderr: Promise<void>) => void,
): Promise<Finished> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const { ended } = collect(child);
  const first = new Promise<void>((resolve) => child.stderr.once("data", () => resolve()));
  meanwhile?.((signal) => child.kill(signal), first);
  return ended;
}

/** The objects of a JSON-lines file. */
export function readLines<T = Record<string, unknown>>(file: string): T[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}

/** A line of pages/pages.jsonl. */
export interface PageLine {
  readonly url: string;
  readonly parent?: string;
  readonly depth: number;
  readonly links: number;
  readonly status: number;
  readonly mime: string;
  readonly title: string;
  readonly words: number;
  readonly bytes: number;
  readonly digest: string;
  readonly decodedBytes?: number;
  readonly time: string;
  readonly unchangedSince?: string;
  readonly file: string;
  readonly offset: number;
}

/** The pages of an output folder, without the header line. */
export function readPages(out: string): PageLine[] {
  return readLines<PageLine>(join(out, "pages/pages.jsonl")).slice(1);
}

/** A line of logs/crawl.jsonl. */
export interface LogLine {
  readonly url: string;
  readonly outcome: string;
  readonly status?: number;
  readonly error?: string;
  readonly detail?: string;
  readonly parent?: string;
  readonly location?: string;
  readonly via: string;
  readonly depth: number;
}

/** The outcomes of an output folder. */
export function readLog(out: string): LogLine[] {
  return readLines<LogLine>(join(out, "logs/crawl.jsonl"));
}

/** reports/summary.json. */
export function readReport(out: string): Record<string, number> {
  return JSON.parse(readFileSync(join(out, "reports/summary.json"), "utf8"));
}
