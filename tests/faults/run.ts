import { drill as deaths } from "./deaths.faults.ts";
import { drill as diskFull } from "./disk-full.faults.ts";
import type { Drill } from "./drill.ts";
import { drill as exits } from "./exits.faults.ts";
import { drill as fewFiles } from "./few-files.faults.ts";
import { drill as flips } from "./flips.faults.ts";
import { drill as kills } from "./kills.faults.ts";
import { drill as points } from "./points.faults.ts";
import { drill as powerArchive } from "./power-archive.faults.ts";
import { drill as powerLoss } from "./power-loss.faults.ts";
import { drill as signals } from "./signals.faults.ts";

// npm run faults -- [--short] [--count N] [--pages N] [--seed N] [NAME...]
const DRILLS: readonly Drill[] = [
  kills,
  points,
  deaths,
  exits,
  signals,
  powerLoss,
  powerArchive,
  diskFull,
  fewFiles,
  flips,
];
const words: string[] = [];
const numbers = new Map<string, number>();
let isShort = false;
for (let i = 2; i < process.argv.length; i++) {
  const word = process.argv[i]!;
  if (word === "--short") isShort = true;
  else if (/^--(count|pages|seed)$/.test(word)) numbers.set(word, Number(process.argv[++i]));
  else words.push(word);
}
const seed = numbers.get("--seed") ?? Date.now() % 1_000_000;
console.log(`seed ${seed}`);
let failed = 0;
for (const drill of DRILLS) {
  if (words.length > 0 && !words.includes(drill.name)) continue;
  const { count, pages } = isShort ? drill.short : drill.full;
  const startMs = performance.now();
  const { figures, problems } = await drill.run({
    count: numbers.get("--count") ?? count,
    pages: numbers.get("--pages") ?? pages,
    seed,
  });
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.table({ [drill.name]: { ...figures, seconds, problems: problems.length } });
  for (const problem of problems.slice(0, 20)) console.log(`  ${drill.name}: ${problem}`);
  if (problems.length > 0) failed++;
}
process.exitCode = failed > 0 ? 1 : 0;
