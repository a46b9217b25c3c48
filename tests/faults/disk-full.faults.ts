import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { EXIT } from "../../src/errors.ts";
import type { RemoteWeb } from "../../src/web/web-process.ts";
import { root } from "../support/conformance.ts";
import {
  type CrawlProcess,
  crawlArguments,
  type Drill,
  Random,
  startCrawl,
  withFolder,
  withWeb,
} from "./drill.ts";
import type { FailingDisk } from "./failing-disk.ts";
import { readWhole } from "./whole-folder.ts";

const ENTRY = pathToFileURL(join(root, "build/tests/faults/failing-disk.js")).href;
const WAITS = "the crawl waits for its disk";
const GOES_ON = "the disk works again";
const MAX_EXIT_MS = 10_000;
/** In turn: a full disk above all. */
const FAILURES: readonly Pick<FailingDisk, "code" | "call">[] = [
  { code: "ENOSPC", call: "write" },
  { code: "EIO", call: "sync" },
  { code: "ENOSPC", call: "write" },
  { code: "EIO", call: "write" },
];
/** Crawls in which a program that leaves torn writes may be lucky. */
const MUTANT_TRIES = 4;

/** A disk that is full, or fails, from a random byte on and works again; and one that stays full until the user gives up. */
export const drill: Drill = {
  name: "disk-full",
  short: { count: 3, pages: 100 },
  full: { count: 24, pages: 400 },
  async run({ count, pages, seed }) {
    const random = new Random(seed);
    const problems: string[] = [];
    const figures = {
      faults: 0,
      paused: 0,
      interrupted: 0,
      slowestExitMs: 0,
      lost: 0,
      mutants: "0/1",
    };
    await withWeb({ pages, hosts: 4 }, 5, async (web) => {
      const { reachable } = await web.truth();
      const wholeBytes = await withFolder((folder) => bytesOfCrawl(web, join(folder, "out")));
      while (figures.faults < count) {
        await withFolder(async (folder) => {
          const out = join(folder, "out");
          const failure = FAILURES[figures.faults % FAILURES.length]!;
          const afterBytes = random.below(wholeBytes);
          const name = `${failure.code} of ${failure.call} after ${afterBytes} bytes`;
          const isInterrupted = figures.faults % 4 === 2;
          const failures = isInterrupted ? 2 ** 30 : 1 + random.below(5);
          const crawl = start(web, out, { folder: out, afterBytes, failures, ...failure });
          figures.faults++;
          if (isInterrupted) {
            const tookMs = await interrupt(crawl, problems, name);
            figures.interrupted++;
            figures.slowestExitMs = Math.max(figures.slowestExitMs, tookMs);
            const resumed = await startCrawl(["resume", out, "--json", "--quiet"]).ended;
            if (resumed.code !== 0) problems.push(`${name}: resume: ${resumed.stderr}`);
          } else {
            const { code, stderr } = await crawl.ended;
            const said = stderr.split(WAITS).length - 1;
            figures.paused += said;
            if (code !== 0) problems.push(`${name}: exit code ${code}: ${stderr.slice(-500)}`);
            if (said !== 1 || stderr.split(GOES_ON).length !== 2)
              problems.push(`${name}: said ${said} times: ${stderr.slice(-500)}`);
          }
          const disk = readWhole(out);
          figures.lost += Math.max(0, reachable - disk.pages) + (disk.admitted - disk.done);
          for (const problem of disk.problems) problems.push(`${name}: ${problem}`);
          if (disk.pages !== reachable) problems.push(`${name}: ${disk.pages} of ${reachable}`);
        });
      }
      if (await isTearingCaught(web, random, wholeBytes)) figures.mutants = "1/1";
      else problems.push("not noticed: torn writes stay where they are");
    });
    return { figures, problems };
  },
};

function start(web: RemoteWeb, out: string, disk: FailingDisk): CrawlProcess {
  const args = crawlArguments(web.start, out).filter((arg) => arg !== "--quiet");
  const rotation = ["--rotate-pages", "40", "--sync-every", "20ms"];
  const env = { NODE_OPTIONS: `--import ${ENTRY}`, ORBWEAVER_DISK: JSON.stringify(disk) };
  return startCrawl([...args, ...rotation], env);
}

/** Whether the drill notices a program that does not cut off what a full disk left of a write. */
async function isTearingCaught(web: RemoteWeb, random: Random, bytes: number): Promise<boolean> {
  for (let tries = 0; tries < MUTANT_TRIES; tries++) {
    const isCaught = await withFolder(async (folder) => {
      const out = join(folder, "out");
      const afterBytes = random.below(bytes >> 1);
      const full = { folder: out, afterBytes, failures: 2, ...FAILURES[0]!, keepsTorn: true };
      // A crawl that notices by itself that its numbers do not add up ends as a fault of the program does.
      const isNoticed = await start(web, out, full).ended.then(
        ({ code }) => code !== 0,
        () => true,
      );
      return isNoticed || readWhole(out).problems.length > 0;
    });
    if (isCaught) return true;
  }
  return false;
}

/** Bytes that a crawl writes, its end included: lists are written once more there. */
async function bytesOfCrawl(web: RemoteWeb, out: string): Promise<number> {
  const { code, stderr } = await startCrawl(crawlArguments(web.start, out)).ended;
  if (code !== 0) throw new Error(`the crawl ended with ${code}: ${stderr}`);
  let bytes = 0;
  for (const name of readdirSync(out, { recursive: true, encoding: "utf8" }))
    bytes += statSync(join(out, name)).size;
  return bytes;
}

/** Sends SIGINT while the crawl waits for its disk; returns how long the exit took. */
async function interrupt(crawl: CrawlProcess, problems: string[], name: string): Promise<number> {
  await crawl.says(WAITS);
  const sentMs = performance.now();
  crawl.child.kill("SIGINT");
  const { code, stderr } = await crawl.ended;
  const tookMs = Math.round(performance.now() - sentMs);
  if (code !== EXIT.diskFull) problems.push(`${name}: exit code ${code}: ${stderr.slice(-500)}`);
  if (tookMs > MAX_EXIT_MS) problems.push(`${name}: ${tookMs} ms to the exit`);
  return tookMs;
}
