// Throughput against number of buffers and buffer size (seed 001, figures 7 and 8), on a synthetic web with latency.
// Run after `npm run build`: node bench/hand-off.bench.mjs [seconds per crawl] [repetitions]
//
// As in the seed a crawler asks for one page at a time, and a buffer is shared by two crawlers and one builder:
// 1 buffer with 1 crawler, 3 buffers with 6, 6 buffers with 12. Answers take some time, so that the number of
// crawlers decides; the table shows how much of that the hand-off gives away.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PROFILES } from "../build/src/web/profile.js";
import { startWebProcess } from "../build/src/web/web-process.js";

const SECONDS = Number(process.argv[2] ?? 20);
const REPETITIONS = Number(process.argv[3] ?? 3);
const LATENCY_MS = { median: 50, spread: 0.5 };
const BUFFERS = [
  { buffers: 1, crawlers: 1, seed: 16933 },
  { buffers: 3, crawlers: 6, seed: 101900 },
  { buffers: 6, crawlers: 12, seed: 171341 },
];
const SIZES = [1, 10, 100, 1000];
const MODES = ["full", "count-or-time"];
const cli = fileURLToPath(new URL("../build/src/cli/main.js", import.meta.url));
const run = promisify(execFile);

const web = await startWebProcess({
  profile: { ...PROFILES.small, hosts: 24, pages: 50_000, latencyMs: LATENCY_MS },
});
const rows = [];
try {
  for (const { buffers, crawlers, seed } of BUFFERS) {
    for (const size of SIZES) {
      for (const mode of MODES) {
        const rates = [];
        for (let n = 0; n < REPETITIONS; n++)
          rates.push(await crawl(buffers, crawlers, size, mode));
        rates.sort((a, b) => a - b);
        const row = { buffers, crawlers, size, mode, pagesPerSecond: median(rates), rates, seed };
        rows.push(row);
        console.log(
          `${buffers} buffers, ${crawlers} crawlers, size ${size}, ${mode}: ${row.pagesPerSecond.toFixed(1)} pages/s`,
        );
      }
    }
  }
} finally {
  await web.close();
}

const one = (size, mode) =>
  rows.find((row) => row.buffers === 1 && row.size === size && row.mode === mode).pagesPerSecond;
console.log("\nbuffers  crawlers  size   hand-off       pages/s  against 1 buffer  seed, 10 h");
for (const { buffers, crawlers, size, mode, pagesPerSecond, seed } of rows) {
  console.log(
    [
      String(buffers).padStart(7),
      String(crawlers).padStart(9),
      String(size).padStart(6),
      `  ${mode}`.padEnd(16),
      pagesPerSecond.toFixed(1).padStart(7),
      `${(pagesPerSecond / one(size, mode)).toFixed(2)}x`.padStart(17),
      `${(seed / BUFFERS[0].seed).toFixed(1)}x`.padStart(12),
    ].join(" "),
  );
}
const results = new URL("./results/", import.meta.url);
mkdirSync(results, { recursive: true });
const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version };
const setUp = { seconds: SECONDS, repetitions: REPETITIONS, latencyMs: LATENCY_MS };
writeFileSync(
  new URL("hand-off.json", results),
  `${JSON.stringify({ machine, ...setUp, rows }, undefined, 2)}\n`,
);

/** Pages per second of one crawl. */
async function crawl(buffers, crawlers, size, mode) {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-hand-off-"));
  const values = {
    threads: crawlers,
    builders: buffers,
    "buffer-size": size,
    "hand-off": mode,
    "links-per-thread": 1,
    delay: 0,
    scope: "any",
    "max-time": `${SECONDS}s`,
    contact: "bench@example.org",
    out: join(folder, "crawl"),
  };
  const options = Object.entries(values).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
  const words = [
    cli,
    "crawl",
    ...web.start,
    ...options,
    ...web.resolveArguments(),
    "--json",
    "--quiet",
  ];
  try {
    // A crawl that its time limit ends has exit code 3.
    const { stdout } = await run(process.execPath, words).catch((fault) => {
      if (fault.code === 3) return fault;
      throw new Error(`the crawl failed: ${fault.stderr || fault.message}`);
    });
    const { pages, seconds } = JSON.parse(stdout);
    return pages / seconds;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function median(sorted) {
  return sorted[sorted.length >> 1];
}
