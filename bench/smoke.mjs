// Runs every bench once with --smoke, one after the other: does each still work? Prints a line for each; exit code 1 when
// one fails. What is not installed here (g++, rival crawlers) is skipped by the bench, which says so, and counted.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readArguments } from "./support/arguments.mjs";
import { checkBuild, listBenches } from "./support/benches.mjs";

const MAX_MS = 120_000;
const LAST_LINES = 30;
const NAMES = [...listBenches().keys()];
const { only } = readArguments({
  options: { only: { default: NAMES, choices: NAMES, help: "benches" } },
});

/** How a bench ended, how long it took, what it printed. */
async function run(file) {
  const began = performance.now();
  const child = spawn(process.execPath, [file, "--smoke"], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const timer = setTimeout(() => child.kill("SIGKILL"), MAX_MS);
  const [code, signal] = await once(child, "close");
  clearTimeout(timer);
  return { ended: signal ?? code, seconds: (performance.now() - began) / 1000, output };
}

checkBuild();
const benches = listBenches();
const failed = [];
let skipped = 0;
let all = 0;
for (const name of only) {
  const { ended, seconds, output } = await run(benches.get(name).file);
  const parts = [...output.matchAll(/^skipped: (.*)$/gm)].map(([, what]) => what);
  const verdict = ended === 0 ? "ok" : `FAILED (${ended})`;
  console.log(`${verdict.padEnd(6)} ${seconds.toFixed(1).padStart(5)} s  ${name}`);
  for (const part of parts) console.log(`          skipped: ${part}`);
  skipped += parts.length;
  all += seconds;
  if (ended === 0) continue;
  failed.push(name);
  console.log(output.trimEnd().split("\n").slice(-LAST_LINES).join("\n"));
}
const sum = `${only.length - failed.length} of ${only.length} benches ran in ${Math.round(all)} s`;
console.log(`${sum}${skipped > 0 ? `, ${skipped} parts skipped` : ""}`);
if (failed.length > 0) console.log(`failed: ${failed.join(", ")}`);
process.exitCode = failed.length > 0 ? 1 : 0;
