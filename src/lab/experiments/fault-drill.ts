import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { OrbweaverError } from "../../errors.ts";
import { barPlot } from "../../stats/plot/bar-plot.ts";
import { PROFILES, type WebProfile } from "../../web/profile.ts";
import { Random } from "../../web/seeded-random.ts";
import type { RemoteWeb } from "../../web/web-process.ts";
import { counted, type Experiment, measured } from "../experiment.ts";
import { webText, withWeb } from "../lab-web.ts";
import { rounded } from "../run-spread.ts";

const MAIN = fileURLToPath(new URL("../../cli/main.js", import.meta.url));
const POLL_MS = 10;
const MAX_WAIT_MS = 60_000;
const MAX_UNCOMMITTED = 50;

interface Kill {
  /** Pages the web had answered when the crawl was killed. */
  readonly atPages: number;
  /** Pages answered twice by then, in this and all earlier runs. */
  readonly repeated: number;
  /** From the start of the run to its first request. */
  readonly recoveryMs: number;
}

interface Outcome {
  readonly kills: Kill[];
  readonly reachable: number;
  readonly fetched: number;
  readonly repeated: number;
  readonly lastRecoveryMs: number;
}

/** Kills a crawl again and again, and counts what is lost and what is fetched twice. */
export const experiment: Experiment = {
  name: "faults",
  document: "ours",
  question:
    "What do kill -9 at random moments and resume cost: pages lost, pages fetched twice, seconds to the next request?",
  seconds: { quick: 6, normal: 40, full: 100 },
  async run(run) {
    const kills = run.pick(3, 12, 24);
    const profile: WebProfile = {
      ...PROFILES.small,
      seed: run.seed,
      hosts: 10,
      pages: Math.max(200, run.pick(1000, 5000, 12_000)),
      latencyMs: { median: 8, spread: 0.3 },
    };
    run.plan(1);
    const outcome = await run.step("kills", () =>
      withWeb({ profile }, (web) => drill(web, join(run.scratch, "crawl"), kills, run)),
    );
    const { reachable, fetched, repeated } = outcome;
    const lost = reachable - fetched;
    const worst = Math.max(...outcome.kills.map((kill) => kill.recoveryMs), outcome.lastRecoveryMs);
    const perKill = outcome.kills.length === 0 ? 0 : repeated / outcome.kills.length;
    const isKept = lost === 0 && repeated <= outcome.kills.length * MAX_UNCOMMITTED;
    return {
      setup: `${webText(profile)} One crawl with 2 threads, WARC stored, --max-uncommitted ${MAX_UNCOMMITTED}; ${outcome.kills.length} times its process is killed by SIGKILL after a random number of pages, and resumed; then it may end. kill -9 keeps the page cache: power loss is tested by npm run faults.`,
      tables: [
        {
          title: "The whole crawl",
          columns: [
            counted("reachable pages"),
            counted("pages lost"),
            measured("kills"),
            measured("pages fetched twice"),
            measured("fetched twice per kill"),
            counted("allowed per kill (--max-uncommitted)"),
            measured("longest recovery", "ms"),
          ],
          rows: [
            [
              reachable,
              lost,
              outcome.kills.length,
              repeated,
              rounded(perKill, 1),
              MAX_UNCOMMITTED,
              Math.round(worst),
            ],
          ],
        },
        {
          title: "Kill by kill",
          columns: [
            measured("run"),
            measured("pages answered when killed"),
            measured("answered twice so far"),
            measured("start to first request", "ms"),
          ],
          rows: [
            ...outcome.kills.map((kill, i) => [
              i + 1,
              kill.atPages,
              kill.repeated,
              Math.round(kill.recoveryMs),
            ]),
            [kills + 1, fetched, repeated, Math.round(outcome.lastRecoveryMs)],
          ],
        },
      ],
      plots: [
        {
          name: "figure-recovery",
          svg: barPlot({
            title: "From the start of a run to its first request",
            caption:
              "The first run starts from nothing, the others fold what was committed. One run each: there is no spread to show.",
            x: "run",
            y: { label: "time to the first request", unit: "ms" },
            names: ["start"],
            groups: [...outcome.kills.map((kill) => kill.recoveryMs), outcome.lastRecoveryMs].map(
              (value, i) => ({ label: String(i + 1), bars: [{ value }] }),
            ),
          }),
        },
      ],
      paper: [
        {
          what: "nothing lost (our promise 1)",
          paper: "0 pages",
          ours: `${lost} of ${reachable}`,
          agrees: lost === 0,
        },
        {
          what: "nothing twice, except what was not committed (our promise 2)",
          paper: `at most ${MAX_UNCOMMITTED} per kill here`,
          ours: `${rounded(perKill, 1)} per kill`,
          agrees: isKept,
        },
      ],
      verdict: {
        claim: isKept ? "agrees" : "differs",
        why: `${outcome.kills.length} kills lost ${lost} of ${reachable} pages and cost ${repeated} pages fetched twice; a run asks its first page at most ${Math.round(worst)} ms after its start.`,
      },
    };
  },
};

async function drill(
  web: RemoteWeb,
  out: string,
  kills: number,
  run: { seed: number; signal: AbortSignal },
): Promise<Outcome> {
  const random = new Random(run.seed);
  const { reachable } = await web.truth();
  const done: Kill[] = [];
  const first = [
    "crawl",
    ...web.start,
    "--scope",
    "any",
    "--delay",
    "0",
    "--allow-private",
    "127.0.0.0/8",
  ];
  const options = [
    "--threads",
    "2",
    "--max-uncommitted",
    String(MAX_UNCOMMITTED),
    "--sync-every",
    "100ms",
    "--quiet",
  ];
  let lastRecoveryMs = 0;
  for (let i = 0; ; i++) {
    const start = performance.now();
    const before = await web.report();
    const words = i === 0 ? [...first, ...options, "--out", out] : ["resume", out, "--quiet"];
    const child = spawn(process.execPath, [MAIN, ...words], { stdio: "ignore" });
    const ended = once(child, "exit");
    try {
      await until(child, async () => (await web.report()).requests > before.requests);
      lastRecoveryMs = performance.now() - start;
      // A part of what is left, so that the last kill still finds something to do.
      const target =
        before.pages +
        Math.ceil(((reachable - before.pages) * (0.5 + random.next())) / (kills + 1 - i));
      if (
        i < kills &&
        target < reachable &&
        (await until(child, async () => (await web.report()).pages >= target))
      ) {
        child.kill("SIGKILL");
        await ended;
        const { pages, repeated } = await web.report();
        done.push({ atPages: pages, repeated, recoveryMs: lastRecoveryMs });
        if (run.signal.aborted) break;
        continue;
      }
      await ended;
      break;
    } finally {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    }
  }
  const { pages, repeated } = await web.report();
  return { kills: done, reachable, fetched: pages, repeated, lastRecoveryMs };
}

/** Waits for something; false when the process has ended before. */
async function until(child: ChildProcess, holds: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + MAX_WAIT_MS;
  while (!(await holds())) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    if (performance.now() > end)
      throw new OrbweaverError("OW_LAB", "the crawl that was to be killed does nothing");
    await sleep(POLL_MS);
  }
  return true;
}
