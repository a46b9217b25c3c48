// What starting and ending a crawl costs: CPU time (user + system) and memory of a crawl of one page, all its threads.
//
// The build of `npm run build` takes turns with one by `tsc` alone, made in a temporary folder, with those of other
// checkouts (--against) and with `node -e 0`, which shows how busy the machine is. About one minute on 2 idle cores.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROFILES } from "../../build/src/web/profile.js";
import { startWebProcess } from "../../build/src/web/web-process.js";
import { readArguments } from "../support/arguments.mjs";
import { crawlTimed, root, runTimed } from "../support/command-line.mjs";
import { keepResult } from "../support/keep-result.mjs";
import { spread } from "../support/statistics.mjs";

const { repeat, against, smoke, save } = readArguments({
  result: "start",
  options: {
    repeat: { default: 9, smoke: 1, help: "repetitions" },
    against: { default: [], help: "other checkouts that are built" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "orbweaver-start-"));

/** The same sources, every module a file. */
function buildByTsc() {
  const plain = join(folder, "tsc");
  cpSync(join(root, "package.json"), join(plain, "package.json"));
  symlinkSync(join(root, "node_modules"), join(plain, "node_modules"));
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [compiler, "-p", root, "--outDir", join(plain, "build")]);
  return plain;
}

async function crawlOnePage(checkout, start) {
  const out = join(folder, "out");
  const settings = { out, delay: 0, "max-pages": 1, threads: 2 };
  const { pages, cpu, wall, maxRssMiB } = await crawlTimed(start, settings, { checkout });
  rmSync(out, { recursive: true });
  if (pages !== 1) throw new Error(`${checkout}: ${pages} pages instead of 1`);
  return { cpu, wall, maxRssMiB };
}

const runs = [];
const web = await startWebProcess({ profile: { ...PROFILES.small, pages: 200 } });
try {
  const rows = [
    ["node -e 0", async () => ({ ...(await runTimed(["-e", "0"])), maxRssMiB: 0 })],
    ["npm run build", () => crawlOnePage(root, web.start)],
  ];
  // The compiler alone takes longer than a smoke run should.
  const plain = smoke ? root : buildByTsc();
  rows.push(["tsc alone", () => crawlOnePage(plain, web.start)]);
  for (const other of against) rows.push([other, () => crawlOnePage(other, web.start)]);
  for (let i = 0; i < repeat; i++) {
    for (const [row, measure] of i % 2 === 0 ? rows : rows.toReversed()) {
      const { cpu, wall, maxRssMiB } = await measure();
      runs.push({ row, cpu, wall, maxRssMiB });
    }
  }
} finally {
  await web.close();
  rmSync(folder, { recursive: true, force: true });
}
const table = [...new Set(runs.map(({ row }) => row))].map((row) => {
  const own = runs.filter((run) => run.row === row);
  return {
    row,
    cpu: spread(own.map(({ cpu }) => cpu)),
    wall: spread(own.map(({ wall }) => wall)),
    maxRssMiB: spread(own.map(({ maxRssMiB }) => maxRssMiB)),
  };
});
console.log(`A crawl of one page, 2 crawler threads, medians of ${repeat}`);
console.table(
  table.map(({ row, cpu, wall, maxRssMiB }) => ({
    row,
    "CPU s": cpu.median,
    spread: `${cpu.least}-${cpu.most}`,
    "wall s": wall.median,
    MiB: maxRssMiB.median,
  })),
);
if (save) keepResult("start", { repeat, table, runs });
