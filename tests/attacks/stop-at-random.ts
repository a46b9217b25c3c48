import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { Random } from "../../src/web/seeded-random.ts";
import type { CrawlProcess } from "../faults/drill.ts";

const MAX_EXIT_MS = 10_000;
/** A process that hangs is killed, so that the attack goes on. */
const MAX_WAIT_MS = 30_000;

/** How a crawl ended that was told to. */
export interface Stopped {
  /** When the signal was sent, after the crawl began. */
  readonly afterMs: number;
  /** From the signal to the exit; undefined when the crawl had ended before. */
  readonly exitMs: number | undefined;
  readonly problem: string | undefined;
}

/** How it is told to stop. */
export interface StopRules {
  /** The folder of the crawl: the time counts from when it is there. */
  readonly out: string;
  /** The signal comes within this time. */
  readonly withinMs: number;
  readonly signal?: "SIGINT" | "SIGTERM";
  /** A second signal follows after this long. */
  readonly againAfterMs?: number;
  readonly maxExitMs?: number;
}

/** Sends a signal to a crawl at a random moment; it must exit in time and with the code of the signal, whatever servers do. */
export async function stopAtRandom(
  crawl: CrawlProcess,
  seed: number,
  { out, withinMs, signal = "SIGINT", againAfterMs, maxExitMs = MAX_EXIT_MS }: StopRules,
): Promise<Stopped> {
  const afterMs = Math.round(new Random(seed).next() * withinMs);
  let isEarly = false;
  void crawl.ended.then(() => {
    isEarly = true;
  });
  while (!isEarly && !existsSync(crawlPaths(out).state)) await sleep(5);
  await Promise.race([crawl.ended, sleep(afterMs)]);
  if (isEarly) return { afterMs, exitMs: undefined, problem: undefined };
  const sentMs = performance.now();
  crawl.child.kill(signal);
  const again =
    againAfterMs === undefined
      ? undefined
      : setTimeout(() => crawl.child.kill(signal), againAfterMs);
  const kill = setTimeout(() => crawl.child.kill("SIGKILL"), MAX_WAIT_MS);
  const { code, signal: diedOf, stderr } = await crawl.ended;
  clearTimeout(kill);
  clearTimeout(again);
  const exitMs = Math.round(performance.now() - sentMs);
  const expected = signal === "SIGINT" ? 130 : 143;
  // When everything is safe already the signal itself ends the process.
  const isRight = code === expected || diedOf === signal || code === 0;
  const problem = !isRight
    ? `exit code ${code} (${diedOf}) after ${signal} at ${afterMs} ms: ${stderr.slice(-300)}`
    : exitMs > maxExitMs
      ? `${exitMs} ms from ${signal} at ${afterMs} ms to the exit`
      : undefined;
  return { afterMs, exitMs, problem };
}
