import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { EXIT } from "../../src/errors.ts";
import { type Drill, Random, startCrawl, withFolder } from "./drill.ts";
import { endedCrawl, readFiles, recover, recoverInProcess, restore } from "./ended-crawl.ts";
import { unitsOf } from "./file-units.ts";

/** One flip in so many is shown to real processes, `resume` first. */
const PROCESS_EVERY = 40;

/** The files in which a byte is flipped, by kind; each kind equally often. */
const KINDS: readonly [name: string, is: RegExp][] = [
  ["state", /state\/crawl(-copy)?\.json$/],
  ["journals", /state\/journals\//],
  ["archive", /archive\//],
  ["archive", /archive\//],
  ["index", /indexes\/index\.cdxj$/],
  ["pages", /pages\/pages\.jsonl$/],
];

/** Flipped bytes in a crawl that has ended: each must be reported with file and offset, and cost no more than it hit. */
export const drill: Drill = {
  name: "flips",
  short: { count: 42, pages: 60 },
  full: { count: 1000, pages: 150 },
  async run({ count, pages, seed, onFault }) {
    const random = new Random(seed);
    const problems: string[] = [];
    const figures = {
      flips: 0,
      lost: 0,
      putRight: 0,
      rebuilt: 0,
      cut: 0,
      undetected: 0,
      meaningless: 0,
      wentOn: 0,
    };
    await withFolder(async (folder) => {
      const out = join(folder, "out");
      const { clean, files } = await endedCrawl(out, pages);
      for (; figures.flips < count; onFault?.(++figures.flips)) {
        const [kind, is] = KINDS[figures.flips % KINDS.length]!;
        const paths = [...files.keys()].filter(
          (path) => is.test(path) && files.get(path)!.length > 0,
        );
        const path = paths[random.below(paths.length)]!;
        const bytes = Buffer.from(files.get(path)!);
        const at = random.below(bytes.length);
        bytes[at] = bytes[at]! ^ (1 + random.below(255));
        const name = `${path.slice(out.length + 1)}:${at}`;
        const problem = (what: string) => problems.push(`${name}: ${what}`);
        writeFileSync(path, bytes);
        const inProcess = figures.flips % PROCESS_EVERY === PROCESS_EVERY - 1;
        if (inProcess) {
          await showResume(out, path, problem);
          restore(out, files);
          writeFileSync(path, bytes);
        }
        const found = inProcess ? await recoverInProcess(out, problem) : recover(out);
        const { damages, repaired, rebuilt, journalsCut, captures, orphans } = found;
        const units = unitsOf(path, files.get(path)!);
        const unit = units.findLast((start) => start <= at)!;
        const isHere = (place: { file: string; offset: number }) =>
          basename(place.file) === basename(path) && (place.offset === at || place.offset === unit);
        const isTold = [...damages, ...repaired, ...rebuilt, ...journalsCut].some(isHere);
        if (!isTold && kind === "archive" && readsTheSame(files.get(path)!, bytes, unit, units)) {
          figures.meaningless++;
          restore(out, files);
          continue;
        }
        if (!isTold) {
          figures.undetected++;
          problem(`not told: ${JSON.stringify({ damages, repaired, rebuilt, journalsCut })}`);
        }
        figures.putRight += repaired.length;
        figures.rebuilt += rebuilt.length > 0 && damages.length === 0 ? 1 : 0;
        figures.cut += journalsCut.length;
        if (damages.length > 0) figures.lost++;
        if (kind !== "archive" && captures + orphans !== clean.captures + clean.orphans)
          problem(`${captures} captures and ${orphans} orphans are left`);
        if (kind === "archive" && captures < clean.captures - (damages.length > 0 ? 1 : 0))
          problem(`${captures} of ${clean.captures} captures are left`);
        if (damages.length > 0 && (kind === "state" || kind === "index" || kind === "pages"))
          problem(`lost where a repair is possible: ${damages[0]!.what}`);
        if (damages.length === 0 && !isSame(out, files, kind)) problem("not what it was before");
        if (inProcess && found.salvaged) {
          const { code, stderr } = await startCrawl(["resume", out, "--json", "--quiet"]).ended;
          figures.wentOn++;
          if (code !== 0) problem(`resume after recover ended with ${code}: ${stderr}`);
        }
        restore(out, files);
      }
    });
    return { figures, problems };
  },
};

/** Whether a record reads as it was written: a bit of a compressed one may be of a table that its reader does not use. */
function readsTheSame(good: Buffer, bad: Buffer, unit: number, units: readonly number[]): boolean {
  const end = units.find((start) => start > unit) ?? good.length;
  return gunzipSync(bad.subarray(unit, end)).equals(gunzipSync(good.subarray(unit, end)));
}

/** What `resume` says to a damaged crawl: all is well (it does not read this file, or cut off a torn end), or where. */
async function showResume(out: string, path: string, problem: (what: string) => void) {
  const { code, stderr } = await startCrawl(["resume", out, "--json", "--quiet"]).ended;
  if (code === 0) return;
  if (code !== EXIT.corrupt || !new RegExp(`${basename(path)}:\\d+: `).test(stderr))
    problem(`resume ended with ${code}: ${stderr.slice(0, 300)}`);
}

/** Whether the files of a kind are again what they were; of the journals an end that says nothing may be cut off. */
function isSame(out: string, files: ReadonlyMap<string, Buffer>, kind: string): boolean {
  if (kind === "journals") return true;
  const now = readFiles(out);
  const isIt = KINDS.find(([name]) => name === kind)![1];
  return [...files].every(([path, bytes]) => !isIt.test(path) || now.get(path)?.equals(bytes));
}
