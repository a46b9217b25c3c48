import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT } from "../../src/errors.ts";
import { crawlPaths } from "../../src/store/folder/crawl-folder.ts";
import {
  type Drill,
  MAX_PROBLEMS,
  nextArguments,
  pause,
  Random,
  served,
  startCrawl,
  withCrawl,
} from "./drill.ts";
import { readOnDisk } from "./on-disk.ts";
import { ROWS_HANDLER, readRows } from "./rows-on-disk.ts";

/** Kills per crawl, at most. */
const KILLS_PER_CRAWL = 10;

/** What a broken program would have left; each change must be noticed. */
const BROKEN: readonly [name: string, change: (lines: string[]) => string[]][] = [
  ["a row is missing", (lines) => lines.slice(1)],
  ["a row is there twice", (lines) => [...lines, lines[0]!]],
  ["a row of a page that was not committed", (lines) => [...lines, '{"url":"http://x/","n":0}']],
  ["a row is torn", (lines) => [...lines.slice(0, -1), lines.at(-1)!.slice(0, -4)]],
];

/** `kill -9` at random instants of a crawl whose handler pushes three rows per page. */
export const drill: Drill = {
  name: "rows",
  short: { count: 4, pages: 1200 },
  full: { count: 50, pages: 4000 },
  async run({ count, pages, seed, onFault }) {
    const random = new Random(seed);
    const problems: string[] = [];
    const figures = { kills: 0, crawls: 0, pages: 0, rows: 0, lost: 0, twice: 0, mutants: "" };
    while (figures.kills < count && problems.length < MAX_PROBLEMS) {
      await withCrawl({ pages, hosts: 20 }, 2, async (web, out) => {
        // Some end in order in between, and leave their rows merged.
        const store = ["warc", "none", "tree"][figures.crawls % 3]!;
        for (let kills = 0; ; ) {
          const args = nextArguments(web.start, out);
          const first = ["--handler", ROWS_HANDLER, "--store", store, "--max-uncommitted", "100"];
          const crawl = startCrawl(args[0] === "crawl" ? [...args, ...first] : args);
          if (kills < KILLS_PER_CRAWL && figures.kills < count) {
            const step = 1 + random.below(Math.ceil((2 * pages) / KILLS_PER_CRAWL));
            if (random.below(6) === 0) await Promise.race([pause(random, 0, 800), crawl.ended]);
            else await served(web, (await web.report()).pages + step, crawl);
            crawl.child.kill(random.below(5) === 0 ? "SIGINT" : "SIGKILL");
          }
          const { code, signal, stderr } = await crawl.ended;
          if (signal === "SIGKILL") {
            if (!existsSync(crawlPaths(out).state)) continue;
            kills++;
            onFault?.(++figures.kills);
            continue;
          }
          // Before its signals are looked after, SIGINT ends the process.
          if (code === EXIT.interrupted || signal === "SIGINT") continue;
          if (code !== EXIT.finished)
            problems.push(`a run ended with ${code}: ${stderr.slice(-500)}`);
          break;
        }
        const { reachable } = await web.truth();
        const listed = readFileSync(crawlPaths(out).pages, "utf8").split("\n").length - 2;
        if (store === "warc") problems.push(...readOnDisk(out).problems);
        if (listed !== reachable) problems.push(`${listed} pages of ${reachable}`);
        const found = readRows(out, reachable);
        problems.push(...found.problems);
        figures.crawls++;
        figures.pages += reachable;
        figures.rows += found.rows;
        figures.lost += found.lost;
        figures.twice += found.twice;
        if (figures.crawls > 1) return;
        const unnoticed = BROKEN.filter(([, change]) => !isNoticed(out, reachable, change));
        problems.push(...unnoticed.map(([name]) => `not noticed: ${name}`));
        figures.mutants = `${BROKEN.length - unnoticed.length}/${BROKEN.length}`;
      });
    }
    return { figures, problems };
  },
};

function isNoticed(out: string, pages: number, change: (lines: string[]) => string[]): boolean {
  const copy = `${out}-broken`;
  cpSync(join(out, "data"), join(copy, "data"), { recursive: true });
  const path = join(copy, "data", "data.jsonl");
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  writeFileSync(path, `${change(lines).join("\n")}\n`);
  const { problems } = readRows(copy, pages);
  rmSync(copy, { recursive: true });
  return problems.length > 0;
}
