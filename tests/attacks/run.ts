import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { MAIN, MISMATCH } from "../support/orbweaver.ts";
import type { Attack, AttackSize } from "./attack.ts";
import { withMutant } from "./mutant-program.ts";
import { stopAttack } from "./stopped-attack.ts";

// npm run attacks -- [--short] [--mutants] [--stops N] [--seed N] [--times N] [--variant TEXT] [X1 X2 ...]: all rows, or some; every
// x*.attack.js beside this file is one. --stops interrupts the crawls of each row N times at random moments instead. --times sets
// the number of folders of X4, --variant which variants of X3, X9 and X14 are run; --mutants-only leaves the program as it is out.
const MUTANT_SEEDS = 4;
const words: string[] = [];
let size: AttackSize = "full";
let withMutants = false;
let withProgram = true;
let stops = 0;
let times: number | undefined;
let variant = "";
let seed = Date.now() % 1_000_000;
for (let i = 2; i < process.argv.length; i++) {
  const word = process.argv[i]!;
  if (word === "--short") size = "short";
  else if (word === "--mutants") withMutants = true;
  else if (word === "--mutants-only") {
    withMutants = true;
    withProgram = false;
  } else if (word === "--times") times = Number(process.argv[++i]);
  else if (word === "--variant") variant = process.argv[++i] ?? "";
  else if (word === "--stops") stops = Number(process.argv[++i]);
  else if (word === "--seed") seed = Number(process.argv[++i]);
  else words.push(word.toUpperCase());
}
const attacks = await allAttacks();
const unknown = words.find((word) => attacks.every(({ row }) => row !== word));
const numbers = [seed, stops, times ?? 1];
if (unknown !== undefined || !numbers.every(Number.isInteger)) {
  const rows = attacks.map(({ row }) => row).join(", ");
  console.error(
    unknown === undefined
      ? "--seed, --stops and --times need a whole number"
      : `no ${unknown}; rows: ${rows}`,
  );
  process.exit(2);
}
console.log(`seed ${seed}`);
let failed = 0;
let passed = 0;
for (const attack of attacks) {
  if (words.length > 0 && !words.includes(attack.row)) continue;
  console.log(`${attack.row}: ${attack.what}`);
  const startMs = performance.now();
  const onStep = (step: string) => console.log(`  ${attack.row} ${seconds(startMs)} s: ${step}`);
  if (withProgram) {
    const isWanted = (name: string) => name.includes(variant);
    const choice = { isWanted, ...(times === undefined ? {} : { times }) };
    const { figures, problems } =
      stops > 0
        ? await stopAttack(attack, { stops, seed })
        : await attack.run({ program: MAIN, size, seed, onStep, ...choice });
    console.table(figures);
    report(problems.length === 0, `${attack.row} in ${seconds(startMs)} s`, problems);
  }
  for (const mutant of withMutants ? attack.mutants : []) {
    const isNoticed = await withMutant(mutant, (program) => isCaught(attack, program));
    report(isNoticed, `${attack.row} mutant: ${mutant.name}`, ["not noticed"]);
  }
}
console.log(`${passed} passed, ${failed} failed`);
// A row that was cut short by a fault may have left a server.
process.exit(failed > 0 ? 1 : 0);

/** Kills and stops strike at random, so that a mutant may get away once. */
async function isCaught(attack: Attack, program: string): Promise<boolean> {
  for (let more = 0; more < MUTANT_SEEDS; more++) {
    try {
      const found = await attack.run({ program, size: "mutant", seed: seed + more });
      if (found.problems.length > 0) return true;
    } catch (fault) {
      // The program itself may be the first to notice.
      if (fault instanceof Error && fault.message.includes(MISMATCH)) return true;
      throw fault;
    }
  }
  return false;
}

function report(holds: boolean, what: string, problems: readonly string[]): void {
  console.log(`${holds ? "ok" : "FAILED"}: ${what}`);
  if (holds) passed++;
  else {
    failed++;
    for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  }
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(1);
}

async function allAttacks(): Promise<Attack[]> {
  const here = fileURLToPath(new URL(".", import.meta.url));
  const files = readdirSync(here).filter((name) => name.endsWith(".attack.js"));
  const modules = files.map((file) => import(new URL(file, import.meta.url).href));
  const all = (await Promise.all(modules)).map((module) => module.attack as Attack);
  const orderOf = ({ row }: Attack) => row.charCodeAt(0) * 100 + Number(row.slice(1));
  return all.sort((a, b) => orderOf(a) - orderOf(b));
}
