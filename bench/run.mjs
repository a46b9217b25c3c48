// Runs one bench: npm run bench -- NAME [options], such as npm run bench -- frontier/seen --max 1e7 --save
import { spawnSync } from "node:child_process";
import { checkBuild, listBenches } from "./support/benches.mjs";

const [name, ...options] = process.argv.slice(2);
const benches = listBenches();
const bench = benches.get(name);
if (bench === undefined) {
  const lines = [...benches].map(([known, { about }]) => `  ${known.padEnd(20)} ${about}`);
  const reason = name === undefined ? "which bench?" : `there is no bench ${name}`;
  console.error([`${reason} NAME --help lists its options`, ...lines].join("\n"));
  process.exit(2);
}
checkBuild();
const { status } = spawnSync(process.execPath, [bench.file, ...options], { stdio: "inherit" });
process.exitCode = status ?? 1;
