// What starting and ending a crawl costs: CPU time (user + system) and memory of a crawl of one page, all its threads.
//   npm run bench:start -- [--repetitions 9] [--against DIR]... [--save]
// The build of `npm run build` takes turns with one by `tsc` alone, made in a temporary folder, with those of other
// checkouts (--against) and with `node -e 0`, which tells how busy the machine is. About one minute on 2 idle cores.
// --save writes bench/results/start.json.
import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { PROFILES } from "../build/src/web/profile.js";
import { startWebProcess } from "../build/src/web/web-process.js";
import { keepResult } from "./keep-result.mjs";

const { values: options } = parseArgs({
  options: {
    repetitions: { type: "string", default: "9" },
    against: { type: "string", multiple: true, default: [] },
    save: { type: "boolean", default: false },
  },
});
const repetitions = Number(options.repetitions);
const root = fileURLToPath(new URL("..", import.meta.url));
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

/** Runs node to its end; bash tells what the process has used, its last moments included. */
async function run(args) {
  const script = 'TIMEFORMAT="cpu %3U %3S %3R"; time "$@"; exit 0';
  const shell = ["-c", script, "bash", process.execPath, ...args];
  const { stdout, stderr } = await promisify(execFile)("bash", shell);
  const [, user, system, wall] = /cpu ([\d.]+) ([\d.]+) ([\d.]+)/.exec(stderr).map(Number);
  return { stdout, cpu: user + system, wall };
}

async function crawlOnePage(checkout, start) {
  const out = join(folder, "out");
  const main = join(checkout, "build", "src", "cli", "main.js");
  const settings = ["--delay", "0", "--max-pages", "1", "--threads", "2", "--json", "--quiet"];
  const { stdout, cpu, wall } = await run([main, "crawl", ...start, "--out", out, ...settings]);
  rmSync(out, { recursive: true });
  const { pages, maxRssMiB } = JSON.parse(stdout);
  if (pages !== 1) throw new Error(`${checkout}: ${pages} pages instead of 1`);
  return { cpu, wall, maxRssMiB };
}

const round = (value) => Math.round(value * 1000) / 1000;

function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    median: round(sorted[sorted.length >> 1]),
    least: round(sorted[0]),
    most: round(sorted.at(-1)),
  };
}

const runs = [];
const web = await startWebProcess({ profile: { ...PROFILES.small, pages: 200 } });
try {
  const rows = [
    ["node -e 0", async () => ({ ...(await run(["-e", "0"])), maxRssMiB: 0 })],
    ["npm run build", () => crawlOnePage(root, web.start)],
  ];
  const plain = buildByTsc();
  rows.push(["tsc alone", () => crawlOnePage(plain, web.start)]);
  for (const [i, other] of options.against.entries())
    rows.push([`against ${i + 1}`, () => crawlOnePage(other, web.start)]);
  for (let i = 0; i < repetitions; i++) {
    for (const [row, measure] of i % 2 === 0 ? rows : rows.toReversed()) {
      const { cpu, wall, maxRssMiB } = await measure();
      runs.push({ row, cpu: round(cpu), wall: round(wall), maxRssMiB: round(maxRssMiB) });
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
console.log(`A crawl of one page, 2 crawler threads, medians of ${repetitions}`);
console.table(
  table.map(({ row, cpu, wall, maxRssMiB }) => ({
    row,
    "CPU s": cpu.median,
    spread: `${cpu.least}-${cpu.most}`,
    "wall s": wall.median,
    MiB: maxRssMiB.median,
  })),
);
if (options.save) keepResult("start", "bench/start.bench.mjs", { repetitions, table, runs });
