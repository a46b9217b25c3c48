import { existsSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { EXIT } from "../../src/errors.ts";
import { type Drill, startCrawl, withFolder } from "./drill.ts";
import { endedCrawl, recover, recoverInProcess, restore } from "./ended-crawl.ts";

/** The files that are taken away, by kind, and whether what they held is somewhere else as well. */
const KINDS: readonly [kind: string, is: RegExp, isElsewhere: boolean][] = [
  ["state", /state\/crawl(-copy)?\.json$/, true],
  ["journals", /state\/journals\/.*\.journal$/, false],
  ["snapshots", /state\/journals\/.*\.snapshot$/, false],
  ["done lists", /state\/journals\/.*\.done$/, false],
  ["archive", /archive\//, false],
  ["lists", /(indexes\/index\.cdxj|pages\/pages\.jsonl)$/, true],
];
/** In the short form, of so many files one is shown to real processes. */
const PROCESS_EVERY = 4;

/** Every file of state and archive removed in turn: each must be reported as missing, and cost no more than it held. */
export const drill: Drill = {
  name: "missing",
  short: { count: 7, pages: 60 },
  full: { count: 1000, pages: 150 },
  async run({ count, pages, seed, onFault }) {
    const problems: string[] = [];
    const figures = { files: 0, refused: 0, putRight: 0, lost: 0, wentOn: 0 };
    await withFolder(async (folder) => {
      const out = join(folder, "out");
      const { clean, files } = await endedCrawl(out, pages);
      const byKind = KINDS.map(([, is]) => [...files.keys()].filter((path) => is.test(path)));
      const all = count >= byKind.flat().length;
      const chosen = all ? byKind.flat() : inTurns(byKind, count, seed);
      for (const [index, path] of chosen.entries()) {
        const isElsewhere = KINDS.find(([, is]) => is.test(path))![2];
        const name = basename(path);
        const problem = (what: string) => problems.push(`${path.slice(out.length + 1)}: ${what}`);
        const inProcess = all || index % PROCESS_EVERY === 1;
        rmSync(path);
        if (inProcess) {
          const { code, stderr } = await resume(out);
          // A copy is written once more when a run begins.
          const isCopy = name === "crawl-copy.json";
          if (isCopy ? code !== 0 || !existsSync(path) : code !== EXIT.corrupt)
            problem(`resume ended with ${code}: ${stderr.slice(0, 300)}`);
          else if (!isCopy && !stderr.includes(`${name}:0: `))
            problem(`resume does not name it: ${stderr.slice(0, 300)}`);
          else if (!isCopy) figures.refused++;
          restore(out, files);
          rmSync(path);
        }
        const found = inProcess ? await recoverInProcess(out, problem) : recover(out);
        const { damages, repaired, rebuilt, captures, orphans } = found;
        const isIt = (place: { file: string }) => basename(place.file) === name;
        const told = isElsewhere ? [...repaired, ...rebuilt] : damages;
        if (!told.some(isIt))
          problem(`not told: ${JSON.stringify({ damages, repaired, rebuilt })}`);
        if (
          damages.some(
            (place) => !isIt(place) && place.file.endsWith(".journal") && place.offset > 0,
          )
        )
          problem(`damage is seen where there is none: ${JSON.stringify(damages)}`);
        if (isElsewhere) figures.putRight++;
        else figures.lost++;
        if (isElsewhere && damages.length > 0) problem("lost where a repair is possible");
        const isArchive = path.includes("/archive/");
        const left = captures + orphans;
        const before = clean.captures + clean.orphans;
        if (isArchive ? left >= before || left === 0 : left !== before)
          problem(`${captures} captures and ${orphans} orphans are left of ${before}`);
        if (inProcess) {
          const { code, stderr } = await resume(out);
          if (code === 0) figures.wentOn++;
          else problem(`resume after recover ended with ${code}: ${stderr.slice(0, 300)}`);
        }
        restore(out, files);
        onFault?.(++figures.files);
      }
    });
    return { figures, problems };
  },
};

/** So many files, one of each kind in turn; another seed begins with others. */
function inTurns(byKind: readonly string[][], count: number, seed: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const files = byKind[i % byKind.length]!;
    return files[(seed + Math.floor(i / byKind.length)) % files.length]!;
  });
}

function resume(out: string) {
  return startCrawl(["resume", out, "--json", "--quiet"]).ended;
}
