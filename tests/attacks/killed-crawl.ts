import { existsSync } from "node:fs";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { startCrawl, untilEnd } from "../faults/drill.ts";
import type { CountingServer } from "./counting-server.ts";

/** How a crawl is run to its end. */
export interface KilledCrawl {
  readonly program: string;
  readonly server: CountingServer;
  readonly out: string;
  /** Arguments of the first run, without the folder. */
  readonly first: readonly string[];
  /** Arguments of a later one; `run` counts from 1. */
  readonly later?: (run: number) => readonly string[];
  /** `kill -9` after so many further requests, one number per kill. */
  readonly kills: readonly number[];
}

/** How its last run ended. */
export interface LastRun {
  readonly code: number | null;
  readonly stderr: string;
  /** Kills that met a crawl under way. */
  readonly kills: number;
}

/** Runs a crawl, kills it at moments given by its progress, and resumes it until it ends by itself. */
export async function runKilled(crawl: KilledCrawl): Promise<LastRun> {
  const { program, server, out, first, later = () => [], kills } = crawl;
  let met = 0;
  for (let run = 0; ; run++) {
    const isBegun = existsSync(crawlPaths(out).state);
    const args = isBegun
      ? ["resume", out, "--json", "--quiet", ...later(run)]
      : ["crawl", ...first, "--out", out, "--json", "--quiet"];
    const { child, ended } = startCrawl(args, {}, { program });
    const after = kills[run];
    if (after !== undefined) {
      const goal = server.requests() + after;
      await untilEnd(ended, () => Promise.resolve(server.requests() >= goal), 1);
      child.kill("SIGKILL");
    }
    const { code, signal, stderr } = await ended;
    if (signal === "SIGKILL") {
      if (existsSync(crawlPaths(out).state)) met++;
      continue;
    }
    return { code, stderr, kills: met };
  }
}
