import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../support/conformance.ts";
import { crawlArguments, type Drill, startCrawl, withCrawl } from "./drill.ts";
import { readOnDisk } from "./on-disk.ts";

const ENTRY = pathToFileURL(join(root, "build/tests/faults/dying-worker.js")).href;

/** Of so many deaths some must have been of each kind. */
const MANY = 30;

/** Crawler threads that call `process.exit` with 0 or 1, throw, or run out of memory, by themselves. */
export const drill: Drill = {
  name: "exits",
  short: { count: 4, pages: 3000 },
  full: { count: 60, pages: 20_000 },
  async run({ count, pages, seed, onFault }) {
    const problems: string[] = [];
    const figures = { exits: 0, threw: 0, outOfMemory: 0, crawls: 0, lost: 0 };
    while (figures.exits < count && problems.length === 0) {
      await withCrawl({ pages, hosts: 20 }, 3, async (web, out) => {
        const args = crawlArguments(web.start, out).filter((arg) => arg !== "--quiet");
        const env = {
          NODE_OPTIONS: `--import ${ENTRY}`,
          ORBWEAVER_DEATH_SEED: String(seed + figures.crawls),
        };
        const { code, stderr } = await startCrawl(args, env).ended;
        const exits = stderr.split("was replaced").length - 1;
        const { reachable } = await web.truth();
        const disk = readOnDisk(out);
        figures.exits += exits;
        figures.threw += stderr.split("a fault of its own").length - 1;
        figures.outOfMemory += stderr.split("memory limit").length - 1;
        onFault?.(figures.exits);
        figures.crawls++;
        figures.lost += Math.max(0, reachable - disk.pages);
        problems.push(...disk.problems);
        if (code !== 0) problems.push(`exit code ${code}: ${stderr.slice(-500)}`);
        if (disk.pages !== reachable) problems.push(`${disk.pages} pages of ${reachable}`);
        if (exits === 0) problems.push("nobody died");
      });
    }
    if (figures.exits >= MANY && figures.threw === 0) problems.push("nobody threw");
    if (figures.exits >= MANY && figures.outOfMemory === 0) problems.push("nobody lacked memory");
    return { figures, problems };
  },
};
