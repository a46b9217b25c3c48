import { parseArgs } from "node:util";
import { STORED_SEEDS } from "./seeds.ts";
import type { FuzzPart, FuzzTarget } from "./target.ts";
import { TARGETS } from "./targets.ts";

// npm run fuzz -- --seconds 60 [--target robots] [--seed 42]
// Every target gets its share of the time; stored seeds are replayed first. Exit code 1 if anything was found.

const ROUND_RUNS = 1000;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    target: { type: "string" },
    seed: { type: "string" },
  },
});
const seconds = Number(values.seconds);
const chosen = TARGETS.filter(({ name }) => values.target === undefined || name === values.target);
if (!(seconds > 0) || chosen.length === 0) {
  console.error(`--seconds N, --target ${TARGETS.map(({ name }) => name).join("|")}, --seed N`);
  process.exit(2);
}

// A finding does not end the search for others.
for (const target of chosen) await fuzz(target, (seconds * 1000) / chosen.length);

async function fuzz(target: FuzzTarget, shareMs: number): Promise<void> {
  const { parts, close } = await target.open();
  try {
    for (const part of parts) {
      const fine =
        (await replay(target, part)) && (await explore(target, part, shareMs / parts.length));
      if (!fine) process.exitCode = 1;
    }
  } finally {
    await close?.();
  }
}

async function replay(target: FuzzTarget, part: FuzzPart): Promise<boolean> {
  for (const { seed, path, ...stored } of STORED_SEEDS) {
    if (stored.target !== target.name || stored.part !== part.name) continue;
    const { failure } = await part.property.check({ seed, path, runs: ROUND_RUNS });
    if (failure !== undefined) return report(target, part, `stored (${stored.found})\n${failure}`);
  }
  return true;
}

async function explore(target: FuzzTarget, part: FuzzPart, shareMs: number): Promise<boolean> {
  const startMs = performance.now();
  let runs = 0;
  let seed = values.seed === undefined ? freshSeed() : Number(values.seed);
  const first = seed;
  for (let leftMs = shareMs; leftMs > 0; leftMs = shareMs - (performance.now() - startMs)) {
    const result = await part.property.check({ seed, runs: ROUND_RUNS, timeLimitMs: leftMs });
    runs += result.runs;
    if (result.failure !== undefined) return report(target, part, result.failure);
    seed = (seed + 1) | 0;
  }
  const took = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`${target.name} ${part.name}: ${runs} runs in ${took} s, seeds from ${first}`);
  return true;
}

function freshSeed(): number {
  return (Date.now() ^ (process.pid << 16)) | 0;
}

function report(target: FuzzTarget, part: FuzzPart, failure: string): boolean {
  console.error(`${target.name} ${part.name}: FOUND\n${failure}`);
  return false;
}
