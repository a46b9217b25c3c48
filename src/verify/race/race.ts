import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningWorker, runWorker } from "../../runtime/run-worker.ts";
import { treePlace } from "../../store/tree/tree-path.ts";
import { DOORBELL_WORDS } from "../../sync/doorbell.ts";
import { bufferBytes } from "../../sync/hand-off-buffer.ts";
import { LockTable } from "../../sync/lock-table.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { AT_MEETING, RACE_WORDS, type RaceMethod, STATE, WORKING } from "./race-memory.ts";
import type { RaceOrders } from "./race-worker.ts";

const CRAWLERS = 4;
const BUFFERS = 2;
const LANE_BYTES = 4096;
const LOCKS = 64;
const POLL_MS = 5;
const STANDS_MS = 500;
const CONTENT = "<!doctype html><title>Found by four crawlers</title><p>Written once?\n";

/** What to replay. */
export interface RaceOptions {
  readonly by: RaceMethod;
  readonly locked: boolean;
  /** The two buffers are given different URLs. */
  readonly different?: boolean;
  readonly sleepMs?: number;
  /** A folder that does not exist, in which tree and list stay; a temporary one otherwise. */
  readonly keep?: string | undefined;
  /** The seed's files, or those of Orbweaver, which appear whole by a rename. */
  readonly disk?: "plain" | "whole";
}

/** The seed's three checks, and whether the replay itself deadlocked. */
export interface RaceOutcome {
  /** content.html is not exactly the page. */
  readonly content: boolean;
  /** source.txt has not exactly one line. */
  readonly source: boolean;
  /** crawled.txt names a URL twice. */
  readonly crawled: boolean;
  readonly deadlock: boolean;
}

/** True when one of the seed's checks finds the race. */
export function raced({ content, source, crawled }: RaceOutcome): boolean {
  return content || source || crawled;
}

/** Seed 001's set-up, part 3: 4 crawlers, 2 buffers of size 1, 2 builders, 4 seeds placed past admission. */
export async function replayRace(options: RaceOptions): Promise<RaceOutcome> {
  if (options.keep !== undefined) {
    mkdirSync(options.keep, { recursive: true });
    return run(options.keep, options);
  }
  const root = mkdtempSync(join(tmpdir(), "orbweaver-race-"));
  try {
    return await run(root, options);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function run(root: string, options: RaceOptions): Promise<RaceOutcome> {
  const { by, locked, different = false, sleepMs = 5000, disk = "plain" } = options;
  const tree = join(root, "tree");
  mkdirSync(tree);
  const int32 = (words: number) => new Int32Array(new SharedArrayBuffer(words * 4));
  const words = int32(RACE_WORDS);
  Atomics.store(words, WORKING, CRAWLERS);
  const shared = {
    by,
    locked,
    sleepMs,
    disk,
    root: tree,
    content: CONTENT,
    words,
    locks: int32(LockTable.words(LOCKS)),
    buffers: Array.from({ length: BUFFERS }, () => new SharedArrayBuffer(bufferBytes(LANE_BYTES))),
    bells: int32((CRAWLERS + BUFFERS) * DOORBELL_WORDS),
  };
  const urlOf = (buffer: number) =>
    `https://en.example.org/wiki/${different ? buffer : "Concurrency"}`;
  const start = (role: RaceOrders["role"], number: number, buffer: number): RunningWorker => {
    const workerData: RaceOrders = {
      ...shared,
      url: urlOf(buffer),
      source: "https://en.example.org/",
      role,
      number,
      meeting: different ? buffer : 0,
    };
    return runWorker(new URL("./race-worker.js", import.meta.url), `${role} ${number}`, {
      workerData,
    });
  };
  const builders = [0, 1].map((b) => start("builder", b, b));
  const lists: string[] = [];
  for (const { worker } of builders) worker.on("message", (list: string[]) => lists.push(...list));
  const crawlers = [0, 1, 2, 3].map((c) => start("crawler", c, c >> 1));
  const all = Promise.all([...builders, ...crawlers].map(({ ended }) => ended));
  const deadlock = await endsOrStands(all, words);
  if (deadlock) {
    await Promise.all([...builders, ...crawlers].map(({ worker }) => worker.terminate()));
  }
  const crawled = lists.length > 0 ? `${lists.join("\n")}\n` : "";
  writeFileSync(join(root, "crawled.txt"), crawled);
  return { ...check(root, [...new Set([urlOf(0), urlOf(1)])]), deadlock };
}

/** Waits for the end; true when both builders wait for each other at different places instead. */
function endsOrStands(all: Promise<unknown>, words: Int32Array): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let waited = 0;
    const timer = setInterval(() => {
      const stands = [0, 1].every((b) => Atomics.load(words, STATE + b) === AT_MEETING);
      // Builders that meet go on at once; only those with different URLs stay like this.
      waited = stands ? waited + 1 : 0;
      if (waited * POLL_MS >= STANDS_MS) settle(() => resolve(true));
    }, POLL_MS);
    const settle = (end: () => void): void => {
      clearInterval(timer);
      end();
    };
    all.then(
      () => settle(() => resolve(false)),
      (fault: unknown) => settle(() => reject(fault)),
    );
  });
}

function check(root: string, urls: readonly string[]): Omit<RaceOutcome, "deadlock"> {
  const folders = urls.map((url) => join(root, "tree", treePlace(url as CrawlUrl).path));
  const written = folders.filter((folder) => existsSync(join(folder, "content.html")));
  const crawled = linesOf(join(root, "crawled.txt"));
  return {
    content: written.some(
      (folder) => readFileSync(join(folder, "content.html"), "utf8") !== CONTENT,
    ),
    source: written.some((folder) => linesOf(join(folder, "source.txt")).length !== 1),
    crawled: new Set(crawled).size !== crawled.length,
  };
}

/** The lines of a file; none when it is not there. */
function linesOf(file: string): string[] {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return text.split("\n").filter((line) => line !== "");
}
