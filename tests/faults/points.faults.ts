import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readNewestRun } from "../../src/crawl/ending/reports.ts";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import { recoverFolder } from "../../src/store/recover/recover-folder.ts";
import type { RemoteWeb } from "../../src/web/web-process.ts";
import { root } from "../support/conformance.ts";
import { type Drill, nextArguments, Random, startCrawl, withCrawl } from "./drill.ts";
import type { Strike } from "./struck-calls.ts";
import { readWhole, unnoticed } from "./whole-folder.ts";

const ENTRY = pathToFileURL(join(root, "build/tests/faults/struck-calls.js")).href;
const ARCHIVE = "/archive/.*\\.open$";
const JOURNAL = "\\.journal$";
/** Of `--rotate-pages`; the first strikes come before as many pages as a crawl has. */
const PAGES_PER_FILE = 10;
/** Calls are counted from the start of the process up to here at most, so that each crawl meets many strikes. */
const MAX_NTH = 6;
const KILLS_PER_CRAWL = 14;

type Point = Omit<Strike, "nth">;

/** Where a crawl is struck. */
const CRAWL_POINTS: Record<string, Point> = {
  "after fetch": { call: "receive", path: "", when: "after" },
  "mid-record": { call: "write", path: ARCHIVE, when: "half" },
  "before commit": { call: "write", path: JOURNAL, when: "before" },
  "mid-commit": { call: "write", path: JOURNAL, when: "half" },
  "after commit": { call: "sync", path: JOURNAL, when: "after" },
  "archive synced": { call: "sync", path: ARCHIVE, when: "after" },
  "before rotation": { call: "rename", path: ARCHIVE, when: "before" },
  "after rotation": { call: "rename", path: ARCHIVE, when: "after" },
  "new archive file": { call: "create", path: ARCHIVE, when: "after" },
};
/** Where a run is struck that closes a crawl folder: `recover` after a crash. */
const RECOVER_POINTS: Record<string, Point> = {
  "recover: a torn end cut off": { call: "truncate", path: ARCHIVE, when: "after" },
  "recover: before a file is closed": { call: "rename", path: ARCHIVE, when: "before" },
  "recover: mid-list": { call: "write", path: "/(indexes|pages|reports|links)/", when: "half" },
  "recover: before a list": {
    call: "rename",
    path: "/(indexes|pages|reports|links)/",
    when: "before",
  },
  "recover: after a list": {
    call: "rename",
    path: "/(indexes|pages|reports|links)/",
    when: "after",
  },
  "recover: a part removed": { call: "unlink", path: "\\.part$", when: "after" },
};

/** `kill -9` at named points; then `recover`, or straight `resume`, until the crawl is complete. */
export const drill: Drill = {
  name: "points",
  short: { count: 6, pages: 300 },
  full: { count: 60, pages: 600 },
  async run({ count, pages, seed, onFault }) {
    const random = new Random(seed);
    const problems: string[] = [];
    const met = new Map<string, number>();
    const figures = { kills: 0, points: "", crawls: 0, lost: 0, orphans: 0 };
    const hit = (name: string) => {
      met.set(name, (met.get(name) ?? 0) + 1);
      onFault?.(++figures.kills);
    };
    /** The points in turn, so that each is used equally often. */
    const turns = { crawl: random.below(9), recover: random.below(6) };
    const next = (points: Record<string, Point>, kind: "crawl" | "recover") => {
      const all = Object.entries(points);
      return all[turns[kind]++ % all.length]!;
    };
    while (figures.kills < count && problems.length === 0) {
      await withCrawl({ pages, hosts: 8, errorRate: 0.04 }, 5, async (web, out) => {
        const before = figures.kills;
        for (;;) {
          const mayKill = figures.kills < count && figures.kills < before + KILLS_PER_CRAWL;
          const [name, point] = next(CRAWL_POINTS, "crawl");
          const strike = { ...point, nth: 1 + random.below(MAX_NTH) };
          const ended = await run(argumentsOf(web, out), mayKill ? strike : undefined);
          if (ended.signal !== "SIGKILL") {
            if (ended.code !== 0) problems.push(`exit code ${ended.code}: ${ended.stderr}`);
            break;
          }
          // Struck before it had a state: nothing to learn.
          if (!existsSync(crawlPaths(out).state)) continue;
          hit(name);
          // Every third is resumed as it is, every third recovered, and of every third recover is struck as well.
          if (figures.kills % 3 === 0) continue;
          if (figures.kills % 3 === 1) {
            const [called, where] = next(RECOVER_POINTS, "recover");
            const again = { ...where, nth: 1 + random.below(2) };
            const { signal } = await run(["recover", out], again);
            if (signal === "SIGKILL") hit(called);
          }
          const { damages, orphans } = recoverFolder(out, readNewestRun(out));
          figures.orphans += orphans;
          for (const { file, offset, what } of damages)
            problems.push(`${name}: ${file}:${offset}: ${what}`);
          for (const problem of readWhole(out).problems) problems.push(`${name}: ${problem}`);
        }
        const { reachable } = await web.truth();
        const disk = readWhole(out);
        figures.crawls++;
        figures.lost += Math.max(0, reachable - disk.pages) + (disk.admitted - disk.done);
        problems.push(...disk.problems);
        if (disk.pages !== reachable) problems.push(`${disk.pages} pages of ${reachable}`);
        if (figures.kills === before) problems.push("no strike met a crawl");
        problems.push(...unnoticed(out));
      });
    }
    figures.points = `${met.size} of ${Object.keys({ ...CRAWL_POINTS, ...RECOVER_POINTS }).length}`;
    return { figures, problems };
  },
};

function argumentsOf(web: RemoteWeb, out: string): string[] {
  const args = nextArguments(web.start, out);
  if (args[0] !== "crawl") return args;
  return [
    ...args,
    ...["--rotate-pages", String(PAGES_PER_FILE)],
    ...["--sync-every", "20ms", "--max-uncommitted", "40"],
  ];
}

/** Runs the program to its end, or to the call at which it is struck. */
function run(args: readonly string[], strike: Strike | undefined) {
  const env: Record<string, string> =
    strike === undefined
      ? {}
      : { NODE_OPTIONS: `--import ${ENTRY}`, ORBWEAVER_STRIKE: JSON.stringify(strike) };
  return startCrawl(args, env).ended;
}
