import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Committed } from "../../src/store/finish/committed.ts";
import { openJournals } from "../../src/store/finish/journal-view.ts";
import { crawlPaths, readCrawlState } from "../../src/store/folder/crawl-folder.ts";
import { mergeRows } from "../../src/store/rows/merge-rows.ts";
import { type Drill, Random, withFolder } from "./drill.ts";
import { LossyDisk, materialise } from "./lossy-disk.ts";
import { readOnDisk } from "./on-disk.ts";
import type { Call } from "./record-calls.ts";
import { recordCrawl } from "./recorded-crawl.ts";
import { ROWS_HANDLER, readRows } from "./rows-on-disk.ts";

/** Calls that a broken program would not make: each time something must be lost. */
const MUTANTS: readonly [name: string, isMissing: (call: Call) => boolean][] = [
  ["journals are not synced", (call) => call.op === "sync" && call.path.endsWith(".journal")],
  ["the archive is not synced", (call) => call.op === "sync" && call.path.includes("/archive/")],
  ["rows are not synced", (call) => call.op === "sync" && call.path.includes("/data/rows-")],
  ["folders are not synced", (call) => call.op === "sync-folder"],
];

/** The calls of a real crawl are recorded; the power fails after random ones, and the disk left is read. */
export const drill: Drill = {
  name: "power-loss",
  short: { count: 120, pages: 150 },
  full: { count: 1000, pages: 600 },
  async run({ count, pages, seed, onFault }) {
    return withFolder(async (folder) => {
      const out = join(folder, "out");
      const more = ["--handler", ROWS_HANDLER];
      const calls = await recordCrawl({ out, folder, pages, more });
      const left = join(folder, "left");
      const test = (from: number, losses: number, kept: readonly Call[]) =>
        firstProblem({ calls: kept, losses, out, left, random: new Random(from), onFault });
      const problem = test(seed, count, calls);
      const problems = problem === undefined ? [] : [problem];
      let caught = 0;
      for (const [name, isMissing] of MUTANTS) {
        const found = test(
          seed,
          count,
          calls.filter((call) => !isMissing(call)),
        );
        if (found === undefined) problems.push(`not noticed: ${name}`);
        else caught++;
      }
      const told = calls.filter(({ op }) => op === "told").length;
      const figures = {
        losses: count,
        calls: calls.length,
        commits: told,
        mutants: `${caught}/${MUTANTS.length}`,
      };
      return { figures, problems };
    });
  },
};

interface Losses {
  readonly calls: readonly Call[];
  readonly losses: number;
  readonly out: string;
  readonly left: string;
  readonly random: Random;
  readonly onFault: ((losses: number) => void) | undefined;
}

/** Lets the power fail after random calls; a sentence for the first promise that is broken. */
function firstProblem({ calls, losses, out, left, random, onFault }: Losses): string | undefined {
  const points = Array.from({ length: losses }, () => random.below(calls.length)).sort(
    (a, b) => a - b,
  );
  const disk = new LossyDisk();
  let at = 0;
  let promised: ReadonlySet<string> = new Set();
  for (const [index, call] of calls.entries()) {
    disk.apply(call);
    // Before the folder is whole there is no crawl to resume.
    if (call.op === "told" && calls[index + 1]?.op !== "told" && at < points.length) {
      promised = read(disk.all(), out, left).doneNames;
    }
    for (; points[at] === index; at++) {
      onFault?.(at);
      const files = disk.loss(random);
      if (promised.size === 0 && ![...files.keys()].some((path) => path.endsWith("crawl.json")))
        continue;
      const where = `after call ${index} of ${calls.length}`;
      try {
        const { doneNames, problems } = read(files, out, left);
        if (problems.length > 0) return `${where}: ${problems[0]}`;
        for (const name of promised)
          if (!doneNames.has(name)) return `${where}: a page that was promised is lost`;
      } catch (fault) {
        return `${where}: ${(fault as Error).message}`;
      }
    }
  }
  return undefined;
}

function read(
  files: ReadonlyMap<string, Buffer>,
  out: string,
  left: string,
): ReturnType<typeof readOnDisk> {
  rmSync(left, { recursive: true, force: true });
  mkdirSync(join(left, "state/journals"), { recursive: true });
  const isNeeded = (path: string) => /^\/(state|archive|data)\//.test(path.slice(out.length));
  materialise(new Map([...files].filter(([path]) => isNeeded(path))), out, left);
  const disk = readOnDisk(left);
  if (disk.problems.length > 0) return disk;
  // As a resume does it.
  const { view } = openJournals(crawlPaths(left).journals, readCrawlState(left));
  mergeRows(left, new Committed(view));
  return { ...disk, problems: readRows(left, disk.pages).problems };
}
